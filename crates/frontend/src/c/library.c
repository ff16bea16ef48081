__typeof__(sizeof(0)) strlen(const char *s) { __typeof__(sizeof(0)) n = 0; while (s[n]) n++; return n; }
__typeof__(sizeof(0)) strnlen(const char *s, __typeof__(sizeof(0)) most) { __typeof__(sizeof(0)) n = 0; while (n < most && s[n]) n++; return n; }
int strcmp(const char *a, const char *b) { extern int __unspecified_int(void); int some; while (*a && *a == *b) { a++; b++; } if (*a == *b) return 0; some = __unspecified_int(); if ((unsigned char) *a < (unsigned char) *b) return some < 0 ? some : -1; return some > 0 ? some : 1; }
int strncmp(const char *a, const char *b, __typeof__(sizeof(0)) n) { extern int __unspecified_int(void); int some; while (n && *a && *a == *b) { a++; b++; n--; } if (!n || *a == *b) return 0; some = __unspecified_int(); if ((unsigned char) *a < (unsigned char) *b) return some < 0 ? some : -1; return some > 0 ? some : 1; }
char *strcpy(char *to, const char *from) { __typeof__(sizeof(0)) i = 0; while ((to[i] = from[i])) i++; return to; }
char *strncpy(char *to, const char *from, __typeof__(sizeof(0)) n) { __typeof__(sizeof(0)) i = 0; while (i < n && from[i]) { to[i] = from[i]; i++; } while (i < n) to[i++] = 0; return to; }
char *strcat(char *to, const char *from) { __typeof__(sizeof(0)) n = 0, i = 0; while (to[n]) n++; while ((to[n + i] = from[i])) i++; return to; }
char *strncat(char *to, const char *from, __typeof__(sizeof(0)) most) { __typeof__(sizeof(0)) n = 0, i = 0; while (to[n]) n++; while (i < most && from[i]) { to[n + i] = from[i]; i++; } to[n + i] = 0; return to; }
char *strchr(const char *s, int c) { for (;; s++) { if (*s == (char) c) return (char *) s; if (!*s) return 0; } }
char *strrchr(const char *s, int c) { char *last = 0; for (;; s++) { if (*s == (char) c) last = (char *) s; if (!*s) return last; } }
int memcmp(const void *a, const void *b, __typeof__(sizeof(0)) n) { extern int __unspecified_int(void); int some; const unsigned char *x = a, *y = b; while (n) { if (*x != *y) { some = __unspecified_int(); if (*x < *y) return some < 0 ? some : -1; return some > 0 ? some : 1; } x++; y++; n--; } return 0; }
void *memchr(const void *s, int c, __typeof__(sizeof(0)) n) { const unsigned char *x = s; while (n) { if (*x == (unsigned char) c) return (void *) x; x++; n--; } return 0; }
int atoi(const char *s) { int n = 0, minus = 0; while (*s == ' ' || *s >= '\t' && *s <= '\r') s++; if (*s == '-' || *s == '+') minus = *s++ == '-'; while (*s >= '0' && *s <= '9') n = 10 * n - (*s++ - '0'); return minus ? n : -n; }
int isdigit(int c) { extern int __unspecified_int(void); int some; if (!(c >= '0' && c <= '9')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int isupper(int c) { extern int __unspecified_int(void); int some; if (!(c >= 'A' && c <= 'Z')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int islower(int c) { extern int __unspecified_int(void); int some; if (!(c >= 'a' && c <= 'z')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int isalpha(int c) { extern int __unspecified_int(void); int some; if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int isalnum(int c) { extern int __unspecified_int(void); int some; if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int isspace(int c) { extern int __unspecified_int(void); int some; if (!(c == ' ' || c >= '\t' && c <= '\r')) return 0; some = __unspecified_int(); return some != 0 ? some : 1; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
int *__errno_location(void) { static _Thread_local int value; return &value; }
int atexit(void (*function)(void)) { static void (*list[32])(void); static int count; if (function) { int at = __atomic_fetch_add(&count, 1, 5); if (at >= 32) return 1; __atomic_store_n(&list[at], function, 5); return 0; } for (;;) { int at = __atomic_fetch_sub(&count, 1, 5) - 1; if (at < 0) return 0; if (at < 32) __atomic_load_n(&list[at], 5)(); } }
void exit(int status) { extern void _Exit(int); int atexit(void (*)(void)); atexit(0); _Exit(status); }
