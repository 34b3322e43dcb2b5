// A VFS for tests (https://www.sqlite.org/vfs.html) over the system's own. For files of a watched folder it can fail calls and keeps a log of
// what was done to the disk; all other files go to the system's VFS untouched. It becomes the default VFS.
#ifndef FIRELITE_CFAULTVFS_H
#define FIRELITE_CFAULTVFS_H

#include <stdint.h>

typedef struct firelite_disk firelite_disk;

enum firelite_call {
    FIRELITE_READ, FIRELITE_WRITE, FIRELITE_SYNC, FIRELITE_TRUNCATE, FIRELITE_OPEN, FIRELITE_LOCK, FIRELITE_SHM_MAP, FIRELITE_DELETE,
    FIRELITE_FILE_SIZE, FIRELITE_ACCESS, FIRELITE_CALL_COUNT
};

enum firelite_event { FIRELITE_CREATED, FIRELITE_DELETED, FIRELITE_WRITTEN, FIRELITE_TRUNCATED, FIRELITE_SYNCED, FIRELITE_MARKED };

// One thing that was done: to the file with that number (a name that is made anew gets a new number), in the order it was done.
typedef struct {
    int event;
    int file;
    const char *name;     // the name within the folder
    int64_t offset;       // of a write; the new size of a truncation; the number of a mark
    const uint8_t *bytes; // of a write
    int64_t count;
    int syncs_folder;     // of a sync or deletion: whether the folder's names are synced too
} firelite_record;

// Watches the files of a folder from now on. NULL where there is no memory or no place.
firelite_disk *firelite_disk_watch(const char *folder);
// Ends it; no file of the folder may be open.
void firelite_disk_unwatch(firelite_disk *disk);

// Lets the n-th such call from now on fail with that code, and all after it where `lasting`. A code of 0 ends it.
void firelite_disk_fail(firelite_disk *disk, int call, int n, int code, int lasting);
// How many calls have failed since.
int firelite_disk_failures(firelite_disk *disk);

// Begins to keep the log.
void firelite_disk_record(firelite_disk *disk);
void firelite_disk_mark(firelite_disk *disk, int64_t number);
int firelite_disk_record_count(firelite_disk *disk);
firelite_record firelite_disk_record_at(firelite_disk *disk, int index);

#endif
