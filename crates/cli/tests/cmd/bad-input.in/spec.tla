---- MODULE spec ----
====
