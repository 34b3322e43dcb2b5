import FireLiteCore
import FireLiteR4
import Testing

@Suite struct JSONEscapeTests {
    /// How RFC 8259 (section 7) writes a scalar that cannot be in a string as it is.
    private static func written(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\u{8}": return "\\b"
        case "\t": return "\\t"
        case "\n": return "\\n"
        case "\u{C}": return "\\f"
        case "\r": return "\\r"
        case ..<"\u{20}":
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }

    /// At each place of strings of up to 20 bytes, alone and beside another one, between ASCII and longer scalars.
    @Test(arguments: ["a", "\u{7F}", "é", "€", "😀"]) func scalarsAreEscapedAtEachPlace(_ filler: Unicode.Scalar) {
        let scalars =
            (0..<0x20).map { Unicode.Scalar(UInt8($0)) } + ["\"", "\\", " ", "!", "#", "[", "]", "\u{7F}", "\u{80}", "\u{A0}", "\u{A2}"]
        for scalar in scalars {
            for length in [1, 7, 8, 9, 16, 20] {
                for place in 0..<length {
                    for second in [place, length - 1] {
                        var text = Array(repeating: filler, count: length)
                        text[place] = scalar
                        text[second] = scalar
                        let name = HumanName { $0.family = text.reduce(into: "") { $0.unicodeScalars.append($1) } }
                        let expected = #"{"family":""# + text.map(Self.written).joined() + #""}"#
                        #expect(FHIRJSON.string(name) == expected, "\(scalar.value) at \(place) of \(length)")
                    }
                }
            }
        }
    }

    /// Each object is written after the given bytes, without those of the one before it.
    @Test func aBufferHasOneObjectAtATime() {
        let buffer = JSONBuffer()
        for length in [10, 3, 2_000_000, 5] {
            let name = HumanName { $0.family = String(repeating: "x", count: length) }
            let prefix: [UInt8] = [1, 2, 3]
            let bytes = prefix.withUnsafeBytes { buffer.withUTF8(of: name, after: $0) { Array($0) } }
            #expect(bytes == prefix + Array(FHIRJSON.string(name).utf8))
        }
    }
}
