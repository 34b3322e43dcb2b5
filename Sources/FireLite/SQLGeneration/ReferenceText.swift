import FireLiteCore

/// SQL for the text of a reference. `LiteralReference` defines where references lead; the ranges can use an index.
///
/// Names of types come from the release, so they are text.
enum ReferenceText {
    /// The id of the resource of a type that a reference leads to; NULL if it leads to none.
    static func id(_ reference: SQLFragment, _ type: String) -> SQLFragment {
        "\(raw: QueryFunctions.reference)(\(reference), '\(raw: type)')"
    }

    /// A reference with a version, without it; NULL for others.
    static func unversioned(_ reference: SQLFragment) -> SQLFragment { "\(raw: QueryFunctions.unversioned)(\(reference), '')" }

    /// The condition that a reference may be an absolute URL: a range, so that an index reads only those.
    static func isAbsolute(_ reference: SQLFragment) -> SQLFragment { "\(reference) >= 'http' AND \(reference) < 'httq'" }

    /// The condition that a reference begins with `urn:uuid:`.
    static func isUUID(_ reference: SQLFragment) -> SQLFragment { "\(reference) >= 'urn:uuid:' AND \(reference) < 'urn:uuid;'" }

    /// The condition that a reference is `text` with a version.
    static func isVersion(_ reference: SQLFragment, of text: SQLFragment) -> SQLFragment {
        "\(reference) >= \(text) || '/_history/' AND \(reference) < \(text) || '/_history0'"
    }

    /// `Type/id` of an id.
    static func relative(_ type: String, _ id: SQLFragment) -> SQLFragment { "'\(raw: type)/' || \(id)" }

    /// The id of a row if FHIR allows it in references; else NULL.
    static func validID(_ id: SQLFragment, _ type: String) -> SQLFragment { self.id(relative(type, id), type) }

    /// The `urn:uuid:` of an id; NULL if it is not a UUID.
    static func uuid(ofID id: SQLFragment, _ type: String) -> SQLFragment { "'urn:uuid:' || \(self.id("'urn:uuid:' || \(id)", type))" }

    /// The `urn:uuid:` of the pk of a resource with a key; NULL if that is not a UUID.
    static func uuid(ofKey key: SQLFragment, _ type: String) -> SQLFragment {
        let root: SQLFragment = "\(key) >> \(RowKey.nodeBits)"
        return uuid(ofID: "coalesce(\(Registry.givenPK(ofRoot: root)), \(raw: QueryFunctions.pk)(\(root)))", type)
    }

    /// The key of the resource whose pk follows `urn:uuid:` in a reference; NULL if there is none.
    static func key(ofUUID reference: SQLFragment) -> SQLFragment {
        let pk: SQLFragment = "substr(\(reference), 10)"
        return """
            coalesce(\(Registry.root(ofGivenPK: pk)), \
            \(Registry.root(withoutPK: "\(raw: QueryFunctions.root)(\(pk))"))) << \(RowKey.nodeBits)
            """
    }
}
