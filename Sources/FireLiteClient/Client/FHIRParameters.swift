/// Search parameters and other parameters of an address, in their order; names may repeat.
public struct FHIRParameters: Sendable, Hashable, Codable, ExpressibleByDictionaryLiteral {
    /// A name and a value.
    public struct Parameter: Sendable, Hashable, Codable {
        /// The name with its modifier: `name:exact`.
        public let name: String
        /// The value, not percent-encoded.
        public let value: String

        /// A parameter.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The parameters in their order.
    public var all: [Parameter]

    /// Creates parameters.
    public init(_ parameters: [Parameter] = []) { all = parameters }

    /// Creates parameters from a literal, `["birthdate": "ge1980", "name": "Smith"]`.
    public init(dictionaryLiteral elements: (String, String)...) { all = elements.map { Parameter(name: $0.0, value: $0.1) } }

    /// Adds a parameter.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: its value, not percent-encoded.
    public mutating func append(_ name: String, _ value: String) { all.append(Parameter(name: name, value: value)) }

    /// Both in their order.
    public static func + (left: FHIRParameters, right: FHIRParameters) -> FHIRParameters { FHIRParameters(left.all + right.all) }

    /// As in an address, percent-encoded: `birthdate=ge1980&name=Smith`.
    public var query: String { all.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&") }

    /// Percent-encodes what RFC 3986 does not leave as it is, except for marks that FHIR uses in parameters and that need no encoding.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: ","),
                UInt8(ascii: "/"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
