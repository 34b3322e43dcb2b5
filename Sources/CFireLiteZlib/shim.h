// The system's zlib, which the tool reads compressed files with.
#ifndef FIRELITE_CZLIB_SHIM_H
#define FIRELITE_CZLIB_SHIM_H

#include <zlib.h>

// A macro of zlib's, which Swift cannot call: reads what gzip wrote, and nothing else (https://zlib.net/manual.html#Advanced).
static inline int firelite_inflate_init(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
