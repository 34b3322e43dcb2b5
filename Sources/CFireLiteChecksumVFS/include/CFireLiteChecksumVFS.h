// A VFS (https://www.sqlite.org/vfs.html) over the default one that keeps a checksum of each page of a database file in the last eight bytes
// of the page, and refuses to read a page with a wrong one.
//
// It handles files whose pages have eight reserved bytes (byte 20 of the file's header), and leaves all others alone. Eight zeros mean no
// checksum, and the page is read unchecked. SQLite itself never sees the checksums, only zeros instead of them, so that they
// are not in the write-ahead log, and pages that another program copies from there are not refused.
#ifndef FIRELITE_CCHECKSUMVFS_H
#define FIRELITE_CCHECKSUMVFS_H

// The number of bytes of a page reserved for its checksum.
#define FIRELITE_CHECKSUM_BYTES 8

// The byte that some systems lock; its page is never written.
#define FIRELITE_LOCK_BYTE 0x40000000

// The error for a page with a wrong checksum: an extended code of SQLITE_CORRUPT that SQLite does not use.
#define FIRELITE_CORRUPT_CHECKSUM 17931

// A file control (sqlite3_file_control): the argument points to an int, the size of the pages to write with a checksum.
// For a file whose first page is not written first.
#define FIRELITE_FCNTL_CHECKSUM_PAGES 0x46484952

// The pages without a checksum that a connection has read from the file.
typedef struct {
    // A bit for each page, from the lowest bit of the first byte on; set if the page had none when it was last read.
    const unsigned char *bits;
    long long bytes;
    // Whether any page that was read had one, the first not counted.
    int has_checked;
} firelite_unchecked_pages;

// A file control: the argument points to a firelite_unchecked_pages, whose bits are valid until the connection is used again.
#define FIRELITE_FCNTL_UNCHECKED_PAGES 0x46484953

// A file control without an argument: forgets the pages but the first.
#define FIRELITE_FCNTL_FORGET_PAGES 0x46484954

// The kinds of the VFS: it writes checksums and refuses no page; it refuses pages with a wrong checksum; or it refuses none, and reads the header of a
// damaged file, which nobody writes to, with the values that this library writes.
#define FIRELITE_UNVERIFYING 0
#define FIRELITE_VERIFYING 1
#define FIRELITE_MENDING 2

// Registers the VFS, not as the default one, and returns its name. Returns NULL if there is no memory. Call it once for each kind.
const char *firelite_checksum_vfs_register(int kind);

#endif
