// The least that a client on libcurl's multi interface costs, as the baseline of curl-benchmarks:
//
//     curl-floor get URL REQUESTS IN-FLIGHT [http1|http2] [fresh]   small responses, each discarded
//     curl-floor down URL                                          one response, discarded
//     curl-floor up URL FILE                                       one PUT of a file
//
// It prints the seconds that it took. With `fresh`, each request has a new easy handle, as in CurlTransport with libcurl
// 7.84 to 8.0. Certificates are not verified.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};

static void *(*easy_init)(void);
static int (*easy_setopt)(void *, int, ...);
static void (*easy_cleanup)(void *);
static const char *(*easy_strerror)(int);
static void *(*multi_init)(void);
static int (*multi_setopt)(void *, int, ...);
static int (*multi_add)(void *, void *);
static int (*multi_remove)(void *, void *);
static int (*multi_act)(void *, int, int, int *);
static struct message *(*multi_info)(void *, int *);

static int poller;
static long timeout = -1;
static const char *url;
static int is_http2;

static size_t discard(char *data, size_t size, size_t count, void *context) { return size * count; }

static size_t read_file(char *data, size_t size, size_t count, void *file) { return fread(data, size, count, file); }

static int watch(void *easy, int descriptor, int interest, void *context, void *known) {
    struct epoll_event event = {
        .events = (interest & 1 ? EPOLLIN : 0) | (interest & 2 ? EPOLLOUT : 0), .data = {.fd = descriptor}};
    epoll_ctl(poller, interest == 4 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, descriptor, &event);
    if (interest != 4) epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    return 0;
}

static int set_timer(void *multi, long milliseconds, void *context) {
    timeout = milliseconds;
    return 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void *make(int buffer) {
    void *easy = easy_init();
    easy_setopt(easy, 10002, url);
    easy_setopt(easy, 20011, discard);
    easy_setopt(easy, 64, 0L);
    easy_setopt(easy, 81, 0L);
    easy_setopt(easy, 10004, "");
    easy_setopt(easy, 99, 1L);
    if (is_http2) easy_setopt(easy, 84, 4L), easy_setopt(easy, 237, 1L);
    if (buffer) easy_setopt(easy, 98, (long)buffer);
    return easy;
}

static void fail(const char *text) {
    fprintf(stderr, "curl-floor: %s\n", text);
    exit(1);
}

/// Runs a number of transfers; `reuse` keeps the handles of ended ones.
static void run(void *multi, void **handles, int in_flight, long count, int reuse) {
    long started = 0, ended = 0;
    int running, left;
    for (; started < in_flight && started < count; started++) multi_add(multi, handles[started]);
    while (ended < count) {
        struct epoll_event events[64];
        int found = timeout == 0 ? 0 : epoll_wait(poller, events, 64, timeout < 0 ? -1 : (int)timeout);
        if (found == 0) {
            timeout = -1;
            multi_act(multi, -1, 0, &running);
        }
        for (int index = 0; index < found; index++) {
            int mask = (events[index].events & (EPOLLIN | EPOLLHUP) ? 1 : 0)
                | (events[index].events & EPOLLOUT ? 2 : 0) | (events[index].events & EPOLLERR ? 4 : 0);
            multi_act(multi, events[index].data.fd, mask, &running);
        }
        struct message *message;
        while ((message = multi_info(multi, &left)) != NULL) {
            if (message->kind != 1) continue;
            void *easy = message->easy;
            if (message->data.code != 0) fail(easy_strerror(message->data.code));
            ended++;
            multi_remove(multi, easy);
            if (started == count) continue;
            started++;
            if (!reuse) {
                easy_cleanup(easy);
                easy = make(0);
            }
            multi_add(multi, easy);
        }
    }
}

int main(int count, char **words) {
    if (count < 3) fail("usage: curl-floor get|down|up URL ...");
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    if (library == NULL) fail(dlerror());
    *(void **)&easy_init = dlsym(library, "curl_easy_init");
    *(void **)&easy_setopt = dlsym(library, "curl_easy_setopt");
    *(void **)&easy_cleanup = dlsym(library, "curl_easy_cleanup");
    *(void **)&easy_strerror = dlsym(library, "curl_easy_strerror");
    *(void **)&multi_init = dlsym(library, "curl_multi_init");
    *(void **)&multi_setopt = dlsym(library, "curl_multi_setopt");
    *(void **)&multi_add = dlsym(library, "curl_multi_add_handle");
    *(void **)&multi_remove = dlsym(library, "curl_multi_remove_handle");
    *(void **)&multi_act = dlsym(library, "curl_multi_socket_action");
    *(void **)&multi_info = dlsym(library, "curl_multi_info_read");
    poller = epoll_create1(EPOLL_CLOEXEC);
    void *multi = multi_init();
    multi_setopt(multi, 20001, watch);
    multi_setopt(multi, 20004, set_timer);
    multi_setopt(multi, 3, 2L);
    multi_setopt(multi, 6, 1024L);
    url = words[2];
    long requests = 1;
    int in_flight = 1, reuse = 1;
    if (strcmp(words[1], "get") == 0 && count >= 5) {
        requests = atol(words[3]);
        in_flight = atoi(words[4]);
        for (int index = 5; index < count; index++) {
            if (strcmp(words[index], "http2") == 0) is_http2 = 1;
            if (strcmp(words[index], "fresh") == 0) reuse = 0;
        }
    }
    void **handles = malloc(in_flight * sizeof(void *));
    for (int index = 0; index < in_flight; index++) handles[index] = make(requests == 1 ? 512 << 10 : 0);
    FILE *file = NULL;
    if (strcmp(words[1], "up") == 0 && count >= 4) {
        struct stat status;
        file = fopen(words[3], "rb");
        if (file == NULL || stat(words[3], &status) != 0) fail("no such file");
        easy_setopt(handles[0], 46, 1L);
        easy_setopt(handles[0], 20012, read_file);
        easy_setopt(handles[0], 10009, file);
        easy_setopt(handles[0], 30115, (long)status.st_size);
        easy_setopt(handles[0], 280, 256L << 10);
    }
    // The first requests open the connections.
    if (requests > 1) run(multi, handles, in_flight, in_flight, 1);
    double start = now();
    run(multi, handles, in_flight, requests, reuse);
    printf("%.6f\n", now() - start);
    return 0;
}
