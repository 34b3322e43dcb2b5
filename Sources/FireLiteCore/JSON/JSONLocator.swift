/// Finds line, column and FHIR path of offsets in a JSON text. Runs only when something is wrong, so that reading need not track them.
struct JSONLocator {
    private enum Level {
        case object(member: String)
        case array(index: Int)
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var levels: [Level] = []
    /// The last string whose end was searched, as many failures may be in one string.
    private var lastString = (start: -1, end: 0)
    private let root: String

    /// The failures as errors, located in one walk.
    static func errors(
        _ failures: [JSONFailure], in bytes: UnsafeBufferPointer<UInt8>, release: FHIRRelease, rootName: String?
    ) -> [FHIRDecodingError] {
        var locator = JSONLocator(bytes, release: release, rootName: rootName)
        var errors = [FHIRDecodingError?](repeating: nil, count: failures.count)
        for index in failures.indices.sorted(by: { failures[$0].offset < failures[$1].offset }) {
            let failure = failures[index]
            locator.advance(to: failure.offset)
            errors[index] = FHIRDecodingError(
                code: failure.code, line: locator.line, column: failure.offset - locator.lineStart + 1, offset: failure.offset,
                path: locator.path, expected: failure.expected, found: failure.found)
        }
        return errors.compactMap { $0 }
    }

    /// An error for a failure whose place is unknown.
    static func unlocated(_ failure: JSONFailure) -> FHIRDecodingError {
        FHIRDecodingError(
            code: failure.code, line: 1, column: 1, offset: failure.offset, path: "", expected: failure.expected, found: failure.found)
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, release: FHIRRelease, rootName: String?) {
        self.bytes = bytes
        // Only a name that the release has: any other may be a misplaced value.
        root = rootName ?? Self.resourceType(bytes).flatMap { release.hasResourceType(named: $0) ? $0 : nil } ?? ""
    }

    private var path: String {
        var path = root
        for level in levels {
            switch level {
            case .object(let member): if !member.isEmpty { path += path.isEmpty ? member : ".\(member)" }
            case .array(let index): path += "[\(index)]"
            }
        }
        return path
    }

    private mutating func advance(to offset: Int) {
        walk: while position < min(offset, bytes.count) {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "{"): levels.append(.object(member: ""))
            case UInt8(ascii: "["): levels.append(.array(index: 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","):
                if case .array(let index)? = levels.last { levels[levels.count - 1] = .array(index: index + 1) }
                if case .object? = levels.last { levels[levels.count - 1] = .object(member: "") }
            case UInt8(ascii: "\""):
                let end = stringEnd(from: position)
                // A place inside a string counts as its beginning, where the walk to the next failure continues.
                if end > offset { break walk }
                if case .object(let member)? = levels.last, member.isEmpty, end < bytes.count {
                    levels[levels.count - 1] = .object(member: Self.shown(name(at: position, end)))
                }
                position = end - 1
            case UInt8(ascii: "\n"):
                line += 1
                lineStart = position + 1
            default: break
            }
            position += 1
        }
        nameMember(at: offset)
    }

    /// A failure at a member's name belongs to that member.
    private mutating func nameMember(at offset: Int) {
        guard case .object(let member)? = levels.last, member.isEmpty, position == offset, position < bytes.count,
            bytes[position] == UInt8(ascii: "\"")
        else { return }
        let shown = Self.shown(name(at: position, stringEnd(from: position)))
        if !shown.isEmpty { levels[levels.count - 1] = .object(member: shown) }
    }

    private mutating func stringEnd(from quote: Int) -> Int {
        if lastString.start == quote { return lastString.end }
        var index = quote + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        lastString = (quote, min(index + 1, bytes.count))
        return lastString.end
    }

    /// The string there, if a colon follows: otherwise it may be a misplaced value.
    private func name(at quote: Int, _ end: Int) -> Slice<UnsafeBufferPointer<UInt8>> {
        let rest = bytes[end...].drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard rest.first == UInt8(ascii: ":") else { return bytes[quote..<quote] }
        return bytes[quote + 1..<max(end - 1, quote + 1)]
    }

    /// A member name, if it looks like a FHIR name.
    private static func shown(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let text = String(decoding: name, as: UTF8.self)
        return JSONReader.shown(text).hasPrefix("'") ? text : "?"
    }

    /// The resource type of the text, if it begins like a resource.
    private static func resourceType(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let key = Array("\"resourceType\"".utf8)
        var index = 0
        var depth = 0
        let limit = min(bytes.count, 1 << 16)
        while index < limit {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                var end = index + 1
                while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
                let isKey = depth == 1 && end - index + 1 == key.count && end < bytes.count && bytes[index...end].elementsEqual(key)
                if isKey {
                    let rest = bytes[(end + 1)...].prefix(80).split(separator: UInt8(ascii: "\""), maxSplits: 2)
                    guard rest.count > 1 else { return nil }
                    let text = String(decoding: rest[rest.startIndex + 1], as: UTF8.self)
                    return JSONReader.shown(text).hasPrefix("'") ? text : nil
                }
                index = end
            default: break
            }
            index += 1
        }
        return nil
    }
}
