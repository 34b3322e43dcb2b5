#include "CFaultVFS.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef SQLITE_OPEN_SUPER_JOURNAL
// Its name before SQLite 3.33.
#define SQLITE_OPEN_SUPER_JOURNAL SQLITE_OPEN_MASTER_JOURNAL
#endif

// The lock guards the list of folders and everything in them.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define MAXIMUM_DISKS 64
static firelite_disk *disks[MAXIMUM_DISKS];
static sqlite3_vfs *base;
static sqlite3_vfs shim;

struct firelite_disk {
    char *folder;
    size_t folder_length;
    int call, remaining, code, is_lasting, failures;
    int is_recording, file_count, record_count, record_capacity;
    firelite_record *records;
    // The number of the file that a name stands for now.
    struct { char *name; int file; } *names;
    int name_count;
};

typedef struct {
    sqlite3_file file;
    firelite_disk *disk;
    char *name;
    int number;
    int syncs_folder; // as the first sync of a new journal does
    sqlite3_file *real;
} watched_file;

// MARK: - Folders

static firelite_disk *disk_of(const char *path) {
    firelite_disk *found = 0;
    if (!path) return 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAXIMUM_DISKS && !found; i++) {
        firelite_disk *disk = disks[i];
        if (disk && strncmp(disk->folder, path, disk->folder_length) == 0 && path[disk->folder_length] == '/') found = disk;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static int failure(firelite_disk *disk, int call) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&lock);
    if (disk->code && disk->call == call && (--disk->remaining == 0 || (disk->remaining < 0 && disk->is_lasting))) {
        code = disk->code;
        disk->failures++;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static void add_record(firelite_disk *disk, firelite_record record) {
    pthread_mutex_lock(&lock);
    if (disk->is_recording) {
        if (disk->record_count == disk->record_capacity) {
            disk->record_capacity = disk->record_capacity ? disk->record_capacity * 2 : 1024;
            disk->records = realloc(disk->records, sizeof(firelite_record) * (size_t)disk->record_capacity);
        }
        record.name = strdup(record.name);
        if (record.bytes) {
            uint8_t *copy = malloc((size_t)record.count + 1);
            memcpy(copy, record.bytes, (size_t)record.count);
            record.bytes = copy;
        }
        disk->records[disk->record_count++] = record;
    }
    pthread_mutex_unlock(&lock);
}

static int file_number(firelite_disk *disk, const char *name, int is_new) {
    int number = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < disk->name_count; i++)
        if (strcmp(disk->names[i].name, name) == 0) {
            if (is_new) disk->names[i].file = disk->file_count++;
            number = disk->names[i].file;
        }
    if (number < 0) {
        disk->names = realloc(disk->names, sizeof(*disk->names) * (size_t)(disk->name_count + 1));
        disk->names[disk->name_count].name = strdup(name);
        number = disk->names[disk->name_count++].file = disk->file_count++;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

/// Whether a file of that name has a number.
static int is_known(firelite_disk *disk, const char *name) {
    int is_known = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < disk->name_count; i++)
        if (strcmp(disk->names[i].name, name) == 0) is_known = 1;
    pthread_mutex_unlock(&lock);
    return is_known;
}

// MARK: - Files

#define WATCHED(file) ((watched_file *)(file))
#define REAL(file) (WATCHED(file)->real)
#define FAIL(file, call) do { int failed = failure(WATCHED(file)->disk, call); if (failed) return failed; } while (0)

static int close_file(sqlite3_file *file) {
    int code = REAL(file)->pMethods->xClose(REAL(file));
    free(WATCHED(file)->name);
    return code;
}
static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    FAIL(file, FIRELITE_READ);
    return REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}
static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    FAIL(file, FIRELITE_WRITE);
    int code = REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
    if (code == SQLITE_OK)
        add_record(WATCHED(file)->disk, (firelite_record){FIRELITE_WRITTEN, WATCHED(file)->number, WATCHED(file)->name, offset, bytes, count, 0});
    return code;
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    FAIL(file, FIRELITE_TRUNCATE);
    int code = REAL(file)->pMethods->xTruncate(REAL(file), size);
    if (code == SQLITE_OK)
        add_record(WATCHED(file)->disk, (firelite_record){FIRELITE_TRUNCATED, WATCHED(file)->number, WATCHED(file)->name, size, 0, 0, 0});
    return code;
}
static int sync_file(sqlite3_file *file, int flags) {
    FAIL(file, FIRELITE_SYNC);
    // The system's own sync is left out: the log says what would be on the disk, and nothing else here outlives the process.
    (void)flags;
    add_record(WATCHED(file)->disk,
        (firelite_record){FIRELITE_SYNCED, WATCHED(file)->number, WATCHED(file)->name, 0, 0, 0, WATCHED(file)->syncs_folder});
    WATCHED(file)->syncs_folder = 0;
    return SQLITE_OK;
}
static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL(file, FIRELITE_FILE_SIZE);
    return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int lock_file(sqlite3_file *file, int level) {
    FAIL(file, FIRELITE_LOCK);
    return REAL(file)->pMethods->xLock(REAL(file), level);
}
static int unlock_file(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }
static int check_reserved(sqlite3_file *file, int *result) { return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result); }
static int control_file(sqlite3_file *file, int option, void *argument) {
    return REAL(file)->pMethods->xFileControl(REAL(file), option, argument);
}
static int sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int characteristics(sqlite3_file *file) { return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file)); }
static int map_shm(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    FAIL(file, FIRELITE_SHM_MAP);
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}
static int lock_shm(sqlite3_file *file, int offset, int count, int flags) {
    if (!(flags & SQLITE_SHM_UNLOCK)) FAIL(file, FIRELITE_LOCK);
    return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}
static void barrier_shm(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int unmap_shm(sqlite3_file *file, int deletes) { return REAL(file)->pMethods->xShmUnmap(REAL(file), deletes); }

static const sqlite3_io_methods methods = {
    2, close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, unlock_file, check_reserved, control_file,
    sector_size, characteristics, map_shm, lock_shm, barrier_shm, unmap_shm, 0, 0,
};

// MARK: - The VFS

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    firelite_disk *disk = disk_of(path);
    (void)vfs;
    if (!disk) return base->xOpen(base, path, file, flags, out);
    file->pMethods = 0;
    int code = failure(disk, FIRELITE_OPEN);
    if (code) return code;
    // Not xAccess, for which an empty file does not exist: a second connection opens the empty log of the first. A file that was made
    // without this VFS is new to the records.
    struct stat status;
    int exists = stat(path, &status) == 0 && is_known(disk, path + disk->folder_length + 1);
    watched_file *watched = WATCHED(file);
    watched->disk = disk;
    watched->real = (sqlite3_file *)(watched + 1);
    code = base->xOpen(base, path, watched->real, flags, out);
    if (code) return code;
    int is_new = !exists && (flags & SQLITE_OPEN_CREATE);
    watched->name = strdup(path + disk->folder_length + 1);
    watched->number = file_number(disk, watched->name, is_new);
    // As SQLite does it on Unix: each handle that may create a journal or log, whether it was the one that did.
    watched->syncs_folder = (flags & SQLITE_OPEN_CREATE)
        && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0;
    if (is_new) add_record(disk, (firelite_record){FIRELITE_CREATED, watched->number, watched->name, 0, 0, 0, 0});
    file->pMethods = &methods;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
    firelite_disk *disk = disk_of(path);
    (void)vfs;
    if (disk) {
        int code = failure(disk, FIRELITE_DELETE);
        if (code) return code;
    }
    int code = base->xDelete(base, path, syncs);
    if (disk && code == SQLITE_OK) {
        const char *name = path + disk->folder_length + 1;
        add_record(disk, (firelite_record){FIRELITE_DELETED, file_number(disk, name, 0), name, 0, 0, 0, syncs});
    }
    return code;
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    firelite_disk *disk = disk_of(path);
    (void)vfs;
    if (disk) {
        int code = failure(disk, FIRELITE_ACCESS);
        if (code) return code;
    }
    return base->xAccess(base, path, flags, result);
}

static void install(void) {
    sqlite3_initialize();
    base = sqlite3_vfs_find(0);
    shim = *base;
    shim.zName = "firelite-faults";
    shim.pNext = 0;
    shim.szOsFile = base->szOsFile + (int)sizeof(watched_file);
    shim.xOpen = open_file;
    shim.xDelete = delete_file;
    shim.xAccess = access_file;
    sqlite3_vfs_register(&shim, 1);
}

// MARK: - For tests

firelite_disk *firelite_disk_watch(const char *folder) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    firelite_disk *disk = calloc(1, sizeof(firelite_disk));
    if (!disk) return 0;
    disk->folder = realpath(folder, 0);
    if (!disk->folder) { free(disk); return 0; }
    disk->folder_length = strlen(disk->folder);
    int place = 0;
    pthread_mutex_lock(&lock);
    while (place < MAXIMUM_DISKS && disks[place]) place++;
    if (place < MAXIMUM_DISKS) disks[place] = disk;
    pthread_mutex_unlock(&lock);
    return place < MAXIMUM_DISKS ? disk : 0;
}

void firelite_disk_unwatch(firelite_disk *disk) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAXIMUM_DISKS; i++) if (disks[i] == disk) disks[i] = 0;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < disk->record_count; i++) {
        free((void *)disk->records[i].name);
        free((void *)disk->records[i].bytes);
    }
    for (int i = 0; i < disk->name_count; i++) free(disk->names[i].name);
    free(disk->names);
    free(disk->records);
    free(disk->folder);
    free(disk);
}

void firelite_disk_fail(firelite_disk *disk, int call, int n, int code, int lasting) {
    pthread_mutex_lock(&lock);
    disk->call = call;
    disk->remaining = n;
    disk->code = code;
    disk->is_lasting = lasting;
    disk->failures = 0;
    pthread_mutex_unlock(&lock);
}

int firelite_disk_failures(firelite_disk *disk) {
    pthread_mutex_lock(&lock);
    int failures = disk->failures;
    pthread_mutex_unlock(&lock);
    return failures;
}

void firelite_disk_record(firelite_disk *disk) { disk->is_recording = 1; }
void firelite_disk_mark(firelite_disk *disk, int64_t number) {
    add_record(disk, (firelite_record){FIRELITE_MARKED, -1, "", number, 0, 0, 0});
}
int firelite_disk_record_count(firelite_disk *disk) { return disk->record_count; }
firelite_record firelite_disk_record_at(firelite_disk *disk, int index) { return disk->records[index]; }
