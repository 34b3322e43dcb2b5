import FireLiteCore

extension JSONItem {
    /// Reads UTF-8, with a byte order mark or without.
    ///
    /// - Throws: `SampleError.damaged` with the line.
    static func read(_ bytes: some Sequence<UInt8>, firstLine: Int = 1) throws -> JSONItem {
        var bytes = Array(bytes)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        do throws(JSONItemError) { return try JSONItemReader.read(bytes, line: firstLine) } catch {
            throw SampleError(.damaged, error.problem, line: error.line)
        }
    }
}
