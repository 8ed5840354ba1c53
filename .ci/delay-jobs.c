// Delays jobs of Swift's cooperative pool by chance, so that tests meet the orders of a slow machine.
//
//   clang -O1 -shared -fPIC .ci/delay-jobs.c -o delay-jobs.so
//   LD_PRELOAD=$PWD/delay-jobs.so PATCHBAY_DELAYED_JOBS=SEED swift test --skip-build
//
// Of 1,000 jobs, 20 wait up to 200 ms and one up to 2 s. Jobs of other executors are not delayed. A seed repeats the
// draws and not the run, since threads draw in any order.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct Job Job;
typedef __attribute__((swiftcall)) void (*Enqueue)(Job *);
typedef __attribute__((swiftcall)) void (*Hook)(Job *, Enqueue);

/// A job that waits, in the order of the times.
typedef struct Delayed {
    Job *job;
    Enqueue enqueue;
    int64_t due;
    struct Delayed *next;
} Delayed;

enum { millisecond = 1000000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Delayed *first;
static uint64_t state;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL * millisecond + time.tv_nsec;
}

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int64_t delay(void) {
    uint64_t roll = draw() % 1000;
    if (roll == 0) return draw() % (2000LL * millisecond);
    return roll <= 20 ? draw() % (200LL * millisecond) : 0;
}

/// Looks each millisecond, so that no lost wake-up of this file looks like one of a test.
static void *enqueueWhenDue(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        Delayed *due = first && first->due <= now() ? first : NULL;
        if (due) first = due->next;
        pthread_mutex_unlock(&lock);
        if (due) {
            due->enqueue(due->job);
            free(due);
        } else {
            nanosleep(&(struct timespec){0, millisecond}, NULL);
        }
    }
    return unused;
}

static void start(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, enqueueWhenDue, NULL) != 0) abort();
    pthread_detach(thread);
}

static __attribute__((swiftcall)) void enqueueLater(Job *job, Enqueue enqueue) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    int64_t wait = delay();
    if (wait > 0) {
        Delayed *delayed = malloc(sizeof *delayed);
        if (!delayed) abort();
        *delayed = (Delayed){job, enqueue, now() + wait, NULL};
        Delayed **place = &first;
        while (*place && (*place)->due <= delayed->due) place = &(*place)->next;
        delayed->next = *place;
        *place = delayed;
    }
    pthread_mutex_unlock(&lock);
    if (wait == 0) enqueue(job);
}

__attribute__((constructor)) static void install(void) {
    Hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    const char *seed = getenv("PATCHBAY_DELAYED_JOBS");
    if (!hook || !seed) return;
    state = strtoull(seed, NULL, 10) * 0x9E3779B97F4A7C15ULL | 1;
    for (int count = 0; count < 8; count++) draw();
    *hook = enqueueLater;
}
