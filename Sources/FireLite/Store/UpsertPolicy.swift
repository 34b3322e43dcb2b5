import FireLiteCore

/// How an upsert treats a stored resource that is newer than the given one.
public enum UpsertPolicy: Sendable, Hashable {
    /// The given resource replaces the stored one, whichever is newer.
    case replace
    /// The newer one is kept: a given resource with an older version is skipped.
    ///
    /// A resource is older if its `meta.lastUpdated` is an earlier moment. If that does not decide, because one of them has none or
    /// both are the same, it is older if both have an integer `meta.versionId` and its is less. FHIR leaves the form of version
    /// ids to the server (<https://hl7.org/fhir/R4/resource.html#Meta>), so other forms decide nothing. If neither decides, the given one
    /// replaces the stored one.
    /// - Complexity: reads the stored resource if its content differs.
    case keepNewer
}

/// The version of a resource, as its `meta` states it.
package struct MetaVersion {
    /// The shortest UTC text of the moment of `meta.lastUpdated`.
    private let updated: String?
    private let number: UInt64?

    package init(_ resource: FHIRResource) {
        let meta = resource.element(named: "meta")
        updated = meta?.literal(named: "lastUpdated").flatMap { DateBounds($0)?.lower }
        number = meta?.literal(named: "versionId").flatMap { UInt64($0) }
    }

    package func isOlder(than other: MetaVersion) -> Bool {
        if let updated, let otherUpdated = other.updated, updated != otherUpdated { return updated < otherUpdated }
        if let number, let otherNumber = other.number { return number < otherNumber }
        return false
    }
}

extension FHIRObject {
    /// The value of a to-one complex element.
    fileprivate func element(named name: String) -> FHIRObject? {
        guard let element = layout.element(named: name), case .object(let value)? = value(element.slot) else { return nil }
        return value
    }

    /// The literal of a to-one primitive.
    fileprivate func literal(named name: String) -> String? {
        guard let element = layout.element(named: name), let primitive = element.primitive else { return nil }
        return plainValue(element.slot)?.literal(primitive)
    }
}
