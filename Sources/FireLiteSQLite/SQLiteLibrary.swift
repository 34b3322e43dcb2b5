// The C library that is linked: SQLite, or with the package's trait SQLCipher that one in its place.

#if SQLCipher && SystemSQLite
    #error(
        "SQLCipher and SQLite cannot both be linked, as they have the same functions: build with --traits SQLCipher, without the default")
#elseif SQLCipher
    @_exported import CFireLiteSQLCipher
#elseif SystemSQLite
    @_exported import CFireLiteSQLite
#else
    #error("no SQLite is linked: build with one of the traits SystemSQLite, which is the default, and SQLCipher")
#endif
