/// Random numbers that are the same for the same seed, on every machine (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
struct SyntheticRandom: RandomNumberGenerator {
    private var state: UInt64
    /// The ids given so far.
    private(set) var ids: SyntheticIDSource

    init(seed: UInt64, ids: SyntheticIDSource = SyntheticIDSource(.uuids)) {
        state = seed
        self.ids = ids
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in the range, uniformly distributed.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        let width = UInt64(range.upperBound - range.lowerBound + 1)
        return range.lowerBound + Int(next().multipliedFullWidth(by: width).high)
    }

    /// True in `percent` of all cases.
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// One of the values, uniformly distributed.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    /// A number around `middle`, rarely further away than `spread`.
    mutating func around(_ middle: Int, _ spread: Int) -> Int {
        let sum = (0..<4).reduce(0) { sum, _ in sum + number(0...2_000) } - 4_000
        return middle + sum * spread / 4_000
    }

    /// The id of the next resource of a type. The numbers that follow are the same whatever the ids look like.
    mutating func id(_ type: String) -> String {
        let uuid = uuid()
        return ids.next(type, uuid)
    }

    /// A UUID in lower case.
    private mutating func uuid() -> String {
        let digits = Array("0123456789abcdef".utf8)
        var (high, low) = (next(), next())
        return String(unsafeUninitializedCapacity: 36) { buffer in
            for index in 0..<36 {
                switch index {
                case 8, 13, 18, 23: buffer[index] = UInt8(ascii: "-")
                case 14: buffer[index] = UInt8(ascii: "4")
                case 19: buffer[index] = digits[8 + Int(low & 3)]
                default:
                    buffer[index] = digits[Int(high & 15)]
                    high = high >> 4 | low << 60
                    low >>= 4
                }
            }
            return 36
        }
    }
}
