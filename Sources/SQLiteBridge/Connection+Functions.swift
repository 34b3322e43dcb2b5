import SQLiteLibrary

extension Connection {
    /// A function of SQL that tells of two texts and a number whether they match.
    public typealias TextFunction = @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, Int64) -> Bool

    /// Adds a function `name(text, text, integer)` for statements of this connection; it is NULL where an argument is.
    ///
    /// - Throws: `SQLiteError`.
    public func addTextFunction(_ name: String, _ body: @escaping TextFunction) throws {
        let box = Unmanaged.passRetained(TextFunctionBox(body)).toOpaque()
        let code = sqlite3_create_function_v2(
            handle, name, 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box,
            { context, _, arguments in
                guard let arguments, let box = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
                guard sqlite3_value_type(arguments[0]) != SQLITE_NULL, sqlite3_value_type(arguments[1]) != SQLITE_NULL else {
                    return sqlite3_result_null(context)
                }
                let body = Unmanaged<TextFunctionBox>.fromOpaque(box).takeUnretainedValue().body
                let text = UnsafeBufferPointer(start: sqlite3_value_text(arguments[0]), count: Int(sqlite3_value_bytes(arguments[0])))
                let pattern = UnsafeBufferPointer(start: sqlite3_value_text(arguments[1]), count: Int(sqlite3_value_bytes(arguments[1])))
                sqlite3_result_int(context, body(text, pattern, sqlite3_value_int64(arguments[2])) ? 1 : 0)
            },
            nil, nil, { box in if let box { Unmanaged<TextFunctionBox>.fromOpaque(box).release() } })
        guard code == SQLITE_OK else { throw error(code, sql: nil) }
    }
}

private final class TextFunctionBox: Sendable {
    let body: Connection.TextFunction
    init(_ body: @escaping Connection.TextFunction) { self.body = body }
}
