import FireLiteSQLite

extension Connection {
    /// The number of pages that the connection has read from its file, as its cache did not have them.
    package var pagesRead: Int {
        var (count, peak): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &peak, 0)
        return Int(count)
    }
}
