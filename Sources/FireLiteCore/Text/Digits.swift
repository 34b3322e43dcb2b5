import Foundation

/// Hexadecimal digits: strictly digits, while the standard library's parsers also accept a sign.
package enum Hexadecimal {
    /// The value of a digit; nil for another byte.
    @inline(__always)
    package static func value(_ digit: UInt8) -> UInt8? {
        if digit &- 48 < 10 { return digit - 48 }
        return (digit | 0x20) &- 97 < 6 ? (digit | 0x20) - 87 : nil
    }

    /// The number of the digits; nil if there are none or too many, or for other characters.
    package static func number(_ digits: some Sequence<UInt8>) -> UInt32? {
        var number: UInt32?
        for digit in digits {
            guard let value = value(digit), number ?? 0 < 1 << 28 else { return nil }
            number = (number ?? 0) << 4 | UInt32(value)
        }
        return number
    }

    /// Bytes of two digits each; nil for anything else.
    package static func bytes(_ text: some StringProtocol) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var data = Data(capacity: digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
            data.append(high << 4 | low)
        }
        return data
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, in lower case.
    package var hexText: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension BinaryInteger {
    /// The number with zeros in front, if it has fewer digits.
    package func padded(_ digits: Int, radix: Int = 10) -> String { String(self, radix: radix).leftPadded(digits) }
}

extension String {
    /// The text with zeros in front, if it is shorter.
    package func leftPadded(_ width: Int) -> String { String(repeating: "0", count: max(0, width - utf8.count)) + self }
}
