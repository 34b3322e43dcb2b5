import FireLiteSQLite

extension Connection {
    /// Adds an aggregate `name(integer)` that counts the distinct numbers, without the bits of a mask, in an ascending sequence; it is NULL if a
    /// number is less than the one before it. Unlike `count(DISTINCT …)` it needs no table of seen values, and no step of the statement for each
    /// row to remove the bits.
    ///
    /// - Throws: `SQLiteError`.
    public func addRunCounter(_ name: String, without mask: Int64) throws {
        let code = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, UnsafeMutableRawPointer(bitPattern: Int(mask)),
            nil,
            { context, _, arguments in
                guard let arguments, let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<RunCount>.size)) else { return }
                let run = memory.assumingMemoryBound(to: RunCount.self)
                let number = sqlite3_value_int64(arguments[0])
                if run.pointee.count == 0 { run.pointee.mask = Int64(Int(bitPattern: sqlite3_user_data(context))) }
                run.pointee.add(number)
            },
            { context in
                guard let memory = sqlite3_aggregate_context(context, 0) else { return sqlite3_result_int64(context, 0) }
                let run = memory.assumingMemoryBound(to: RunCount.self).pointee
                if run.isOutOfOrder { sqlite3_result_null(context) } else { sqlite3_result_int64(context, run.count) }
            }, nil)
        guard code == SQLITE_OK else { throw error(code, sql: nil) }
    }
}

/// The state of the aggregate. SQLite initializes its memory to zeros, which is a valid start.
private struct RunCount {
    var count: Int64
    var mask: Int64
    /// The numbers that count as the last one.
    var first: Int64
    var last: Int64
    var isOutOfOrder: Bool

    @inline(__always)
    mutating func add(_ number: Int64) {
        if count > 0, number <= last {
            if number < first { isOutOfOrder = true }
            return
        }
        (count, first, last) = (count + 1, number & ~mask, number | mask)
    }
}

extension Connection {
    /// Whether the file was moved, replaced or deleted since it was opened (`SQLITE_FCNTL_HAS_MOVED`,
    /// <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>): what is written then is lost. False for a database in memory.
    ///
    /// - Complexity: one call of the system.
    public var fileHasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// The number of pages that the connection has read from its file, as its cache did not have them.
    package var pagesRead: Int {
        var (count, peak): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &peak, 0)
        return Int(count)
    }
}

extension Connection {
    /// The number of steps that SQLite's virtual machine has taken for the compiled statements since the last call
    /// (`SQLITE_STMTSTATUS_VM_STEP`, <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>): the cost of a query, without a clock.
    public func takeMachineSteps() -> Int {
        var steps = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            steps += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_VM_STEP, 1))
            statement = sqlite3_next_stmt(handle, current)
        }
        return steps
    }
}
