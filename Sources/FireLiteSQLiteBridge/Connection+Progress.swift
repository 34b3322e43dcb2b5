import FireLiteSQLite

extension Connection {
    /// Calls `check` every so many steps of SQLite's virtual machine while `body` runs; if it returns false, the running statement ends with
    /// `SQLITE_INTERRUPT` (<https://www.sqlite.org/c3ref/progress_handler.html>).
    public func withProgress<Value>(every steps: Int32, _ check: @escaping () -> Bool, _ body: () throws -> Value) rethrows -> Value {
        let box = ProgressBox(check)
        sqlite3_progress_handler(
            handle, steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ProgressBox>.fromOpaque(context).takeUnretainedValue().check() ? 0 : 1
            }, Unmanaged.passUnretained(box).toOpaque())
        defer {
            sqlite3_progress_handler(handle, 0, nil, nil)
            withExtendedLifetime(box) {}
        }
        return try body()
    }
}

private final class ProgressBox {
    let check: () -> Bool
    init(_ check: @escaping () -> Bool) { self.check = check }
}
