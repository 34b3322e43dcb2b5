import FireLiteSQLite

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
