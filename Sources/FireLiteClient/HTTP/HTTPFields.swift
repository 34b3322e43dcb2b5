/// The header fields of a request or response. The case of names is ignored.
public struct HTTPFields: Sendable, Hashable, Codable, ExpressibleByDictionaryLiteral {
    /// A name and a value.
    public struct Field: Sendable, Hashable, Codable {
        /// The name, in its original case.
        public let name: String
        /// The value.
        public let value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in order.
    public private(set) var all: [Field] = []

    /// Creates fields.
    public init(_ fields: [Field] = []) { all = fields }

    /// Creates fields from a literal, `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) { all = elements.map { Field(name: $0.0, value: $0.1) } }

    /// The first value of a name; setting it replaces all fields of the name, nil removes them.
    public subscript(name: String) -> String? {
        get { all.first { Self.areEqual($0.name, name) }?.value }
        set {
            all.removeAll { Self.areEqual($0.name, name) }
            if let newValue { all.append(Field(name: name, value: newValue)) }
        }
    }

    /// Whether two names are the same: they are ASCII, and case counts for nothing (RFC 9110, 5.1).
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 { 65...90 ~= byte ? byte | 0x20 : byte }
}
