// The system's zlib, with which the tool reads compressed files.
#ifndef FIRELITE_CZLIB_SHIM_H
#define FIRELITE_CZLIB_SHIM_H

#include <zlib.h>

// A zlib macro, which Swift cannot call: reads only gzip (https://zlib.net/manual.html#Advanced).
static inline int firelite_inflate_init(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
