// The C API of SQLCipher: SQLite's, and functions for keys (https://www.zetetic.net/sqlcipher/sqlcipher-api/).
#ifndef FIRELITE_CSQLCIPHER_SHIM_H
#define FIRELITE_CSQLCIPHER_SHIM_H

// The header declares the key functions if this is defined.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>
#include "../CFireLiteSQLite/functions.h"

// SQLCipher 3 has the API of SQLite 3.15. Newer functions used here, expressed in it:

#if SQLITE_VERSION_NUMBER < 3020000
#define SQLITE_PREPARE_PERSISTENT 0x01

static inline int sqlite3_prepare_v3(
    sqlite3 *db, const char *sql, int length, unsigned int flags, sqlite3_stmt **statement, const char **tail) {
    return sqlite3_prepare_v2(db, sql, length, statement, tail);
}
#endif

#if SQLITE_VERSION_NUMBER < 3026000
// A library refuses an option that it does not know, which does no harm.
#define SQLITE_DBCONFIG_DEFENSIVE 1010
#endif

#if SQLITE_VERSION_NUMBER < 3031000
static inline sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64 bytes) { return -1; }
#endif

#if SQLITE_VERSION_NUMBER < 3032000
// A file control that a library does not know returns "not found".
#define SQLITE_FCNTL_RESERVE_BYTES 38
#endif

#if SQLITE_VERSION_NUMBER < 3037000
// Also checked after opening.
#define SQLITE_OPEN_EXRESCODE 0

static inline sqlite3_int64 sqlite3_total_changes64(sqlite3 *db) { return sqlite3_total_changes(db); }
#endif

#endif
