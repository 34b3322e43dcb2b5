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
