typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern void reach_error(void);
int ready, data;
void *writer(void *unused)
{
    data = 1;
    ready = 1;
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (ready && !data)
        reach_error();
    return 0;
}
