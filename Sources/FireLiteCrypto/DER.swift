import Foundation

/// The few forms of DER (X.690) that keys and signatures consist of.
enum DER {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    /// A value with its tag and length.
    static func value(_ tag: UInt8, _ content: Data) -> Data {
        var data = Data([tag])
        if content.count < 0x80 {
            data.append(UInt8(content.count))
        } else {
            var bytes: [UInt8] = []
            var count = content.count
            while count > 0 {
                bytes.insert(UInt8(count & 0xFF), at: 0)
                count >>= 8
            }
            data.append(0x80 | UInt8(bytes.count))
            data.append(contentsOf: bytes)
        }
        return data + content
    }

    static func sequence(_ parts: Data...) -> Data { value(sequence, parts.reduce(Data(), +)) }

    /// A positive integer from its bytes, the most significant first.
    static func integer(_ magnitude: Data) -> Data {
        var bytes = Data(magnitude.drop { $0 == 0 })
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: bytes.startIndex) }
        return value(integer, bytes)
    }

    static func bitString(_ bytes: Data) -> Data { value(bitString, Data([0]) + bytes) }

    /// Reads values one after another.
    struct Reader {
        private var rest: Data

        init(_ data: Data) { rest = data }

        var isAtEnd: Bool { rest.isEmpty }

        /// The content of the next value if it has this tag.
        mutating func read(_ tag: UInt8) -> Data? {
            guard rest.first == tag, let (header, count) = length(), rest.count - header >= count else { return nil }
            let start = rest.startIndex + header
            let content = rest[start..<start + count]
            rest = rest[(start + count)...]
            return Data(content)
        }

        /// The magnitude of the next value, a positive integer.
        mutating func readInteger() -> Data? { read(DER.integer).map { Data($0.drop { $0 == 0 }) } }

        /// The length of the next value's tag and length, and the length of its content.
        private func length() -> (header: Int, count: Int)? {
            guard rest.count >= 2 else { return nil }
            let first = Int(rest[rest.startIndex + 1])
            if first < 0x80 { return (2, first) }
            let digits = first & 0x7F
            guard 1...4 ~= digits, rest.count >= 2 + digits else { return nil }
            let bytes = rest[rest.startIndex + 2..<rest.startIndex + 2 + digits]
            return (2 + digits, bytes.reduce(0) { $0 << 8 | Int($1) })
        }
    }
}
