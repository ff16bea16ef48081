// A recursive sum: each call gives one half to a new thread, does the other half itself, and joins.
// Written for Selvedge.
//
// The result of a half is in the record that its thread was given. The caller reads it after the
// join, so nothing is accessed at once.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>

static const int numbers[4] = { 3, 1, 4, 2 };

struct part {
    int from, to;           // which numbers: from the first up to, but not including, the second
    int sum;
};

static void *add_up(void *arg);

static int in_halves(int from, int to)
{
    int middle = (from + to) / 2;
    struct part low = { from, middle, 0 };
    struct part high = { middle, to, 0 };
    pthread_t helper;
    pthread_create(&helper, 0, add_up, &low);
    add_up(&high);
    pthread_join(helper, 0);
    return low.sum + high.sum;
}

static void *add_up(void *arg)
{
    struct part *part = arg;
    if (part->to - part->from == 1)
        part->sum = numbers[part->from];
    else
        part->sum = in_halves(part->from, part->to);
    return 0;
}

int main(void)
{
    struct part all = { 0, 4, 0 };
    add_up(&all);
    assert(all.sum == 10);
    return 0;
}
