#ifndef FIRELITE_PREFETCH_H
#define FIRELITE_PREFETCH_H

/// Makes the processor load three cache lines: an object and, usually, its slots, which are allocated right after it.
/// Only a hint, without other effects, whatever the address.
static inline void firelite_prefetch(const void *address) {
    __builtin_prefetch(address);
    __builtin_prefetch((const char *)address + 64);
    __builtin_prefetch((const char *)address + 128);
}

/// The same for the beginning of a text, which few bytes precede.
static inline void firelite_prefetch_text(const void *address) {
    __builtin_prefetch(address);
    __builtin_prefetch((const char *)address + 64);
}

#endif
