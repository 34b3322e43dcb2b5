import FireLiteCore
import FireLiteSQLiteBridge

/// Finds stored resources by type and id, a few ahead if the next ones have the same type: one statement looks up
/// several ids in two thirds of the time.
///
/// Results found ahead stay valid while the resources in between are stored, as these have other ids.
struct IDLookups {
    private let resources: [FHIRResource]
    private var found: [Registration?] = []
    /// The index of the first resource in `found`.
    private var start = 0

    init(_ resources: [FHIRResource]) { self.resources = resources }

    /// The registration with the type and id of a resource; nil if there is none, or if it has no id.
    mutating func registration(
        at index: Int, _ access: StoreConnection, _ newIDs: inout NewIDs
    ) throws -> Registration? {
        if index - start < found.count { return found[index - start] }
        let resource = resources[index]
        guard let id = resource.id else { return nil }
        let table = access.schema.table(of: resource.layout)
        if try !newIDs.mayHold(id, table, access) { return nil }
        guard newIDs.mayHoldAny(table) else { return try access.registry.registration(of: table, id: id) }
        var end = index + 1
        while end < min(index + Registry.lookupGroup, resources.count), resources[end].layoutTable == resource.layoutTable {
            end += 1
        }
        guard end - index == Registry.lookupGroup else { return try access.registry.registration(of: table, id: id) }
        start = index
        found.removeAll(keepingCapacity: true)
        for _ in index..<end { found.append(nil) }
        try access.registry.registrations(of: table, into: &found) { number, statement in
            resources[index + number].withIDBytes { bytes in
                guard let bytes else { return statement.bindNull(number + 1) }
                access.registry.bind(id: bytes, number, of: statement)
            }
        }
        return found[0]
    }
}
