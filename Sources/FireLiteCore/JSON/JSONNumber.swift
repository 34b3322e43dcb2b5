/// The grammar of numbers in JSON (RFC 8259, section 6).
package enum JSONNumber {
    /// The end of the number that begins at `position`, or nil if none does.
    static func end(of bytes: UnsafePointer<UInt8>, from position: Int, limit: Int) -> Int? {
        var index = position
        func digits() -> Bool {
            let start = index
            while index < limit, bytes[index] &- 48 < 10 { index += 1 }
            return index > start
        }
        if index < limit, bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard index < limit else { return nil }
        if bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else if !digits() {
            return nil
        }
        if index < limit, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() else { return nil }
        }
        if index < limit, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < limit, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
            guard digits() else { return nil }
        }
        return index
    }

    /// Whether the bytes are one number and nothing else.
    package static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return end(of: base, from: 0, limit: bytes.count) == bytes.count
    }

    /// The integer of a literal without fraction and exponent; nil for other literals, for `-0` and beyond 64 bits.
    package static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let first = bytes.first else { return nil }
        let negative = first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes.dropFirst(negative ? 1 : 0) {
            let digit = Int64(byte) - 48
            guard digit >= 0, digit <= 9 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = negative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return negative && (value == 0 || bytes.count < 2) ? nil : value
    }
}
