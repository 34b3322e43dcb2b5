// Variadic functions and macros of SQLite's C API, which Swift cannot call, as plain functions. Include sqlite3.h first.

// Options of sqlite3_db_config (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html) that older headers lack.
#define FIRELITE_DBCONFIG_DEFENSIVE 1010
#define FIRELITE_DBCONFIG_DQS_DML 1013
#define FIRELITE_DBCONFIG_DQS_DDL 1014
#define FIRELITE_DBCONFIG_ENABLE_VIEW 1015
#define FIRELITE_DBCONFIG_TRUSTED_SCHEMA 1017

static inline int firelite_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// Reads the first bytes of the database file through the connection: opening the file again and closing it
// would drop the locks this process has on it (https://www.sqlite.org/howtocorrupt.html). A shorter file is padded with zeros.
static inline int firelite_read_start(sqlite3 *db, void *buffer, int count) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_NOTFOUND;
    return file->pMethods->xRead(file, buffer, count, 0);
}
