import Foundation

extension Data {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each digit by its byte; 255 for bytes that are none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// base64url without padding (RFC 7515, appendix C).
    package var base64URL: String {
        let length = count / 3 * 4 + (count % 3 * 4 + 2) / 3
        return withUnsafeBytes { input in
            Self.digits.withUnsafeBufferPointer { digits in
                String(unsafeUninitializedCapacity: length) { output in
                    var place = 0
                    for start in stride(from: 0, to: input.count, by: 3) {
                        let bytes = Swift.min(3, input.count - start)
                        var bits = UInt32(input[start]) << 16
                        if bytes > 1 { bits |= UInt32(input[start + 1]) << 8 }
                        if bytes > 2 { bits |= UInt32(input[start + 2]) }
                        for digit in 0...bytes {
                            output[place] = digits[Int(bits >> UInt32(18 - 6 * digit) & 63)]
                            place += 1
                        }
                    }
                    return place
                }
            }
        }
    }

    /// Reads base64url without padding; nil for anything else.
    package init?(base64URL text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (bits, held) = (0 as UInt32, 0)
        for digit in text.utf8 {
            let value = Self.values[Int(digit)]
            guard value != 255 else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
                bits &= 1 << UInt32(held) - 1
            }
        }
        // A digit alone is no byte; and the bits after the last byte must be zero, so that a value has one form.
        guard held < 6, bits == 0 else { return nil }
        self.init(bytes)
    }
}
