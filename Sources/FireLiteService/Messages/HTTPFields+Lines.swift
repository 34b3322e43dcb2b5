import FireLiteClient

extension HTTPFields {
    /// The fields that have one value. Two programs might go by different ones if a request had two.
    private static let single: Set<String> = [
        "authorization", "content-encoding", "content-length", "content-location", "content-type", "host", "if-modified-since",
        "if-none-exist",
        "if-unmodified-since", "last-event-id", "origin", "x-security-context",
    ]

    private var hasRepetition: Bool {
        guard all.count <= Self.few else {
            var names: Set<String> = []
            return all.contains { !names.insert($0.name.lowercased()).inserted }
        }
        return all.indices.contains { index in all[..<index].contains { Self.areEqual($0.name, all[index].name) } }
    }

    /// Up to this number of fields, comparing each with each is faster.
    private static let few = 24

    /// The fields with one line for each name, as several lines of a list are one list (RFC 9110, 5.3; RFC 9113, 8.2.3).
    ///
    /// - Returns: the fields, and the name of a field with one value that occurs more than once, even if the values are equal; nil if there is none.
    package func joined() -> (fields: HTTPFields, repeated: String?) {
        // Nearly always nothing is repeated.
        guard hasRepetition else { return (self, nil) }
        var order: [String] = []
        var values: [String: (name: String, values: [String])] = [:]
        for field in all {
            let key = field.name.lowercased()
            if values[key] == nil { order.append(key) }
            values[key, default: (field.name, [])].values.append(field.value)
        }
        let lines = order.compactMap { key in
            values[key].map { Field(name: $0.name, value: $0.values.joined(separator: key == "cookie" ? "; " : ", ")) }
        }
        let repeated = order.first { Self.single.contains($0) && (values[$0]?.values.count ?? 0) > 1 }
        return (HTTPFields(lines), repeated.flatMap { values[$0]?.name })
    }
}
