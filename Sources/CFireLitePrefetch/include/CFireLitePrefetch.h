#ifndef FIRELITE_PREFETCH_H
#define FIRELITE_PREFETCH_H

/// Has the processor load three lines of memory into its cache: an object and, most of the time, its slots, which are made right after it.
/// A hint, which changes nothing else, whatever the address.
static inline void firelite_prefetch(const void *address) {
    __builtin_prefetch(address);
    __builtin_prefetch((const char *)address + 64);
    __builtin_prefetch((const char *)address + 128);
}

#endif
