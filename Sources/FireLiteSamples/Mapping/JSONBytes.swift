/// Appends JSON to bytes.
struct JSONBytes {
    var bytes: [UInt8] = []

    init(capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 10: raw("\\n")
            case 13: raw("\\r")
            case 9: raw("\\t")
            // FHIR's strings have no other control characters.
            case 0..<32: bytes.append(32)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func member(_ name: StaticString, _ text: String) {
        raw("\"")
        raw(name)
        raw("\":")
        string(text)
    }
}
