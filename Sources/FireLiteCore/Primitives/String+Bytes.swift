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
