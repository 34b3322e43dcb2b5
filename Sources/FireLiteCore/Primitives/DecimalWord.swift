/// A decimal literal in one word: its digits as an integer (upper 56 bits) and the number of them after the point (lower 8 bits).
///
/// Holds literals without exponent of up to 16 digits, `1.50` as 150 and 2; every other literal (`1e3`, `-0`, more digits) stays text.
package struct DecimalWord: Equatable, Sendable {
    package let raw: Int64

    package init(raw: Int64) { self.raw = raw }

    package init(mantissa: Int64, scale: Int) { raw = mantissa << 8 | Int64(scale) }

    package var mantissa: Int64 { raw >> 8 }
    package var scale: Int { Int(raw & 0xFF) }

    static let maximumDigits = 16

    /// The word for a JSON number literal, or nil if it must stay text.
    package init?(_ literal: UnsafeBufferPointer<UInt8>) {
        guard literal.count <= Self.maximumDigits + 2, let first = literal.first else { return nil }
        var index = 0
        let negative = first == UInt8(ascii: "-")
        if negative { index = 1 }
        var mantissa: Int64 = 0
        var digits = 0
        var point = -1
        while index < literal.count {
            let byte = literal[index]
            if byte == UInt8(ascii: ".") {
                guard point < 0 else { return nil }
                point = digits
            } else {
                let digit = Int64(byte) - 48
                guard digit >= 0, digit <= 9 else { return nil }
                mantissa = mantissa * 10 + digit
                digits += 1
            }
            index += 1
        }
        guard digits > 0, digits <= Self.maximumDigits, !(negative && mantissa == 0), point != 0, point != digits else { return nil }
        let scale = point < 0 ? 0 : digits - point
        self.init(mantissa: negative ? -mantissa : mantissa, scale: scale)
    }

    /// Writes the literal at `bytes`, which has room for 24, and returns its length.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var value = mantissa.magnitude
        var length = 0
        let scale = scale
        var digits = 0
        // Digits come out backwards, so they are written from the end of a buffer and moved.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { scratch in
            var position = 24
            while value > 0 || digits <= scale {
                if digits == scale, scale > 0 {
                    position -= 1
                    scratch[position] = UInt8(ascii: ".")
                }
                position -= 1
                scratch[position] = UInt8(truncatingIfNeeded: value % 10) + 48
                value /= 10
                digits += 1
            }
            if mantissa < 0 {
                position -= 1
                scratch[position] = UInt8(ascii: "-")
            }
            length = 24 - position
            bytes.update(from: scratch.baseAddress.unsafelyUnwrapped + position, count: length)
        }
        return length
    }

    /// The nearest double. Exact division of two exact doubles, so correctly rounded up to 15 digits.
    package var doubleValue: Double {
        let scale = scale
        return scale == 0 ? Double(mantissa) : Double(mantissa) / Self.powerOfTen(scale)
    }

    package static func powerOfTen(_ exponent: Int) -> Double {
        switch exponent {
        case 0: return 1
        case 1: return 10
        case 2: return 100
        case 3: return 1_000
        case 4: return 10_000
        case 5: return 100_000
        default:
            var result = 100_000.0
            for _ in 5..<exponent { result *= 10 }
            return result
        }
    }

    /// The largest number of digits whose shortest double is the literal itself: a double distinguishes all decimals of 15 digits.
    package static var exactDigits: Int64 { 999_999_999_999_999 }

    /// Whether the shortest form of the double nearest to the value is exactly this literal.
    package var isExactAsDouble: Bool {
        let mantissa = mantissa
        guard mantissa.magnitude <= UInt64(Self.exactDigits), scale <= 15 else { return false }
        return scale == 0 || mantissa % 10 != 0
    }

    /// The word with the fewest fraction digits whose nearest double is `value`, or nil if it has more than 15 digits.
    package init?(shortest value: Double) {
        var scale = 0
        while scale <= 15 {
            let scaled = (value * Self.powerOfTen(scale)).rounded()
            guard abs(scaled) <= Double(Self.exactDigits) else { return nil }
            if scaled / Self.powerOfTen(scale) == value {
                self.init(mantissa: Int64(scaled), scale: scale)
                return
            }
            scale += 1
        }
        return nil
    }
}
