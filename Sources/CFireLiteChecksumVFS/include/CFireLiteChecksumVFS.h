// A VFS (https://www.sqlite.org/vfs.html) over the default one that keeps a checksum of each page of a database file in the last eight bytes
// of the page, and refuses to read a page that does not have its own.
//
// It is for files whose pages have eight reserved bytes (byte 20 of the file's header), and leaves all others as they are. Eight zeros are no
// checksum: what another program has written is read unchecked. SQLite itself never sees the checksums, only zeros in their place, so that they
// are not in the write-ahead log, and pages that another program copies from there are not refused.
#ifndef FIRELITE_CCHECKSUMVFS_H
#define FIRELITE_CCHECKSUMVFS_H

// How many bytes of a page are reserved for its checksum.
#define FIRELITE_CHECKSUM_BYTES 8

// The error for a page that does not have its own checksum: an extended code of SQLITE_CORRUPT that SQLite does not use.
#define FIRELITE_CORRUPT_CHECKSUM 17931

// A file control (sqlite3_file_control): the argument points to an int, the size of the pages that are going to be written with a checksum.
// For a file whose first page does not come first.
#define FIRELITE_FCNTL_CHECKSUM_PAGES 0x46484952

// Registers the VFS, not as the default one, and gives its name. Where it does not verify, checksums are written and no page is refused.
// NULL where there is no memory. To be called once for each kind.
const char *firelite_checksum_vfs_register(int verifies);

#endif
