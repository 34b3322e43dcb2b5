#include "CFireLiteChecksumVFS.h"
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// SQLite has it since 3.48.
#ifndef SQLITE_IOCAP_SUBPAGE_READ
#define SQLITE_IOCAP_SUBPAGE_READ 0x00008000
#endif

typedef struct {
    sqlite3_file file;
    sqlite3_file *real;
    // The page size of a database file; 0 for other files, and until the pages are known to have checksums.
    int page_size;
    int is_database;
    int verifies;
    int mends;
    uint8_t *buffer;
    // What the file had at least when it was last looked at; a write beyond it may leave a gap.
    sqlite3_int64 end;
    // The pages that had no checksum when they were last read, a bit for each, and whether any page but the first had one.
    uint8_t *unchecked;
    sqlite3_int64 unchecked_bytes;
    int has_checked;
} checked_file;

#define CHECKED(file) ((checked_file *)(file))
#define REAL(file) (CHECKED(file)->real)

// Indexed by their kinds.
static sqlite3_vfs checksum_vfs[3];
static const char *const names[3] = {"firelite-checksums-unverified", "firelite-checksums", "firelite-checksums-mending"};

// Looked up each time, as a program may change the default.
static sqlite3_vfs *base(void) { return sqlite3_vfs_find(0); }

// MARK: - Checksums

// Eight at once, as a multiplication takes some cycles.
#define LANES 8

// Odd, so that no bit of a word is lost.
static const uint64_t factor = 0x9E3779B97F4A7C15u;

static inline uint64_t mixed(uint64_t lane, const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    lane = (lane ^ word) * factor;
    return lane ^ lane >> 32;
}

// Covers a page without its last eight bytes, and its number, so that swapped pages are noticed too. Never 0.
static uint64_t checksum(const uint8_t *page, int count, sqlite3_int64 number) {
    uint64_t lanes[LANES] = {(uint64_t)number, 1, 2, 3, 4, 5, 6, 7};
    int words = (count - FIRELITE_CHECKSUM_BYTES) / 8, word = 0;
    for (; word + LANES <= words; word += LANES)
        for (int lane = 0; lane < LANES; lane++) lanes[lane] = mixed(lanes[lane], page + 8 * (word + lane));
    for (int lane = 0; word < words; word++, lane++) lanes[lane] = mixed(lanes[lane], page + 8 * word);
    uint64_t sum = 0;
    for (int lane = 0; lane < LANES; lane++) {
        sum = (sum ^ lanes[lane]) * factor;
        sum ^= sum >> 29;
    }
    return sum ? sum : 1;
}

static uint64_t stored_checksum(const uint8_t *end) {
    uint64_t sum = 0;
    for (int index = 0; index < 8; index++) sum |= (uint64_t)end[index] << (8 * index);
    return sum;
}

static void store_checksum(uint8_t *end, uint64_t sum) {
    for (int index = 0; index < 8; index++) end[index] = (uint8_t)(sum >> (8 * index));
}

// MARK: - Pages

static int begin_checking(checked_file *checked, int page_size) {
    if (checked->page_size == page_size) return SQLITE_OK;
    free(checked->buffer);
    checked->buffer = page_size ? malloc((size_t)page_size) : 0;
    checked->page_size = checked->buffer ? page_size : 0;
    return page_size && !checked->buffer ? SQLITE_IOERR_NOMEM : SQLITE_OK;
}

// The offset in the header of the number of reserved bytes in each page (https://www.sqlite.org/fileformat2.html#the_database_header).
#define RESERVED 20

// The page size of a file with this beginning; 0 if it is not the beginning of a database.
static int page_size_of(const uint8_t *bytes, int count, sqlite3_int64 offset) {
    static const char magic[16] = "SQLite format 3";
    if (offset != 0 || count <= RESERVED || memcmp(bytes, magic, 16) != 0) return 0;
    int size = bytes[16] << 8 | bytes[17];
    if (size == 1) size = 65536;
    return size >= 512 && (size & (size - 1)) == 0 ? size : 0;
}

// Finds out from the beginning of a file whether its pages have checksums.
static int look_at_header(checked_file *checked, const uint8_t *bytes, int count, sqlite3_int64 offset) {
    int size = page_size_of(bytes, count, offset);
    if (!checked->is_database || !size) return SQLITE_OK;
    return begin_checking(checked, bytes[RESERVED] == FIRELITE_CHECKSUM_BYTES ? size : 0);
}

static int is_page(checked_file *checked, int count, sqlite3_int64 offset) {
    return checked->page_size && count == checked->page_size && offset % count == 0;
}

// Not SQLITE_IOERR_DATA, as such errors make SQLite end the whole transaction.
static int refuse(int count, sqlite3_int64 offset) {
    sqlite3_log(FIRELITE_CORRUPT_CHECKSUM, "page %lld is not what was written", offset / count + 1);
    return FIRELITE_CORRUPT_CHECKSUM;
}

// Whether a first page that says that there are no checksums has one, so that the page has changed.
static int lost_its_header(uint8_t *page, int count, sqlite3_int64 offset) {
    if (page_size_of(page, count, offset) != count || page[RESERVED] == FIRELITE_CHECKSUM_BYTES) return 0;
    uint64_t stored = stored_checksum(page + count - FIRELITE_CHECKSUM_BYTES);
    uint8_t reserved = page[RESERVED];
    page[RESERVED] = FIRELITE_CHECKSUM_BYTES;
    uint64_t sum = checksum(page, count, 1);
    page[RESERVED] = reserved;
    return stored == sum;
}

// If nothing is refused, restores the byte for checksums in a changed beginning of the file: otherwise SQLite would take the pages
// for longer than they are.
static void mend_header(checked_file *checked, uint8_t *bytes, int count, sqlite3_int64 offset) {
    int size = page_size_of(bytes, count, offset);
    if (checked->verifies || !size || bytes[RESERVED] == FIRELITE_CHECKSUM_BYTES) return;
    uint8_t *page = malloc((size_t)size);
    if (page && checked->real->pMethods->xRead(checked->real, page, size, 0) == SQLITE_OK && lost_its_header(page, size, 0))
        bytes[RESERVED] = FIRELITE_CHECKSUM_BYTES;
    free(page);
}

// MARK: - Damaged headers

#define HEADER 100

// Whether one of the first pages has a checksum that is right: 1, or -1 if all that have anything in its place have something else, or 0 if none has.
static int has_right_checksums(checked_file *checked, uint8_t *page, int size) {
    int found = 0;
    for (sqlite3_int64 number = 1; number <= 64; number++) {
        if (checked->real->pMethods->xRead(checked->real, page, size, (number - 1) * size) != SQLITE_OK) break;
        uint64_t stored = stored_checksum(page + size - FIRELITE_CHECKSUM_BYTES);
        if (stored && stored == checksum(page, size, number)) return 1;
        if (stored) found = -1;
    }
    return found;
}

// The size of the pages of a file whose header has lost it: SQLite's own, unless other pages have checksums.
static int lost_page_size(checked_file *checked, uint8_t *page) {
    for (int size = 512; size <= 65536; size *= 2)
        if (has_right_checksums(checked, page, size) > 0) return size;
    return 4096;
}

static int is_version(uint8_t byte) { return byte == 1 || byte == 2; }

// Gives the numbers of a header that decide how pages are read the values that this library writes
// (https://www.sqlite.org/fileformat2.html#the_database_header).
static void mend_numbers(checked_file *checked, uint8_t *bytes, int count, sqlite3_int64 offset) {
    if (!checked->mends || offset != 0 || count < HEADER || memcmp(bytes, "SQLite format 3", 16) != 0) return;
    uint8_t *page = malloc(65536);
    if (!page) return;
    int size = page_size_of(bytes, count, 0);
    if (!size) {
        size = lost_page_size(checked, page);
        bytes[16] = size == 65536 ? 0 : (uint8_t)(size >> 8);
        bytes[17] = size == 65536;
    }
    if (!is_version(bytes[18]) || !is_version(bytes[19]) || bytes[18] != bytes[19]) {
        int has_one = is_version(bytes[18]) != is_version(bytes[19]);
        bytes[18] = bytes[19] = has_one ? bytes[is_version(bytes[18]) ? 18 : 19] : 2;
    }
    int has_checksums = has_right_checksums(checked, page, size);
    if (has_checksums || bytes[RESERVED] != FIRELITE_CHECKSUM_BYTES) bytes[RESERVED] = has_checksums > 0 ? FIRELITE_CHECKSUM_BYTES : 0;
    free(page);
    bytes[21] = 64;
    bytes[22] = bytes[23] = 32;
    // Without a number of pages the size of the file counts.
    memset(bytes + 28, 0, 4);
    if (bytes[44] || bytes[45] || bytes[46] || bytes[47] < 1 || bytes[47] > 4) {
        memset(bytes + 44, 0, 3);
        bytes[47] = 4;
    }
    // The pages that only serve a vacuum are not needed for reading. Texts are UTF-8.
    memset(bytes + 52, 0, 7);
    bytes[59] = 1;
    memset(bytes + 64, 0, 4);
}

// A page that is only partly in the file; pages past the end of the file may be in the log.
static int is_cut_off(checked_file *checked, sqlite3_int64 offset) {
    sqlite3_int64 size = 0;
    return checked->real->pMethods->xFileSize(checked->real, &size) == SQLITE_OK && offset < size;
}

// Notes whether a page that was read has a checksum. Without memory for it, nothing is noted.
static void note_page(checked_file *checked, sqlite3_int64 number, int is_checked) {
    sqlite3_int64 byte = (number - 1) / 8;
    uint8_t bit = (uint8_t)(1 << (number - 1) % 8);
    if (is_checked) {
        // Opening the copy that another program has made writes its first page.
        if (number > 1) checked->has_checked = 1;
        if (byte < checked->unchecked_bytes) checked->unchecked[byte] &= (uint8_t)~bit;
        return;
    }
    if (byte >= checked->unchecked_bytes) {
        sqlite3_int64 bytes = (byte + 1) * 2;
        uint8_t *grown = realloc(checked->unchecked, (size_t)bytes);
        if (!grown) return;
        memset(grown + checked->unchecked_bytes, 0, (size_t)(bytes - checked->unchecked_bytes));
        checked->unchecked = grown;
        checked->unchecked_bytes = bytes;
    }
    checked->unchecked[byte] |= bit;
}

// The first page stays noted, as SQLite keeps it during a transaction and does not read it again.
static void forget_pages(checked_file *checked) {
    for (sqlite3_int64 byte = 0; byte < checked->unchecked_bytes; byte++) checked->unchecked[byte] &= byte == 0;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    checked_file *checked = CHECKED(file);
    int code = checked->real->pMethods->xRead(checked->real, bytes, count, offset);
    if (!checked->is_database) return code;
    if (code == SQLITE_IOERR_SHORT_READ && checked->verifies && is_page(checked, count, offset) && is_cut_off(checked, offset))
        return refuse(count, offset);
    if (code != SQLITE_OK) return code;
    mend_numbers(checked, bytes, count, offset);
    mend_header(checked, bytes, count, offset);
    code = look_at_header(checked, bytes, count, offset);
    if (code != SQLITE_OK) return code;
    if (checked->verifies && lost_its_header(bytes, count, offset)) return refuse(count, offset);
    if (!is_page(checked, count, offset)) return SQLITE_OK;
    uint8_t *end = (uint8_t *)bytes + count - FIRELITE_CHECKSUM_BYTES;
    uint64_t stored = stored_checksum(end);
    if (checked->verifies && stored != 0 && stored != checksum(bytes, count, offset / count + 1)) return refuse(count, offset);
    note_page(checked, offset / count + 1, stored != 0);
    memset(end, 0, FIRELITE_CHECKSUM_BYTES);
    return SQLITE_OK;
}

// MARK: - Gaps

// SQLite never writes a page that was free before it was in the file, so that the next page leaves a gap of zeros, which would look like pages whose
// content was lost. They get a checksum, too. The page that SQLite never uses, as some systems lock bytes in it, stays as it is
// (https://www.sqlite.org/fileformat2.html#the_lock_byte_page).
static int fill_gap(checked_file *checked, sqlite3_int64 offset) {
    sqlite3_int64 size = 0;
    int code = checked->real->pMethods->xFileSize(checked->real, &size);
    if (code != SQLITE_OK) return code;
    checked->end = size;
    for (size -= size % checked->page_size; size < offset; size += checked->page_size) {
        if (size <= FIRELITE_LOCK_BYTE && FIRELITE_LOCK_BYTE < size + checked->page_size) continue;
        // Only a part of it may be in the file.
        if (size < checked->end) continue;
        memset(checked->buffer, 0, (size_t)checked->page_size);
        sqlite3_int64 number = size / checked->page_size + 1;
        store_checksum(
            checked->buffer + checked->page_size - FIRELITE_CHECKSUM_BYTES, checksum(checked->buffer, checked->page_size, number));
        code = checked->real->pMethods->xWrite(checked->real, checked->buffer, checked->page_size, size);
        if (code != SQLITE_OK) return code;
    }
    if (checked->end < offset) checked->end = offset;
    return SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    checked_file *checked = CHECKED(file);
    int code = look_at_header(checked, bytes, count, offset);
    if (code != SQLITE_OK) return code;
    if (is_page(checked, count, offset)) {
        if (offset > checked->end) code = fill_gap(checked, offset);
        if (code != SQLITE_OK) return code;
        if (checked->end < offset + count) checked->end = offset + count;
        memcpy(checked->buffer, bytes, (size_t)count);
        store_checksum(checked->buffer + count - FIRELITE_CHECKSUM_BYTES, checksum(bytes, count, offset / count + 1));
        bytes = checked->buffer;
    }
    return checked->real->pMethods->xWrite(checked->real, bytes, count, offset);
}

// MARK: - Everything else

static int close_file(sqlite3_file *file) {
    int code = REAL(file)->pMethods->xClose(REAL(file));
    free(CHECKED(file)->buffer);
    free(CHECKED(file)->unchecked);
    free(REAL(file));
    return code;
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    checked_file *checked = CHECKED(file);
    // Truncating may make a file longer.
    if (checked->page_size && size > checked->end) {
        int code = fill_gap(checked, size);
        if (code != SQLITE_OK) return code;
    }
    if (checked->end > size) checked->end = size;
    return checked->real->pMethods->xTruncate(checked->real, size);
}
static int sync_file(sqlite3_file *file, int flags) { return REAL(file)->pMethods->xSync(REAL(file), flags); }
static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) { return REAL(file)->pMethods->xFileSize(REAL(file), size); }
static int lock_file(sqlite3_file *file, int level) {
    // Others may have truncated the file.
    CHECKED(file)->end = 0;
    return REAL(file)->pMethods->xLock(REAL(file), level);
}
static int unlock_file(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }
static int check_reserved(sqlite3_file *file, int *result) { return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result); }
static int control_file(sqlite3_file *file, int option, void *argument) {
    if (option == FIRELITE_FCNTL_CHECKSUM_PAGES)
        return CHECKED(file)->is_database ? begin_checking(CHECKED(file), *(int *)argument) : SQLITE_NOTFOUND;
    if (option == FIRELITE_FCNTL_UNCHECKED_PAGES) {
        firelite_unchecked_pages *pages = argument;
        *pages = (firelite_unchecked_pages){CHECKED(file)->unchecked, CHECKED(file)->unchecked_bytes, CHECKED(file)->has_checked};
        return SQLITE_OK;
    }
    if (option == FIRELITE_FCNTL_FORGET_PAGES) {
        forget_pages(CHECKED(file));
        return SQLITE_OK;
    }
    return REAL(file)->pMethods->xFileControl(REAL(file), option, argument);
}
static int sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int characteristics(sqlite3_file *file) {
    // Parts of pages cannot be checked, so SQLite must not read any.
    return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file)) & ~SQLITE_IOCAP_SUBPAGE_READ;
}
static int map_shm(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}
static int lock_shm(sqlite3_file *file, int offset, int count, int flags) {
    CHECKED(file)->end = 0;
    return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void barrier_shm(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int unmap_shm(sqlite3_file *file, int deletes) { return REAL(file)->pMethods->xShmUnmap(REAL(file), deletes); }

// Without the memory mapping of version 3, which would read pages unchecked.
static const sqlite3_io_methods shared_methods = {
    2, close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, unlock_file, check_reserved, control_file,
    sector_size, characteristics, map_shm, lock_shm, barrier_shm, unmap_shm, 0, 0,
};
static const sqlite3_io_methods plain_methods = {
    1, close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, unlock_file, check_reserved, control_file,
    sector_size, characteristics, 0, 0, 0, 0, 0, 0,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    sqlite3_vfs *system = base();
    checked_file *checked = CHECKED(file);
    memset(checked, 0, sizeof(checked_file));
    checked->real = calloc(1, (size_t)system->szOsFile);
    if (!checked->real) return SQLITE_NOMEM;
    int code = system->xOpen(system, path, checked->real, flags, out);
    if (code != SQLITE_OK) {
        // A file that has methods must be closed even if opening it failed.
        if (checked->real->pMethods) checked->real->pMethods->xClose(checked->real);
        free(checked->real);
        return code;
    }
    checked->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    checked->verifies = vfs == &checksum_vfs[FIRELITE_VERIFYING];
    checked->mends = vfs == &checksum_vfs[FIRELITE_MENDING];
    file->pMethods = checked->real->pMethods->iVersion > 1 ? &shared_methods : &plain_methods;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    sqlite3_vfs *system = base();
    return system->xDelete(system, path, syncs);
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    sqlite3_vfs *system = base();
    return system->xAccess(system, path, flags, result);
}

const char *firelite_checksum_vfs_register(int kind) {
    sqlite3_vfs *vfs = &checksum_vfs[kind];
    if (sqlite3_initialize() != SQLITE_OK || !base()) return 0;
    *vfs = *base();
    vfs->zName = names[kind];
    vfs->pNext = 0;
    vfs->szOsFile = (int)sizeof(checked_file);
    vfs->xOpen = open_file;
    vfs->xDelete = delete_file;
    vfs->xAccess = access_file;
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? vfs->zName : 0;
}
