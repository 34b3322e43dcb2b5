/// Tables by the numbers that the store's `TableNumbers` gives them.
///
/// One word holds the first 64, so that the set of a commit seldom takes memory of its own.
struct TableSet: Sendable, Equatable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    init() {}

    mutating func insert(_ number: Int) {
        if number < 64 {
            low |= 1 << UInt64(number)
        } else {
            let word = number >> 6 - 1
            while high.count <= word { high.append(0) }
            high[word] |= 1 << UInt64(number & 63)
        }
    }

    func contains(_ number: Int) -> Bool {
        if number < 64 { return low & 1 << UInt64(number) != 0 }
        let word = number >> 6 - 1
        return word < high.count && high[word] & 1 << UInt64(number & 63) != 0
    }

    func isDisjoint(with other: TableSet) -> Bool {
        low & other.low == 0 && zip(high, other.high).allSatisfy { $0 & $1 == 0 }
    }

    /// Calls `body` with each number, in their order.
    func visit(_ body: (Int) -> Void) {
        Self.visit(in: low, from: 0, body)
        for (word, bits) in high.enumerated() { Self.visit(in: bits, from: (word + 1) << 6, body) }
    }

    private static func visit(in word: UInt64, from first: Int, _ body: (Int) -> Void) {
        var bits = word
        while bits != 0 {
            body(first + bits.trailingZeroBitCount)
            bits &= bits - 1
        }
    }
}
