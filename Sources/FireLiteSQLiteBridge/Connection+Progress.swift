import FireLiteSQLite

extension Connection {
    /// About a millisecond of SQLite's work, in steps of its virtual machine.
    public static let stepsBetweenChecks: Int32 = 10_000

    /// Calls `check` about every millisecond of SQLite's work while `body` runs; if it returns false, the running statement ends with
    /// `SQLITE_INTERRUPT` (<https://www.sqlite.org/c3ref/progress_handler.html>). A call inside another's body adds its check to the other's.
    public func withProgress<Value>(_ check: @escaping () -> Bool, _ body: () throws -> Value) rethrows -> Value {
        let outer = progress
        let box = ProgressBox { check() && outer?.check() ?? true }
        setProgress(box)
        defer { setProgress(outer) }
        return try body()
    }

    /// A connection has one handler.
    private func setProgress(_ box: ProgressBox?) {
        let old = progress
        progress = box
        guard let box else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            return withExtendedLifetime(old) {}
        }
        sqlite3_progress_handler(
            handle, Self.stepsBetweenChecks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ProgressBox>.fromOpaque(context).takeUnretainedValue().check() ? 0 : 1
            }, Unmanaged.passUnretained(box).toOpaque())
        withExtendedLifetime(old) {}
    }
}

/// What SQLite calls while a statement runs.
final class ProgressBox {
    let check: () -> Bool
    init(_ check: @escaping () -> Bool) { self.check = check }
}
