#define _GNU_SOURCE
#include "CCurl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int (*variadic)(void *handle, int option, ...);

int ccurl_easy_set_long(ccurl_address setopt, void *easy, int option, long value) {
    return ((variadic)setopt)(easy, option, value);
}

int ccurl_easy_set_int64(ccurl_address setopt, void *easy, int option, int64_t value) {
    return ((variadic)setopt)(easy, option, value);
}

int ccurl_easy_set_pointer(ccurl_address setopt, void *easy, int option, const void *value) {
    return ((variadic)setopt)(easy, option, value);
}

int ccurl_easy_set_data_callback(ccurl_address setopt, void *easy, int option, ccurl_data_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_seek_callback(ccurl_address setopt, void *easy, int option, ccurl_seek_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_request_callback(ccurl_address setopt, void *easy, int option, ccurl_request_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_trailer_callback(ccurl_address setopt, void *easy, int option, ccurl_trailer_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_open_callback(ccurl_address setopt, void *easy, int option, ccurl_open_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_close_callback(ccurl_address setopt, void *easy, int option, ccurl_close_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_set_debug_callback(ccurl_address setopt, void *easy, int option, ccurl_debug_callback callback) {
    return ((variadic)setopt)(easy, option, callback);
}

int ccurl_easy_get_long(ccurl_address getinfo, void *easy, int info, long *value) {
    return ((variadic)getinfo)(easy, info, value);
}

int ccurl_easy_get_int64(ccurl_address getinfo, void *easy, int info, int64_t *value) {
    return ((variadic)getinfo)(easy, info, value);
}

int ccurl_easy_get_descriptor(ccurl_address getinfo, void *easy, int info, int *value) {
    return ((variadic)getinfo)(easy, info, value);
}

int ccurl_easy_get_string(ccurl_address getinfo, void *easy, int info, const char **value) {
    return ((variadic)getinfo)(easy, info, value);
}

int ccurl_easy_get_pointer(ccurl_address getinfo, void *easy, int info, void **value) {
    return ((variadic)getinfo)(easy, info, value);
}

int ccurl_multi_set_long(ccurl_address setopt, void *multi, int option, long value) {
    return ((variadic)setopt)(multi, option, value);
}

int ccurl_multi_set_pointer(ccurl_address setopt, void *multi, int option, const void *value) {
    return ((variadic)setopt)(multi, option, value);
}

int ccurl_multi_set_socket_callback(ccurl_address setopt, void *multi, int option, ccurl_socket_callback callback) {
    return ((variadic)setopt)(multi, option, callback);
}

int ccurl_multi_set_timer_callback(ccurl_address setopt, void *multi, int option, ccurl_timer_callback callback) {
    return ((variadic)setopt)(multi, option, callback);
}

int ccurl_share_set_int(ccurl_address setopt, void *share, int option, int value) {
    return ((variadic)setopt)(share, option, value);
}

int ccurl_contains(const void *bytes, size_t count, const char *text) {
    return memmem(bytes, count, text, strlen(text)) != NULL;
}

int ccurl_make_event_descriptor(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

void ccurl_prepare_thread(const char *name) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_setname_np(pthread_self(), name);
}

int ccurl_make_poller(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int ccurl_watch(int poller, int descriptor, int interest, int is_new) {
    struct epoll_event event = {
        .events = (interest & 1 ? EPOLLIN : 0) | (interest & 2 ? EPOLLOUT : 0),
        .data = {.fd = descriptor},
    };
    return epoll_ctl(
        poller, interest == 0 ? EPOLL_CTL_DEL : is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

int ccurl_open_socket(int family, int type, int protocol_number) {
    return socket(family, type | SOCK_CLOEXEC, protocol_number);
}

ptrdiff_t ccurl_send_now(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int ccurl_retire(int descriptor) {
    // A pair for each: the poller knows a socket until the last descriptor of it is closed.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    close(ends[1]);
    int result = dup3(ends[0], descriptor, O_CLOEXEC);
    close(ends[0]);
    return result;
}

int ccurl_hold(int descriptor, int *peer) {
    int ends[2];
    int original = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (original < 0) return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        close(original);
        return -1;
    }
    int result = dup3(ends[0], descriptor, O_CLOEXEC);
    close(ends[0]);
    if (result < 0) {
        close(ends[1]);
        close(original);
        return -1;
    }
    *peer = ends[1];
    return original;
}

int ccurl_forward(int peer, int original) {
    // Only what fits is taken, so that nothing has to be kept.
    char bytes[16 << 10];
    ssize_t count;
    while ((count = recv(peer, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT)) > 0) {
        ssize_t sent = send(original, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        // A failed connection takes all; libcurl finds the failure itself.
        if (sent < 0 && errno != EAGAIN && errno != EINTR) sent = count;
        if (sent <= 0) return 0;
        if (recv(peer, bytes, sent, MSG_DONTWAIT) != sent) return 0;
        if (sent < count) return 0;
    }
    return 1;
}

void ccurl_put_back(int descriptor, int original) {
    dup3(original, descriptor, O_CLOEXEC);
    close(original);
}

void ccurl_limit_receive_buffer(int descriptor, int bytes) {
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

uint32_t ccurl_sent_segments(int descriptor) {
    struct tcp_info info;
    socklen_t size = sizeof(info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    if (size < offsetof(struct tcp_info, tcpi_data_segs_out) + sizeof(info.tcpi_data_segs_out)) return 0;
    return info.tcpi_data_segs_out;
}

int ccurl_wait(int poller, struct ccurl_readiness *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, capacity < 64 ? capacity : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        unsigned int received = events[index].events;
        ready[index].descriptor = events[index].data.fd;
        ready[index].mask = (received & (EPOLLIN | EPOLLHUP) ? 1 : 0) | (received & EPOLLOUT ? 2 : 0)
            | (received & EPOLLERR ? 4 : 0);
    }
    return count < 0 ? 0 : count;
}
