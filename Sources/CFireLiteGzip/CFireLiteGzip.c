#include "CFireLiteGzip.h"

#include <dlfcn.h>
#include <stddef.h>

int firelite_zlib_load(const char *library, firelite_zlib *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) { return 0; }
    // ISO C has no cast from an object's address to a function's; POSIX writes it this way (dlsym).
    *(void **)&functions->inflate_init = dlsym(handle, "inflateInit2_");
    *(void **)&functions->inflate = dlsym(handle, "inflate");
    *(void **)&functions->inflate_reset = dlsym(handle, "inflateReset");
    *(void **)&functions->inflate_end = dlsym(handle, "inflateEnd");
    if (functions->inflate_init && functions->inflate && functions->inflate_reset && functions->inflate_end) { return 1; }
    dlclose(handle);
    return 0;
}

int firelite_zlib_begin(const firelite_zlib *functions, firelite_zlib_stream *stream) {
    // 15 bits of window, and 16 for gzip alone. zlib compares the version's first character and the size of the structure.
    return functions->inflate_init(stream, 15 + 16, "1", (int)sizeof(*stream));
}
