import Foundation

/// Random UUIDs (RFC 9562, version 4) from the system's random numbers. On Linux, Foundation opens a device for each of its own.
enum RandomUUID {
    /// Whether a text may be one of `text()`.
    static func isText(_ text: String) -> Bool {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text), text == uuid.uuidString.lowercased() else { return false }
        return uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 2
    }

    /// One in lower case.
    static func text() -> String {
        var random = SystemRandomNumberGenerator()
        // The version, 4, and the variant, 2.
        let high: UInt64 = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low: UInt64 = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { bytes in
            var place = 0
            for word in [high, low] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    if place == 8 || place == 13 || place == 18 || place == 23 {
                        bytes[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
                    bytes[place] = digit < 10 ? 48 + digit : 87 + digit
                    place += 1
                }
            }
            return place
        }
    }
}
