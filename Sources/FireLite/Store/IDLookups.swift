import FireLiteCore

/// Finds what is stored under the types and ids of resources, a few ahead where the next ones are of one type: one statement looks up
/// several ids in two thirds of the time.
///
/// What was found ahead stays right while the resources in between are stored, as these have other ids.
struct IDLookups {
    private let resources: [FHIRResource]
    private var found: [StoreConnection.Registration?] = []
    /// The index of the first resource that `found` is about.
    private var start = 0

    init(_ resources: [FHIRResource]) { self.resources = resources }

    /// What is stored under the type and id of a resource; nil for nothing, and where it has no id.
    mutating func registration(
        at index: Int, _ access: StoreConnection, _ newIDs: inout NewIDs
    ) throws -> StoreConnection.Registration? {
        if index - start < found.count { return found[index - start] }
        let resource = resources[index]
        guard let id = resource.id else { return nil }
        let table = access.schema.table(of: resource.layout)
        if try !newIDs.mayHold(id, table, access) { return nil }
        guard newIDs.mayHoldAny(table) else { return try access.registration(of: table, id: id) }
        var ids = [id]
        while ids.count < StoreConnection.lookupGroup, index + ids.count < resources.count {
            let next = resources[index + ids.count]
            guard next.layoutTable == resource.layoutTable, !next.isManaged, let id = next.id else { break }
            ids.append(id)
        }
        start = index
        found = try access.registrations(of: table, ids: ids)
        return found[0]
    }
}
