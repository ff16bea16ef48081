# 1 "declarations.c"
# 1 "/usr/include/some.h" 1 3 4
typedef unsigned long int size_t;
typedef __builtin_va_list va_list;
__extension__ typedef long long int int64_t __attribute__ ((__mode__ (__DI__)));
extern int printf (const char *__restrict __format, ...) __attribute__ ((__format__ (__printf__, 1, 2)));
extern void exit (int __status) __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
extern int scanf (const char *, ...) __asm__ ("" "__isoc99_scanf") ;
static __inline__ int __attribute__((always_inline)) twice(int x) { return x << 1; }
# 12 "declarations.c" 2
#pragma pack(push, 1)
struct __attribute__((packed)) node { struct node *next; int val : 3, : 0; union { char c[4]; float f; }; int tail[]; };
#pragma pack(pop)
enum colour { RED, GREEN = 2, BLUE = GREEN + 1, };
typedef enum colour colour_t;
typedef struct { int x, y; } point, *point_p;
static _Thread_local int own; _Atomic int shared; _Atomic(int *) where; _Alignas(16) char buffer[64];
int matrix[2][3] = { { 1, 2, 3 }, [1] = { [0 ... 1] = 4, 5 } };
point origin = { .x = 1, y: 2 }, *p = &(point) { 3, 4 };
void (*handlers[2])(int) = { 0, };
void (*signal(int sig, void (*func)(int)))(int);
int old(a, b) int a; char *b; { return a + *b; }
implicit() { }
typeof(shared) same; __typeof__(int *) pointer; __auto_type inferred = 1u;
long double ld = 0x1.8p3L; double _Complex z; unsigned __int128 wide; _Bool flag; __float128 q;
_Static_assert(sizeof(int) == 4, "int" " has 4");
__asm__("nop");
[[gnu::unused]] int attributed [[deprecated("x")]];
int f(int n, int a[static n], int [const *], ...);
