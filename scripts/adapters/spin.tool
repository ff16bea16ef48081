# SPIN as a column of `selvedge bench`: `selvedge bench LIST.tsv --tool scripts/adapters/spin.tool`.
# It is asked about every program that has a model for SPIN beside it, with the ending .pml. SPIN
# leaves the verifier that it makes (pan*) in the current folder; the time has the making of it inside.
name = spin
command = spin -run -safety -m1000000 {stem}.pml
reads = weave
needs = {stem}.pml
# The first line that fits counts: a search that was cut short proves nothing.
unsafe = errors: 1
unknown = max search depth too small
unknown = Search not completed
safe = errors: 0
