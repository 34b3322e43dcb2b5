import FireLite

/// Mended JSON, and where each part of it was in the given text.
struct MendedText {
    private(set) var bytes: [UInt8] = []
    private var places: [(mended: Int, given: Int)] = []

    init(_ node: JSONNode) { append(node) }

    private mutating func append(_ node: JSONNode) {
        places.append((bytes.count, node.range.lowerBound))
        switch node.content {
        case .text(let text), .word(let text): bytes += text
        case .list(let items): append(items, open: "[", close: "]") { $0.append($1) }
        case .object(let members):
            append(members, open: "{", close: "}") {
                $0.places.append(($0.bytes.count, $1.offset))
                $0.bytes += Array(JSONText.string($1.name).utf8)
                $0.bytes.append(UInt8(ascii: ":"))
                $0.append($1.value)
            }
        }
    }

    private mutating func append<Part>(
        _ parts: [Part], open: Unicode.Scalar, close: Unicode.Scalar, body: (inout MendedText, Part) -> Void
    ) {
        bytes.append(UInt8(ascii: open))
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            body(&self, part)
        }
        bytes.append(UInt8(ascii: close))
    }

    /// A mistake in this text, as one in the given text.
    func given(_ error: FHIRDecodingError, in text: UnsafeBufferPointer<UInt8>) -> FHIRDecodingError {
        // The last place that is not after the mistake.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].mended <= error.offset { low = middle + 1 } else { high = middle }
        }
        let offset = low == 0 ? 0 : min(places[low - 1].given, text.count)
        let before = text[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return error.moved(line: line, column: offset - lineStart + 1, offset: offset)
    }
}
