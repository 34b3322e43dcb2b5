// What is needed to call the system's zlib after loading it at run time. The layout is part of zlib's binary interface.
#ifndef FIRELITE_GZIP_H
#define FIRELITE_GZIP_H

// The structure z_stream (https://zlib.net/manual.html#Stream).
typedef struct firelite_zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} firelite_zlib_stream;

// The addresses of zlib's functions. The last one is also the mark that they were found.
typedef struct firelite_zlib {
    int (*inflate_init)(firelite_zlib_stream *stream, int window_bits, const char *version, int stream_size);
    int (*inflate)(firelite_zlib_stream *stream, int flush);
    int (*inflate_reset)(firelite_zlib_stream *stream);
    int (*inflate_end)(firelite_zlib_stream *stream);
} firelite_zlib;

// Loads the library and returns 1, or 0 if it or one of its functions does not exist. A loaded library is never unloaded.
int firelite_zlib_load(const char *library, firelite_zlib *functions);

// Begins to unpack gzip (https://zlib.net/manual.html#Advanced, inflateInit2).
int firelite_zlib_begin(const firelite_zlib *functions, firelite_zlib_stream *stream);

#endif
