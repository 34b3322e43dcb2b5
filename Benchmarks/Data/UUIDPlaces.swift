import Foundation

/// Where lines of JSON have UUIDs, so that they can be given others: each resource's id and, as they are the same text, every reference
/// to it.
struct UUIDPlaces {
    private static let length = 36
    /// The positions in their lines, of one line after another.
    private var places: [Int32] = []
    /// Where each line's positions begin, and the end of the last.
    private var starts: [Int] = [0]

    init(_ text: Data, _ lines: [Range<Int>]) {
        text.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            for line in lines {
                find(UnsafeBufferPointer(rebasing: bytes[line]))
                starts.append(places.count)
            }
        }
    }

    static func isUUID(_ text: String) -> Bool { text.utf8.count == length && isUUID(text.utf8) }

    private mutating func find(_ line: UnsafeBufferPointer<UInt8>) {
        let hyphen = Int32(UInt8(ascii: "-"))
        var index = 0
        while index + Self.length <= line.count {
            // The first of a UUID's hyphens is its ninth character.
            guard let base = line.baseAddress, let found = memchr(base + index + 8, hyphen, line.count - index - 8) else { return }
            let start = UnsafeRawPointer(found) - UnsafeRawPointer(base) - 8
            if start + Self.length <= line.count, Self.isUUID(line[start..<start + Self.length]) {
                places.append(Int32(start))
                index = start + Self.length
            } else {
                index = start + 1
            }
        }
    }

    private static func isUUID(_ text: some Sequence<UInt8>) -> Bool {
        for (offset, byte) in text.enumerated() {
            switch offset {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default: guard digit(byte) != nil else { return false }
            }
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Changes the first eight digits of each UUID of a line, another way for each `time`, so that different ones stay different.
    func change(_ bytes: inout [UInt8], line: Int, time: Int) {
        // An odd number times 1, 2, … are different masks, which spread over the range as random ids do.
        let mask = UInt32(truncatingIfNeeded: time) &* 0x9E37_79B9
        for place in places[starts[line]..<starts[line + 1]] {
            for offset in 0..<8 {
                let index = Int(place) + offset
                guard let digit = Self.digit(bytes[index]) else { continue }
                let changed = digit ^ UInt8(truncatingIfNeeded: mask >> (UInt32(offset) * 4) & 15)
                bytes[index] = changed < 10 ? UInt8(ascii: "0") + changed : UInt8(ascii: "a") + changed - 10
            }
        }
    }
}
