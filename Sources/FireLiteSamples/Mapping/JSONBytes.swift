import FireLiteCore

/// Appends JSON to bytes.
package struct JSONBytes {
    package var bytes: [UInt8] = []

    package init(capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    package mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    package mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isPlain = text.utf8.withContiguousStorageIfAvailable { memory in
            guard memory.allSatisfy(Self.isPlain) else { return false }
            bytes.append(contentsOf: memory)
            return true
        }
        if isPlain != true { escaped(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 32 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") }

    private mutating func escaped(_ text: String) {
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
    }

    package mutating func member(_ name: StaticString, _ text: String) {
        raw("\"")
        raw(name)
        raw("\":")
        string(text)
    }
}

extension JSONItem {
    /// Reads UTF-8, with a byte order mark or without.
    ///
    /// - Throws: `SampleError.damaged` with the line.
    static func read(_ bytes: some Sequence<UInt8>, firstLine: Int = 1) throws -> JSONItem {
        var bytes = Array(bytes)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        do throws(JSONItemError) { return try JSONItemReader.read(bytes, line: firstLine) } catch {
            throw SampleError(.damaged, error.problem, line: error.line)
        }
    }
}
