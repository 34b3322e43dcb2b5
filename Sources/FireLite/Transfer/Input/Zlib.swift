import CFireLiteGzip

/// The system's zlib, loaded when the first compressed file is read, so that programs do not link it.
///
/// `@unchecked Sendable`: the addresses of functions never change; zlib's functions on separate streams are independent.
package struct Zlib: @unchecked Sendable {
    private var functions = firelite_zlib()

    /// The names of the library on Linux and on Apple platforms.
    private static let names = ["libz.so.1", "/usr/lib/libz.1.dylib", "libz.dylib"]
    private static let loaded = load(names)

    /// The system's library.
    ///
    /// - Throws: `TransferError.missingZlib`.
    package static func system() throws -> Zlib { try loaded.get() }

    /// Loads the first library that exists.
    static func load(_ names: [String]) -> Result<Zlib, TransferError> {
        var zlib = Zlib()
        for name in names where firelite_zlib_load(name, &zlib.functions) == 1 { return .success(zlib) }
        return .failure(
            TransferError(
                .missingZlib,
                "compressed files need the system's zlib (\(names[0])): install it (Debian, Ubuntu: apt-get install zlib1g) or unpack them"
            ))
    }

    // MARK: - Functions

    static let ok: Int32 = 0
    static let streamEnd: Int32 = 1
    /// There is no input or no room for output; not an error.
    static let noProgress: Int32 = -5

    func begin(_ stream: UnsafeMutablePointer<firelite_zlib_stream>) -> Int32 {
        withUnsafePointer(to: functions) { firelite_zlib_begin($0, stream) }
    }

    func inflate(_ stream: UnsafeMutablePointer<firelite_zlib_stream>) -> Int32 { functions.inflate(stream, 0) }

    func reset(_ stream: UnsafeMutablePointer<firelite_zlib_stream>) -> Int32 { functions.inflate_reset(stream) }

    func end(_ stream: UnsafeMutablePointer<firelite_zlib_stream>) -> Int32 { functions.inflate_end(stream) }
}
