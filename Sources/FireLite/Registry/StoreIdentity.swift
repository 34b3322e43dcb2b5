import Foundation

/// A store's own random numbers: from them come the pks of resources that were given none, and the key of content digests.
struct StoreIdentity: Sendable, Equatable {
    let high: UInt64
    let digestKey: UInt64

    /// An odd number, so that multiplying by it can be undone.
    private static let factor: UInt64 = 0x2545_F491_4F6C_DD1D
    private static let inverse: UInt64 = {
        // Newton's iteration doubles the number of right bits each time.
        var inverse = factor
        for _ in 0..<6 { inverse = inverse &* (2 &- factor &* inverse) }
        return inverse
    }()
    private static let mask: UInt64 = (1 << 62) - 1

    init(high: UInt64, digestKey: UInt64) {
        // The version digit of a UUID with a layout of one's own is 8 (RFC 9562, section 5.8).
        self.high = high & ~0xF000 | 0x8000
        self.digestKey = digestKey
    }

    /// The pk of the resource with this number, unless it has one of its own: a UUID made of the store's number and the resource's.
    func pk(ofRoot root: Int64) -> String {
        let low = (UInt64(bitPattern: root) &* Self.factor) & Self.mask | 1 << 63
        let digits = String(high, radix: 16).leftPadded(16) + String(low, radix: 16).leftPadded(16)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// The number of the resource that has this pk for want of one of its own, or nil where it is no such pk.
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

extension String {
    func leftPadded(_ width: Int) -> String { String(repeating: "0", count: max(0, width - utf8.count)) + self }
}
