#include "CFireLiteCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>

// The structures curl_version_info_data, CURLMsg and curl_easyoption, as far as they are read.
struct version_info {
    int age;
    const char *version;
    unsigned int number;
    const char *host;
    int features;
};

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

struct option {
    const char *name;
    int id;
};

enum {
    minimum_version = 0x074400,
    global_all = 3,
    message_done = 1,
    info_request_size = 0x200000 + 12,
    info_system_error = 0x200000 + 25,
    info_pretransfer_time = 0x600000 + 53,
};

// Set once, before any other function is called.
static struct {
    int (*global_init)(long flags);
    const struct version_info *(*version_info)(int age);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *easy);
    int (*easy_setopt)(void *easy, int option, ...);
    int (*easy_getinfo)(void *easy, int info, ...);
    int (*easy_pause)(void *easy, int what);
    void *(*slist_append)(void *list, const char *line);
    void (*slist_free_all)(void *list);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *multi);
    int (*multi_add_handle)(void *multi, void *easy);
    int (*multi_remove_handle)(void *multi, void *easy);
    int (*multi_perform)(void *multi, int *running);
    int (*multi_poll)(void *multi, void *more, unsigned int count, int milliseconds, int *ready);
    int (*multi_wakeup)(void *multi);
    struct message *(*multi_info_read)(void *multi, int *left);
    const struct option *(*option_by_name)(const char *name);
} curl;

// ISO C has no cast from an object's address to a function's; POSIX writes it this way (dlsym).
#define FIND(function) ((*(void **)&curl.function = dlsym(handle, "curl_" #function)) != NULL)

int firelite_curl_load(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) { return 0; }
    if (FIND(global_init) && FIND(version_info) && FIND(easy_init) && FIND(easy_cleanup) && FIND(easy_setopt) && FIND(easy_getinfo)
        && FIND(easy_pause) && FIND(slist_append) && FIND(slist_free_all) && FIND(multi_init) && FIND(multi_cleanup) && FIND(multi_add_handle)
        && FIND(multi_remove_handle) && FIND(multi_perform) && FIND(multi_poll) && FIND(multi_wakeup) && FIND(multi_info_read)) {
        *(void **)&curl.option_by_name = dlsym(handle, "curl_easy_option_by_name");
        if (firelite_curl_version() >= minimum_version && curl.global_init(global_all) == 0) { return 1; }
    }
    dlclose(handle);
    return 0;
}

unsigned int firelite_curl_version(void) {
    const struct version_info *info = curl.version_info(0);
    return info == NULL ? 0 : info->number;
}

int firelite_curl_features(void) {
    const struct version_info *info = curl.version_info(0);
    return info == NULL ? 0 : info->features;
}

int firelite_curl_option(const char *name) {
    const struct option *found = curl.option_by_name == NULL ? NULL : curl.option_by_name(name);
    return found == NULL ? 0 : found->id;
}

// MARK: A transfer

void *firelite_curl_easy_init(void) { return curl.easy_init(); }

void firelite_curl_easy_cleanup(void *easy) { curl.easy_cleanup(easy); }

int firelite_curl_set_long(void *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }

int firelite_curl_set_text(void *easy, int option, const char *value) { return curl.easy_setopt(easy, option, value); }

int firelite_curl_set_pointer(void *easy, int option, void *value) { return curl.easy_setopt(easy, option, value); }

int firelite_curl_set_size(void *easy, int option, int64_t value) { return curl.easy_setopt(easy, option, value); }

// Programs that are started meanwhile do not get the socket.
static int close_in_programs(void *context, int descriptor, int purpose) {
    (void)context;
    (void)purpose;
    int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) { fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC); }
    return 0;
}

int firelite_curl_set_functions(
    void *easy, void *context, firelite_curl_data header, firelite_curl_data body, firelite_curl_data request, firelite_curl_seek seek) {
    int result = curl.easy_setopt(easy, FIRELITE_CURLOPT_HEADERFUNCTION, header);
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_HEADERDATA, context); }
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_WRITEFUNCTION, body); }
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_WRITEDATA, context); }
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_SOCKOPTFUNCTION, close_in_programs); }
    if (result != 0 || request == NULL) { return result; }
    result = curl.easy_setopt(easy, FIRELITE_CURLOPT_READFUNCTION, request);
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_READDATA, context); }
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_SEEKFUNCTION, seek); }
    if (result == 0) { result = curl.easy_setopt(easy, FIRELITE_CURLOPT_SEEKDATA, context); }
    return result;
}

int firelite_curl_resume(void *easy) { return curl.easy_pause(easy, 0); }

int firelite_curl_may_be_sent(void *easy) {
    long bytes = 0;
    int64_t microseconds = 0;
    // What cannot be asked for may have happened.
    if (curl.easy_getinfo(easy, info_request_size, &bytes) != 0) { return 1; }
    if (curl.easy_getinfo(easy, info_pretransfer_time, &microseconds) != 0) { return 1; }
    return bytes > 0 || microseconds > 0;
}

int firelite_curl_system_error(void *easy) {
    long number = 0;
    return curl.easy_getinfo(easy, info_system_error, &number) == 0 ? (int)number : 0;
}

void *firelite_curl_append(void *list, const char *line) { return curl.slist_append(list, line); }

void firelite_curl_free(void *list) { curl.slist_free_all(list); }

// MARK: Transfers at once

void *firelite_curl_multi_init(void) { return curl.multi_init(); }

void firelite_curl_multi_cleanup(void *multi) { curl.multi_cleanup(multi); }

int firelite_curl_multi_add(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }

int firelite_curl_multi_remove(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }

int firelite_curl_multi_perform(void *multi) {
    int running = 0;
    return curl.multi_perform(multi, &running);
}

int firelite_curl_multi_poll(void *multi, int milliseconds) {
    int ready = 0;
    return curl.multi_poll(multi, NULL, 0, milliseconds, &ready);
}

int firelite_curl_multi_wakeup(void *multi) { return curl.multi_wakeup(multi); }

void *firelite_curl_multi_ended(void *multi, int *result) {
    int left = 0;
    struct message *message;
    while ((message = curl.multi_info_read(multi, &left)) != NULL) {
        if (message->kind == message_done) {
            *result = message->data.result;
            return message->easy;
        }
    }
    return NULL;
}

void firelite_curl_block_broken_pipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}
