import FireLiteCore

/// SQL for the text of a reference. `LiteralReference` defines where references lead; the ranges can use an index.
enum ReferenceText {
    /// The id of the resource of a type that a reference leads to; NULL if it leads to none.
    static func id(_ reference: String, _ type: String) -> String { "\(QueryFunctions.reference)(\(reference), '\(type)')" }

    /// A reference with a version, without it; NULL for others.
    static func unversioned(_ reference: String) -> String { "\(QueryFunctions.unversioned)(\(reference), '')" }

    /// The condition that a reference may be an absolute URL: a range, so that an index reads only those.
    static func isAbsolute(_ reference: String) -> String { "\(reference) >= 'http' AND \(reference) < 'httq'" }

    /// The condition that a reference begins with `urn:uuid:`.
    static func isUUID(_ reference: String) -> String { "\(reference) >= 'urn:uuid:' AND \(reference) < 'urn:uuid;'" }

    /// The condition that a reference is `text` with a version.
    static func isVersion(_ reference: String, of text: String) -> String {
        "\(reference) >= \(text) || '/_history/' AND \(reference) < \(text) || '/_history0'"
    }

    /// The id of a row if FHIR allows it in references; else NULL.
    static func validID(_ id: String, _ type: String) -> String { self.id("'\(type)/' || \(id)", type) }

    /// The `urn:uuid:` of an id; NULL if it is not a UUID.
    static func uuid(ofID id: String, _ type: String) -> String { "'urn:uuid:' || \(self.id("'urn:uuid:' || \(id)", type))" }

    /// The `urn:uuid:` of the pk of a resource with a key; NULL if that is not a UUID.
    static func uuid(ofKey key: String, _ type: String) -> String {
        uuid(ofID: "coalesce(\(Registry.givenPK(ofKey: key)), \(QueryFunctions.pk)(\(RowKey.root(ofSQL: key))))", type)
    }

    /// The key of the resource whose pk follows `urn:uuid:` in a reference; NULL if there is none.
    static func key(ofUUID reference: String) -> String {
        let pk = "substr(\(reference), 10)"
        return RowKey.key(ofSQL: "coalesce(\(Registry.root(ofGivenPK: pk)), \(Registry.root(withoutPK: "\(QueryFunctions.root)(\(pk))")))")
    }
}
