/// The enum of a choice element's values.
struct NamedChoice: Sendable {
    struct Case: Sendable {
        var name: String
        /// FHIR's name of the type.
        var typeName: String
        var swiftType: String
        var accessor: Accessor
    }

    var name: String
    /// Paths of the elements it is for.
    var paths: [String]
    var cases: [Case]

    /// Whether every case holds a primitive: objects belong to one isolation at a time.
    var isSendable: Bool { cases.allSatisfy { $0.accessor != .object } }
}
