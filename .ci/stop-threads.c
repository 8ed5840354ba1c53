// Stops threads by chance, between any two instructions, so that tests meet the orders that a busy machine may have.
//
//   clang -O1 -shared -fPIC .ci/stop-threads.c -o stop-threads.so
//   LD_PRELOAD=$PWD/stop-threads.so PATCHBAY_STOPPED_THREADS=SEED swift test --skip-build
//
// Every few milliseconds of processor time (four with 250 ticks a second), the thread that runs gets a signal. Of 2,000
// signals, 1,400 stop it for up to 20 ms and one for 3 s, while the others run. A seed repeats the draws and not the run.
// Linux, and only the program of the tests.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t draws;

static uint64_t draw(void) {
    uint64_t value = atomic_fetch_add(&draws, 0x9E3779B97F4A7C15ULL);
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
    return value ^ value >> 31;
}

static void stop(int signal) {
    (void)signal;
    int error = errno;
    uint64_t roll = draw() % 2000;
    long microseconds = roll == 0 ? 3000000 : roll <= 1400 ? draw() % 20000 : 0;
    struct timespec pause = {microseconds / 1000000, microseconds % 1000000 * 1000};
    if (microseconds > 0) nanosleep(&pause, NULL);
    errno = error;
}

__attribute__((constructor)) static void install(void) {
    char program[4096] = {0};
    const char *seed = getenv("PATCHBAY_STOPPED_THREADS");
    if (!seed || readlink("/proc/self/exe", program, sizeof program - 1) < 0) return;
    if (!strstr(program, "PackageTests.xctest")) return;
    draws = strtoull(seed, NULL, 10);
    // Calls that wait continue after the pause.
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    struct itimerval interval = {{0, 1000}, {0, 1000}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &interval, NULL);
}
