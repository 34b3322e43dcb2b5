import FireLiteSQLite

extension Connection {
    /// An SQL function that compares two texts, with a number as option.
    public typealias TextFunction = @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, Int64) -> Bool

    /// Adds a function `name(text, text, integer)` for statements of this connection; it is NULL if an argument is.
    ///
    /// - Throws: `SQLiteError`.
    public func addTextFunction(_ name: String, _ body: @escaping TextFunction) throws {
        try add(name, arguments: 3, body: body) { context, _, arguments in
            guard let arguments, let body = FunctionBox<TextFunction>.body(context) else { return sqlite3_result_null(context) }
            guard let text = Connection.text(arguments[0]), let pattern = Connection.text(arguments[1]) else {
                return sqlite3_result_null(context)
            }
            sqlite3_result_int(context, body(text, pattern, sqlite3_value_int64(arguments[2])) ? 1 : 0)
        }
    }

    /// An SQL function that finds a part of a text by another text; nil for NULL.
    public typealias PartFunction = @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Range<Int>?

    /// Adds a function `name(text, text)` that returns a part of the first text; it is NULL if an argument is.
    ///
    /// - Throws: `SQLiteError`.
    public func addPartFunction(_ name: String, _ body: @escaping PartFunction) throws {
        try add(name, arguments: 2, body: body) { context, _, arguments in
            guard let arguments, let body = FunctionBox<PartFunction>.body(context), let text = Connection.text(arguments[0]),
                let other = Connection.text(arguments[1]), let part = body(text, other), let start = text.baseAddress
            else { return sqlite3_result_null(context) }
            let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            let bytes = UnsafeRawPointer(start + part.lowerBound).assumingMemoryBound(to: CChar.self)
            sqlite3_result_text64(context, bytes, UInt64(part.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    /// An SQL function from an integer to a text.
    public typealias NumberFunction = @Sendable (Int64) -> String

    /// Adds a function `name(integer)` that returns a text.
    ///
    /// - Throws: `SQLiteError`.
    public func addNumberFunction(_ name: String, _ body: @escaping NumberFunction) throws {
        try add(name, arguments: 1, body: body) { context, _, arguments in
            guard let arguments, let body = FunctionBox<NumberFunction>.body(context) else { return sqlite3_result_null(context) }
            var text = body(sqlite3_value_int64(arguments[0]))
            text.withUTF8 { bytes in
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                let empty: StaticString = ""
                let start = UnsafeRawPointer(bytes.baseAddress ?? empty.utf8Start).assumingMemoryBound(to: CChar.self)
                sqlite3_result_text64(context, start, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            }
        }
    }

    /// An SQL function from a text to an integer; nil for NULL.
    public typealias ReadingFunction = @Sendable (UnsafeBufferPointer<UInt8>) -> Int64?

    /// Adds a function `name(text)` that returns an integer; it is NULL if the argument is.
    ///
    /// - Throws: `SQLiteError`.
    public func addReadingFunction(_ name: String, _ body: @escaping ReadingFunction) throws {
        try add(name, arguments: 1, body: body) { context, _, arguments in
            guard let arguments, let body = FunctionBox<ReadingFunction>.body(context), let text = Connection.text(arguments[0]),
                let number = body(text)
            else { return sqlite3_result_null(context) }
            sqlite3_result_int64(context, number)
        }
    }

    /// An SQL function from a text and some numbers to a number; nil for NULL.
    public typealias TextReader = @Sendable (UnsafeBufferPointer<UInt8>, [Double?]) -> Double?

    /// Adds a function `name(text, number, …)` that returns a number; it is NULL if the text is.
    ///
    /// - Parameter numbers: how many numbers follow the text.
    /// - Throws: `SQLiteError`.
    public func addTextReader(_ name: String, numbers: Int32, _ body: @escaping TextReader) throws {
        try add(name, arguments: numbers + 1, body: body) { context, count, arguments in
            guard let arguments, let body = FunctionBox<TextReader>.body(context), let text = Connection.text(arguments[0]) else {
                return sqlite3_result_null(context)
            }
            let numbers = (1..<Int(count)).map { index in
                sqlite3_value_type(arguments[index]) == SQLITE_NULL ? nil : sqlite3_value_double(arguments[index])
            }
            guard let result = body(text, numbers) else { return sqlite3_result_null(context) }
            sqlite3_result_double(context, result)
        }
    }

    private typealias Call = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private func add<Body>(_ name: String, arguments: Int32, body: Body, call: @escaping Call) throws {
        let box = Unmanaged.passRetained(FunctionBox(body) as AnyObject).toOpaque()
        let code = sqlite3_create_function_v2(
            handle, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box, call, nil, nil,
            { box in if let box { Unmanaged<AnyObject>.fromOpaque(box).release() } })
        guard code == SQLITE_OK else { throw error(code, sql: nil) }
    }

    /// The bytes of a text; nil for NULL.
    private static func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

private final class FunctionBox<Body> {
    let body: Body
    init(_ body: Body) { self.body = body }

    /// The body of the called function.
    static func body(_ context: OpaquePointer?) -> Body? {
        sqlite3_user_data(context).map { Unmanaged<FunctionBox<Body>>.fromOpaque($0).takeUnretainedValue().body }
    }
}
