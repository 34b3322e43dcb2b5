import Foundation

/// Percent encoding in addresses (RFC 3986, 2.1), by bytes.
package enum AddressText {
    /// What stands for itself in names and values of parameters.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "/"),
            UInt8(ascii: ","), UInt8(ascii: "$"), UInt8(ascii: "*"):
            true
        default: false
        }
    }

    /// A name or value of a parameter as an address has it.
    package static func encoded(_ text: String) -> String {
        // Most have nothing to encode.
        if text.utf8.allSatisfy(isPlain) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that a part of an address means; nil if it is not percent-encoded UTF-8.
    ///
    /// - Parameter isForm: whether a plus sign means a blank.
    package static func decoded(_ text: Substring, isForm: Bool = false) -> String? {
        let plus = UInt8(ascii: "+")
        let percent = UInt8(ascii: "%")
        if !text.utf8.contains(where: { $0 == percent || isForm && $0 == plus }) { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            if byte == percent {
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(isForm && byte == plus ? UInt8(ascii: " ") : byte)
            }
        }
        return String(bytes: bytes, encoding: .utf8)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
