#ifndef CCURL_H
#define CCURL_H

// The variadic functions of libcurl, which Swift cannot call: on some architectures they pass their arguments in other
// registers than functions with a fixed signature. Each function here calls one through an address from `dlsym`, with
// one type of argument. The structures are the parts of libcurl's and zlib's ABI that are read or written.

#include <stddef.h>
#include <stdint.h>

/// The address of a C function of any type.
typedef void (*ccurl_address)(void);

/// `curl_write_callback`, which is also the type of header callbacks and of `curl_read_callback`.
typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *context);
/// `curl_seek_callback`; `origin` is `SEEK_SET`.
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
/// `curl_trailer_callback`.
typedef int (*ccurl_trailer_callback)(void **list, void *context);
/// `curl_prereq_callback`.
typedef int (*ccurl_request_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

/// The start of `struct curl_sockaddr`.
struct ccurl_socket_address {
    int family;
    int type;
    int protocol_number;
};

/// `curl_opensocket_callback`.
typedef int (*ccurl_open_callback)(void *context, int purpose, struct ccurl_socket_address *address);
/// `curl_closesocket_callback`.
typedef int (*ccurl_close_callback)(void *context, int descriptor);
/// `curl_debug_callback`; `kind` 0 is libcurl's own text, 5 a part of TLS that was received, such as a record's header.
typedef int (*ccurl_debug_callback)(void *easy, int kind, char *data, size_t count, void *context);

/// `curl_socket_callback`.
typedef int (*ccurl_socket_callback)(
    void *easy, int descriptor, int interest, void *context, void *descriptor_context);
/// `curl_multi_timer_callback`.
typedef int (*ccurl_timer_callback)(void *multi, long milliseconds, void *context);

/// `struct curl_blob`.
struct ccurl_blob {
    void *data;
    size_t count;
    /// 1 to copy the data.
    unsigned int flags;
};

/// `struct CURLMsg`.
struct ccurl_message {
    /// 1 (`CURLMSG_DONE`) when the transfer has ended.
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};

/// The start of `curl_version_info_data`, as of libcurl 7.10.
struct ccurl_version_info {
    int age;
    const char *version;
    unsigned int number;
    const char *host;
    int features;
};

int ccurl_easy_set_long(ccurl_address setopt, void *easy, int option, long value);
int ccurl_easy_set_int64(ccurl_address setopt, void *easy, int option, int64_t value);
int ccurl_easy_set_pointer(ccurl_address setopt, void *easy, int option, const void *value);
int ccurl_easy_set_data_callback(ccurl_address setopt, void *easy, int option, ccurl_data_callback callback);
int ccurl_easy_set_seek_callback(ccurl_address setopt, void *easy, int option, ccurl_seek_callback callback);
int ccurl_easy_set_request_callback(ccurl_address setopt, void *easy, int option, ccurl_request_callback callback);
int ccurl_easy_set_trailer_callback(ccurl_address setopt, void *easy, int option, ccurl_trailer_callback callback);
int ccurl_easy_set_open_callback(ccurl_address setopt, void *easy, int option, ccurl_open_callback callback);
int ccurl_easy_set_close_callback(ccurl_address setopt, void *easy, int option, ccurl_close_callback callback);
int ccurl_easy_set_debug_callback(ccurl_address setopt, void *easy, int option, ccurl_debug_callback callback);

int ccurl_easy_get_long(ccurl_address getinfo, void *easy, int info, long *value);
int ccurl_easy_get_int64(ccurl_address getinfo, void *easy, int info, int64_t *value);
int ccurl_easy_get_descriptor(ccurl_address getinfo, void *easy, int info, int *value);
int ccurl_easy_get_string(ccurl_address getinfo, void *easy, int info, const char **value);
int ccurl_easy_get_pointer(ccurl_address getinfo, void *easy, int info, void **value);

int ccurl_multi_set_long(ccurl_address setopt, void *multi, int option, long value);
int ccurl_multi_set_pointer(ccurl_address setopt, void *multi, int option, const void *value);
int ccurl_multi_set_socket_callback(ccurl_address setopt, void *multi, int option, ccurl_socket_callback callback);
int ccurl_multi_set_timer_callback(ccurl_address setopt, void *multi, int option, ccurl_timer_callback callback);
int ccurl_share_set_int(ccurl_address setopt, void *share, int option, int value);

/// 1 if bytes contain a text.
int ccurl_contains(const void *bytes, size_t count, const char *text);

/// `z_stream` of zlib.
struct ccurl_zlib_stream {
    const uint8_t *next_in;
    unsigned int available_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int available_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate;
    void *release;
    void *opaque;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
};

/// `ZSTD_inBuffer` of zstd.
struct ccurl_zstd_input {
    const void *data;
    size_t count;
    size_t position;
};

/// `ZSTD_outBuffer` of zstd.
struct ccurl_zstd_output {
    void *data;
    size_t count;
    size_t position;
};

/// Readiness of a descriptor: 1 to read, 2 to write, 4 for an error (`CURL_CSELECT_...`).
struct ccurl_readiness {
    int descriptor;
    int mask;
};

/// Makes an `epoll` descriptor, or returns -1.
int ccurl_make_poller(void);

/// Watches a descriptor for reading (1), writing (2), both (3), or no longer (0); `is_new` is 1 if it is not watched yet.
int ccurl_watch(int poller, int descriptor, int interest, int is_new);

/// Opens a socket that other programs do not inherit, or returns -1.
int ccurl_open_socket(int family, int type, int protocol_number);

/// Sends what a socket takes at once; returns the number of bytes, or -1.
ptrdiff_t ccurl_send_now(int descriptor, const void *bytes, size_t count);

/// Closes a socket, and puts one in its place whose other end is closed; returns -1 on failure.
int ccurl_retire(int descriptor);

/// Puts a socket without bytes to read in the place of a descriptor.
/// - `peer`: its other end, which receives what is written.
/// Returns a descriptor of the original socket, or -1 on failure.
int ccurl_hold(int descriptor, int *peer);

/// Sends to the original socket what was written to the one in its place; returns 0 if it has no room for all.
int ccurl_forward(int peer, int original);

/// Puts the original socket back, and closes its other descriptor.
void ccurl_put_back(int descriptor, int original);

/// Limits what the system receives for a socket ahead of its reader (`SO_RCVBUF`).
void ccurl_limit_receive_buffer(int descriptor, int bytes);

/// The number of segments with data that a TCP socket has sent (`TCP_INFO`); 0 if the system does not tell.
uint32_t ccurl_sent_segments(int descriptor);

/// Waits for descriptors that are ready, and returns their number.
int ccurl_wait(int poller, struct ccurl_readiness *ready, int capacity, int milliseconds);

/// Makes an event descriptor (`eventfd`), or returns -1.
int ccurl_make_event_descriptor(void);

/// Names the calling thread, with at most 15 characters, and blocks all signals in it.
void ccurl_prepare_thread(const char *name);

#endif
