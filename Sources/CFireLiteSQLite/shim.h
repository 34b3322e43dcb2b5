// The C API of the system's SQLite.
#ifndef FIRELITE_CSQLITE_SHIM_H
#define FIRELITE_CSQLITE_SHIM_H

#include <sqlite3.h>
#include "functions.h"

#endif
