//! # Which header declares what
//! For those who forgot to include one: names of the libraries that programs with threads use.

/// The header that declares a function, a macro or a variable of the libraries.
pub(super) fn declared_by(name: &str) -> Option<&'static str> {
    Some(match name {
        "assert" | "static_assert" => "<assert.h>",
        "printf" | "fprintf" | "sprintf" | "snprintf" | "puts" | "putchar" | "fputs" | "fflush"
        | "scanf" | "fscanf" | "sscanf" | "getchar" | "fgets" | "fopen" | "fclose" | "fread"
        | "fwrite" | "perror" | "stdin" | "stdout" | "stderr" | "EOF" => "<stdio.h>",
        "malloc" | "calloc" | "realloc" | "free" | "abort" | "exit" | "atexit" | "rand"
        | "srand" | "random" | "abs" | "labs" | "atoi" | "atol" | "strtol" | "strtoul"
        | "qsort" | "getenv" | "EXIT_SUCCESS" | "EXIT_FAILURE" | "RAND_MAX" => "<stdlib.h>",
        "memcpy" | "memmove" | "memset" | "memcmp" | "memchr" | "strlen" | "strcmp" | "strncmp"
        | "strcpy" | "strncpy" | "strcat" | "strncat" | "strchr" | "strrchr" | "strstr"
        | "strdup" | "strerror" => "<string.h>",
        "isdigit" | "isalpha" | "isspace" | "isupper" | "islower" | "isalnum" | "toupper"
        | "tolower" => "<ctype.h>",
        "sleep" | "usleep" | "getpid" | "read" | "write" | "close" | "fork" => "<unistd.h>",
        "sched_yield" => "<sched.h>",
        "time" | "clock" | "nanosleep" | "clock_gettime" | "CLOCK_REALTIME" => "<time.h>",
        "errno" | "EBUSY" | "EINVAL" | "EAGAIN" | "ETIMEDOUT" | "EINTR" | "EDEADLK" | "ENOMEM"
        | "EPERM" => "<errno.h>",
        "INT_MAX" | "INT_MIN" | "UINT_MAX" | "LONG_MAX" | "LONG_MIN" | "ULONG_MAX" | "CHAR_BIT"
        | "CHAR_MAX" | "SHRT_MAX" | "LLONG_MAX" => "<limits.h>",
        "INT32_MAX" | "INT64_MAX" | "UINT32_MAX" | "UINT64_MAX" | "SIZE_MAX" => "<stdint.h>",
        "NULL" => "<stddef.h>",
        "true" | "false" => "<stdbool.h>",
        "call_once" | "thrd_success" | "thrd_error" | "thrd_busy" | "mtx_plain"
        | "mtx_recursive" => "<threads.h>",
        _ if name.starts_with("pthread_") || name.starts_with("PTHREAD_") => "<pthread.h>",
        _ if name.starts_with("sem_") => "<semaphore.h>",
        _ if name.starts_with("atomic_") || name.starts_with("ATOMIC_") => "<stdatomic.h>",
        _ if name.starts_with("memory_order_") => "<stdatomic.h>",
        _ if ["thrd_", "mtx_", "cnd_", "tss_"].iter().any(|family| name.starts_with(family)) => {
            "<threads.h>"
        }
        _ => return None,
    })
}
