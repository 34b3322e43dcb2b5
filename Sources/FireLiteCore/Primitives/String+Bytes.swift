extension String {
    /// Whether both have the same bytes, whereas `==` takes different forms of an accent for equal.
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                guard let first = mine.baseAddress, let second = theirs.baseAddress else { return true }
                return first == second || sameBytes(first, second, count)
            }
        }
        // A string of Foundation's on Apple's systems may be elsewhere.
        if case let isSame?? = isSame { return isSame }
        return utf8.elementsEqual(other.utf8)
    }
}

/// A text as a key: equal to another if their bytes are, whereas texts as keys are equal if a person would read the same.
package struct ExactText: Hashable, Sendable {
    package let text: String

    @inline(__always)
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

// Swift's own `replacing(_:with:)` and `split` go by characters: a quotation mark with an accent is another character than one without, and
// would not be found by what escapes quotation marks.
extension StringProtocol {
    /// The text with every occurrence of a part replaced, byte by byte; the text itself for an empty part.
    package func replacingBytes(_ part: String, with other: String) -> String {
        let parts = parts(separatedByBytes: part)
        return parts.count == 1 ? parts[0] : parts.joined(separator: other)
    }

    /// The parts between the occurrences of a separator, found byte by byte; the text itself for an empty separator.
    package func parts(separatedByBytes separator: String) -> [String] {
        let (bytes, wanted) = (Array(utf8), Array(separator.utf8))
        guard let first = wanted.first else { return [String(self)] }
        var parts: [String] = []
        var (start, index) = (0, 0)
        while index + wanted.count <= bytes.count {
            if bytes[index] == first, bytes[index..<(index + wanted.count)].elementsEqual(wanted) {
                parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
                index += wanted.count
                start = index
            } else {
                index += 1
            }
        }
        parts.append(String(decoding: bytes[start...], as: UTF8.self))
        return parts
    }
}

extension Dictionary where Key == ExactText {
    package subscript(text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }

    package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[ExactText(text), default: value()] }
        _modify { yield &self[ExactText(text), default: value()] }
    }
}

extension Set where Element == ExactText {
    package func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Inserts a text; returns whether it was not there.
    @discardableResult
    package mutating func insert(text: String) -> Bool { insert(ExactText(text)).inserted }
}
