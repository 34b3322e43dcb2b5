import FireLite

/// The resources in which two stores differ, by type and id.
struct StoreComparison {
    struct Difference {
        enum Kind: String {
            case added, updated, deleted
        }

        let kind: Kind
        let typeName: String
        let id: String
        /// The changed elements of an updated resource.
        let elements: [ElementDifference]
    }

    /// The differences, by type in FHIR's order and then as the later store has them, deleted ones last.
    private(set) var differences: [Difference] = []
    /// The number of resources without an id, which cannot be compared.
    private(set) var withoutID = 0

    /// - Complexity: reads every resource of both stores; one of each is in memory at a time, and the differences.
    init(_ earlier: FHIRStore, _ later: FHIRStore) throws {
        for type in later.release.resourceTypeNames {
            guard let layout = later.release.resourceLayout(named: type) else { continue }
            try later.forEach(QueryRequest(layout)) { resource in
                guard let id = resource.id else {
                    withoutID += 1
                    return
                }
                let whole = try later.read { try $0.whole(resource) }
                guard let old = try earlier.resource(typeName: type, id: id) else {
                    return differences.append(Difference(kind: .added, typeName: type, id: id, elements: []))
                }
                let before = try earlier.read { try $0.whole(old) }
                guard before != whole else { return }
                differences.append(Difference(kind: .updated, typeName: type, id: id, elements: before.differences(to: whole)))
            }
            try earlier.forEach(QueryRequest(layout)) { resource in
                guard let id = resource.id else {
                    withoutID += 1
                    return
                }
                if try later.resource(typeName: type, id: id) == nil {
                    differences.append(Difference(kind: .deleted, typeName: type, id: id, elements: []))
                }
            }
        }
    }
}
