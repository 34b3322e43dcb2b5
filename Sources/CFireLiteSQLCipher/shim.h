// The C API of SQLCipher: SQLite's, and functions for keys (https://www.zetetic.net/sqlcipher/sqlcipher-api/).
#ifndef FIRELITE_CSQLCIPHER_SHIM_H
#define FIRELITE_CSQLCIPHER_SHIM_H

// The header declares the functions for keys where this is defined.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>
#include "../CFireLiteSQLite/functions.h"

// SQLCipher 3 has the API of SQLite 3.15. What is newer and used here, in its terms:

#if SQLITE_VERSION_NUMBER < 3020000
#define SQLITE_PREPARE_PERSISTENT 0x01

static inline int sqlite3_prepare_v3(
    sqlite3 *db, const char *sql, int length, unsigned int flags, sqlite3_stmt **statement, const char **tail) {
    return sqlite3_prepare_v2(db, sql, length, statement, tail);
}
#endif

#if SQLITE_VERSION_NUMBER < 3026000
// An option that a library does not know is refused, which does no harm.
#define SQLITE_DBCONFIG_DEFENSIVE 1010
#endif

#if SQLITE_VERSION_NUMBER < 3031000
static inline sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64 bytes) { return -1; }
#endif

#if SQLITE_VERSION_NUMBER < 3032000
// An option of files that a library does not know is not found, which is told.
#define SQLITE_FCNTL_RESERVE_BYTES 38
#endif

#if SQLITE_VERSION_NUMBER < 3037000
// Asked for after the opening, too.
#define SQLITE_OPEN_EXRESCODE 0

static inline sqlite3_int64 sqlite3_total_changes64(sqlite3 *db) { return sqlite3_total_changes(db); }
#endif

#endif
