// The C API of the system's SQLite. Variadic functions and macros, which Swift cannot call, get a plain function here.
#ifndef FIRELITE_CSQLITE_SHIM_H
#define FIRELITE_CSQLITE_SHIM_H

#include <sqlite3.h>

static inline int firelite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

#endif
