import FireLiteCore
import FireLiteSQLiteBridge

/// Finds what is stored under the types and ids of resources, a few ahead where the next ones are of one type: one statement looks up
/// several ids in two thirds of the time.
///
/// What was found ahead stays right while the resources in between are stored, as these have other ids.
struct IDLookups {
    private let resources: [FHIRResource]
    private var found: [Registration?] = []
    /// The index of the first resource that `found` is about.
    private var start = 0

    init(_ resources: [FHIRResource]) { self.resources = resources }

    /// What is stored under the type and id of a resource; nil for nothing, and where it has no id.
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
            resources[index + number].bindID(number, of: statement, access.registry)
        }
        return found[0]
    }
}

extension FHIRResource {
    /// Binds the id for a look-up; NULL, which no stored id equals, where there is none.
    @inline(__always)
    fileprivate func bindID(_ number: Int, of statement: Statement, _ registry: Registry) {
        guard let place = position(of: 0), let slots, case .text = slots[place].value else { return statement.bindNull(number + 1) }
        (slots + place).text.withUTF8 { registry.bind(id: $0, number, of: statement) }
    }
}
