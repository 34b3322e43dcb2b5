// What is needed to call the system's libcurl after loading it at run time. Numbers and layouts are part of libcurl's binary interface, which has not
// changed since 2006 (https://curl.se/libcurl/abi.html).
#ifndef FIRELITE_CURL_H
#define FIRELITE_CURL_H

#include <stddef.h>
#include <stdint.h>

// Loads the library and returns 1, or 0 if it or one of its functions does not exist, or if it is older than 7.68, which brought curl_multi_wakeup.
// A loaded library is never unloaded. Call it once, before anything else here.
int firelite_curl_load(const char *library);

// The version as 0xMMmmpp, and the bits of what the library can do (https://curl.se/libcurl/c/curl_version_info.html).
unsigned int firelite_curl_version(void);
int firelite_curl_features(void);
enum {
    FIRELITE_CURL_FEATURE_TLS = 1 << 2,
    FIRELITE_CURL_FEATURE_ASYNCHRONOUS_DNS = 1 << 7,
    FIRELITE_CURL_FEATURE_HTTP2 = 1 << 16,
};

// The number that the library itself has for an option, by its name without CURLOPT_; 0 if it does not know it, or cannot say.
int firelite_curl_option(const char *name);

// Options of a transfer (https://curl.se/libcurl/c/curl_easy_setopt.html). 10000 is added for addresses, 20000 for functions, 30000 for sizes.
enum {
    FIRELITE_CURLOPT_WRITEDATA = 10001,
    FIRELITE_CURLOPT_URL = 10002,
    FIRELITE_CURLOPT_READDATA = 10009,
    FIRELITE_CURLOPT_WRITEFUNCTION = 20011,
    FIRELITE_CURLOPT_READFUNCTION = 20012,
    FIRELITE_CURLOPT_HTTPHEADER = 10023,
    FIRELITE_CURLOPT_HEADERDATA = 10029,
    FIRELITE_CURLOPT_CUSTOMREQUEST = 10036,
    FIRELITE_CURLOPT_NOBODY = 44,
    FIRELITE_CURLOPT_UPLOAD = 46,
    FIRELITE_CURLOPT_FOLLOWLOCATION = 52,
    FIRELITE_CURLOPT_SSL_VERIFYPEER = 64,
    FIRELITE_CURLOPT_FRESH_CONNECT = 74,
    FIRELITE_CURLOPT_HEADERFUNCTION = 20079,
    FIRELITE_CURLOPT_SSL_VERIFYHOST = 81,
    FIRELITE_CURLOPT_HTTP_VERSION = 84,
    FIRELITE_CURLOPT_NOSIGNAL = 99,
    FIRELITE_CURLOPT_ACCEPT_ENCODING = 10102,
    FIRELITE_CURLOPT_INFILESIZE_LARGE = 30115,
    FIRELITE_CURLOPT_SOCKOPTFUNCTION = 20148,
    FIRELITE_CURLOPT_SEEKFUNCTION = 20167,
    FIRELITE_CURLOPT_SEEKDATA = 10168,
    FIRELITE_CURLOPT_PROTOCOLS = 181,
    FIRELITE_CURLOPT_TCP_KEEPALIVE = 213,
    FIRELITE_CURLOPT_PATH_AS_IS = 234,
    FIRELITE_CURLOPT_PIPEWAIT = 237,
    FIRELITE_CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    FIRELITE_CURLOPT_DISALLOW_USERNAME_IN_URL = 278,
    FIRELITE_CURLOPT_MAXAGE_CONN = 288,
    FIRELITE_CURLOPT_QUICK_EXIT = 322,
};

// What the functions below return for success, and the failures of a transfer that have a meaning of their own here
// (https://curl.se/libcurl/c/libcurl-errors.html).
enum {
    FIRELITE_CURLE_OK = 0,
    FIRELITE_CURLE_UNSUPPORTED_PROTOCOL = 1,
    FIRELITE_CURLE_URL_MALFORMAT = 3,
    FIRELITE_CURLE_COULDNT_RESOLVE_PROXY = 5,
    FIRELITE_CURLE_COULDNT_RESOLVE_HOST = 6,
    FIRELITE_CURLE_COULDNT_CONNECT = 7,
    FIRELITE_CURLE_WEIRD_SERVER_REPLY = 8,
    FIRELITE_CURLE_OPERATION_TIMEDOUT = 28,
    FIRELITE_CURLE_SSL_CONNECT_ERROR = 35,
    FIRELITE_CURLE_SSL_CERTPROBLEM = 58,
    FIRELITE_CURLE_SSL_CIPHER = 59,
    FIRELITE_CURLE_PEER_FAILED_VERIFICATION = 60,
    FIRELITE_CURLE_BAD_CONTENT_ENCODING = 61,
    FIRELITE_CURLE_LOGIN_DENIED = 67,
    FIRELITE_CURLE_SSL_CACERT_BADFILE = 77,
    FIRELITE_CURLE_SSL_ISSUER_ERROR = 83,
    FIRELITE_CURLE_SSL_INVALIDCERTSTATUS = 91,
};

// What a function that takes bytes returns to have them again later; what one that gives bytes returns to end the transfer.
#define FIRELITE_CURL_PAUSE ((size_t)0x10000001)
#define FIRELITE_CURL_ABORT ((size_t)0x10000000)

typedef size_t (*firelite_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*firelite_curl_seek)(void *context, int64_t offset, int origin);

// MARK: A transfer

void *firelite_curl_easy_init(void);
void firelite_curl_easy_cleanup(void *easy);
int firelite_curl_set_long(void *easy, int option, long value);
int firelite_curl_set_text(void *easy, int option, const char *value);
int firelite_curl_set_pointer(void *easy, int option, void *value);
int firelite_curl_set_size(void *easy, int option, int64_t value);
// Sets the functions that get the header's lines and the body, and, unless it is null, the one that gives the request's body.
int firelite_curl_set_functions(
    void *easy, void *context, firelite_curl_data header, firelite_curl_data body, firelite_curl_data request, firelite_curl_seek seek);
// Lets a transfer go on that a function has paused. It may call that function.
int firelite_curl_resume(void *easy);
// Whether a byte of the request may have been sent.
int firelite_curl_may_be_sent(void *easy);
// The system's error of the last connection; 0 if there was none.
int firelite_curl_system_error(void *easy);

// A list of header fields; null for none. Returns null without memory, and the old list then is as it was.
void *firelite_curl_append(void *list, const char *line);
void firelite_curl_free(void *list);

// MARK: Transfers at once

void *firelite_curl_multi_init(void);
void firelite_curl_multi_cleanup(void *multi);
int firelite_curl_multi_add(void *multi, void *easy);
int firelite_curl_multi_remove(void *multi, void *easy);
int firelite_curl_multi_perform(void *multi);
// Waits until something can be done, for so long, or until wakeup, which any thread may call.
int firelite_curl_multi_poll(void *multi, int milliseconds);
int firelite_curl_multi_wakeup(void *multi);
// The next transfer that has ended, and its result; null if there is none.
void *firelite_curl_multi_ended(void *multi, int *result);

// Keeps the signal of a broken connection from this thread: OpenSSL writes to sockets without asking to be spared.
void firelite_curl_block_broken_pipe(void);

#endif
