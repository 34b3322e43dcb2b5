import FireLiteCore
import FireLiteCrypto
import Foundation

/// Numbers that depend on a sample's content alone, in every process the same.
struct SampleFingerprint {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// 64 bits of FNV-1a: tells whether something that is known by its UUID has changed.
    var number: Int64 { Int64(bitPattern: value) }

    mutating func add(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        mix(0x1F)
    }

    mutating func add(_ number: Int64) { for shift in 0..<8 { mix(UInt8(truncatingIfNeeded: number >> Int64(shift * 8))) } }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func add(_ sample: Sample) {
        add(sample.type.rawValue)
        add(sample.startTime)
        add(sample.endTime)
        add(Int64(sample.zone?.secondsFromGMT(for: sample.start) ?? -1))
        add(sample.origin.fingerprint)
        if !sample.metadata.isEmpty {
            for key in sample.metadata.keys.sorted() {
                add(key)
                add(sample.metadata[key] ?? "")
            }
        }
        switch sample.value {
        case .quantity(let number, let unit):
            add(number.literal)
            add(unit)
        case .category(let value): add(value)
        case .correlation(let parts): for part in parts { add(part) }
        case .workout(let workout):
            add(workout.activity)
            add(workout.duration?.literal ?? "")
            for type in workout.totals.keys.sorted() {
                add(type.rawValue)
                add(workout.totals[type]?.value.literal ?? "")
                add(workout.totals[type]?.unit ?? "")
            }
        }
    }

    /// A UUID of version 8 (RFC 9562) made from a text, for samples whose source gives none: the same text has the same UUID.
    ///
    /// - Parameter time: milliseconds since 1970, with which the UUID begins as one of version 7 does. Samples come in the order of their times,
    ///   and so do their UUIDs: SQLite adds them at the end of its indexes instead of writing pages all over them.
    static func uuid(of text: String, time: Int64? = nil) -> UUID {
        var text = text
        return text.withUTF8 { uuid(of: UnsafeRawBufferPointer($0), time: time) }
    }

    static func uuid(of text: UnsafeRawBufferPointer, time: Int64? = nil) -> UUID {
        uuid(ofDigest: HashAlgorithm.sha256.digest(of: text), time: time)
    }

    /// The UUID of a text by its SHA-256.
    static func uuid(ofDigest digest: [UInt8], time: Int64?) -> UUID {
        var digest = digest
        if let time { for place in 0..<6 { digest[place] = UInt8(truncatingIfNeeded: time >> Int64(40 - place * 8)) } }
        return UUID(
            uuid: (
                digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6] & 0x0F | 0x80, digest[7],
                digest[8] & 0x3F | 0x80, digest[9], digest[10], digest[11], digest[12], digest[13], digest[14], digest[15]
            ))
    }
}
