import FireLiteCore

/// The JSON of a resource with the store's number of its version as `meta.versionId`, made from the JSON that the store writes, without an object.
///
/// That JSON has no white space, and its members are in the order of FHIR's definitions: `resourceType`, `id`, `meta`.
struct VersionedLine {
    /// The bytes of the line before what is put in.
    let head: Range<Int>
    let inset: String
    /// The bytes of the line after it. Those between the two are replaced.
    let tail: Range<Int>

    /// - Parameter line: the JSON and a line feed.
    /// - Returns: nil for a resource whose id, `meta` or version has an id or extensions, or whose id needs escapes: that needs an object.
    init?(_ line: UnsafeBufferPointer<UInt8>, version: Int64) {
        var scanner = Scanner(line)
        guard scanner.take("{\"resourceType\":"), scanner.takeString() else { return nil }
        if scanner.take(",\"id\":") { guard scanner.takeString() else { return nil } }
        guard !scanner.isAt(",\"_id\":") else { return nil }
        let member = "\"versionId\":\"\(version)\""
        guard scanner.take(",\"meta\":{") else {
            self.init(line, scanner.next..<scanner.next, ",\"meta\":{\(member)}")
            return
        }
        for name in ["\"id\":", "\"_id\":", "\"extension\":", "\"_versionId\":"] as [StaticString] where scanner.isAt(name) { return nil }
        let start = scanner.next
        guard scanner.take("\"versionId\":") else {
            self.init(line, start..<start, member + ",")
            return
        }
        guard scanner.takeString(), !scanner.isAt(",\"_versionId\":") else { return nil }
        self.init(line, start..<scanner.next, member)
    }

    private init(_ line: UnsafeBufferPointer<UInt8>, _ replaced: Range<Int>, _ text: String) {
        head = 0..<replaced.lowerBound
        inset = text
        tail = replaced.upperBound..<line.count
    }

    /// Goes through the beginning of a line.
    private struct Scanner {
        private let line: UnsafeBufferPointer<UInt8>
        private(set) var next = 0

        init(_ line: UnsafeBufferPointer<UInt8>) { self.line = line }

        func isAt(_ text: StaticString) -> Bool {
            guard let start = line.baseAddress, next + text.utf8CodeUnitCount <= line.count else { return false }
            return sameBytes(start + next, text.utf8Start, text.utf8CodeUnitCount)
        }

        mutating func take(_ text: StaticString) -> Bool {
            guard isAt(text) else { return false }
            next += text.utf8CodeUnitCount
            return true
        }

        /// Steps over a string without escapes; false if there is none.
        mutating func takeString() -> Bool {
            guard next < line.count, line[next] == UInt8(ascii: "\"") else { return false }
            var end = next + 1
            while end < line.count, line[end] != UInt8(ascii: "\"") {
                if line[end] == UInt8(ascii: "\\") { return false }
                end += 1
            }
            guard end < line.count else { return false }
            next = end + 1
            return true
        }
    }
}
