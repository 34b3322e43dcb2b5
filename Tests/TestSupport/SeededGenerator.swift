/// A random number generator that gives the same numbers for the same seed (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A whole number of the range.
    public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True so often out of a hundred times.
    public mutating func percent(_ chance: Int) -> Bool { int(0...99) < chance }

    /// One of the items.
    ///
    /// - Precondition: there is one.
    public mutating func pick<Item>(_ items: [Item]) -> Item { items[int(0...items.count - 1)] }
}

/// What a test threw, and the seed that made it.
public struct SeedFailure: Error, CustomStringConvertible {
    public let seed: UInt64
    public let error: any Error
    public var description: String { "seed \(seed): \(error)" }
}

/// Runs `body` with each seed; what it throws comes out with the seed. Use `try #require` in the body, which throws.
public func withEvery(_ seeds: Range<UInt64>, _ body: (UInt64) throws -> Void) throws {
    for seed in seeds {
        do {
            try body(seed)
        } catch {
            throw SeedFailure(seed: seed, error: error)
        }
    }
}
