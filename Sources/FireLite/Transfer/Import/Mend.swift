/// What was not FHIR's JSON in a text, and was mended. The raw values are for reports.
package struct MendKind: RawRepresentable, Hashable, Encodable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A mended place in a resource.
package struct Mend: Equatable, Sendable {
    package let kind: MendKind
    /// The FHIR path: `Patient.name[0].given[1]`.
    package let path: String

    package init(kind: MendKind, path: String) {
        self.kind = kind
        self.path = path
    }
}

/// A mended place in a file: one line of a report. It has no values.
package struct MendedPlace: Encodable, Equatable, Sendable {
    package let file: String
    /// The line where the resource begins, from 1.
    package let line: Int
    /// The type and id of the resource, or only its type.
    package let resource: String
    package let path: String
    package let kind: MendKind
}
