import Foundation

/// A store's random numbers, from which the pks of resources without a stored one, and the key of content digests, are derived.
struct StoreIdentity: Sendable, Hashable {
    let high: UInt64
    let digestKey: UInt64

    /// An odd number, so that multiplication by it can be reversed.
    private static let factor: UInt64 = 0x2545_F491_4F6C_DD1D
    private static let inverse: UInt64 = {
        // Newton's iteration doubles the number of correct bits each time.
        var inverse = factor
        for _ in 0..<6 { inverse = inverse &* (2 &- factor &* inverse) }
        return inverse
    }()
    private static let mask: UInt64 = (1 << 62) - 1

    init(high: UInt64, digestKey: UInt64) {
        // The version digit of a UUID with a custom layout is 8 (RFC 9562, section 5.8).
        self.high = high & ~0xF000 | 0x8000
        self.digestKey = digestKey
    }

    /// The pk of the resource with this number, unless it has a stored one: a UUID derived from the store's number and the resource's.
    func pk(ofRoot root: Int64) -> String {
        let low = (UInt64(bitPattern: root) &* Self.factor) & Self.mask | 1 << 63
        return String(unsafeUninitializedCapacity: 36) { bytes in
            var place = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    bytes[place] = UInt8(ascii: "-")
                    place += 1
                }
                let word = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
                bytes[place] = digit < 10 ? digit + 48 : digit + 87
                place += 1
            }
            return place
        }
    }

    /// The number of the resource with this derived pk, or nil if it is not a derived pk.
    func root(ofPK pk: String) -> Int64? {
        var pk = pk
        guard let (high, low) = pk.withUTF8(Self.words), high == self.high, low >> 62 == 2 else { return nil }
        return Int64(bitPattern: ((low & Self.mask) &* Self.inverse) & Self.mask)
    }

    /// The 128 bits of a UUID in lower case with its hyphens; nil for other text.
    private static func words(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        guard bytes.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            if byte &- 48 < 10 {
                digit = byte - 48
            } else if byte &- 97 < 6 {
                digit = byte - 87
            } else {
                return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        return (high, low)
    }
}
