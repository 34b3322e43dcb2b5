// Variadic functions and macros of SQLite's C API, which Swift cannot call, as plain functions. sqlite3.h has to be included before.

// Options of sqlite3_db_config (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html), which older headers do not have.
#define FIRELITE_DBCONFIG_DEFENSIVE 1010
#define FIRELITE_DBCONFIG_ENABLE_VIEW 1015
#define FIRELITE_DBCONFIG_TRUSTED_SCHEMA 1017

static inline int firelite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// Reads the first bytes of the database file as they are there, by way of the connection: to open the file once more and close it
// would drop the locks this process has on it (https://www.sqlite.org/howtocorrupt.html). Zeros follow where the file is shorter.
static inline int firelite_read_start(sqlite3 *db, void *buffer, int count) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_NOTFOUND;
    return file->pMethods->xRead(file, buffer, count, 0);
}
