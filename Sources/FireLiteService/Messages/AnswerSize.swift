import FireLiteCore

/// Counts the bytes of an answer while it is made, so that memory never holds one that is too long.
final class AnswerSize {
    private let limit: Int
    private(set) var bytes = 0

    /// - Parameter limit: the maximum number of bytes.
    init(limit: Int) { self.limit = limit }

    /// The number of bytes that the answer may still have.
    var left: Int { max(limit - bytes, 0) }

    /// Adds bytes.
    ///
    /// - Throws: `ServiceFault` with status 413 if the answer is too long then.
    func add(_ count: Int) throws {
        guard count <= left else {
            bytes = limit
            throw ServiceFault(413, "too-costly", "the answer is too long: ask for less at once, such as by _count or _elements")
        }
        bytes += count
    }
}
