import FireLiteCore
import FireLiteSQLiteBridge

/// Finds stored resources by type and id, those of the next resources together: one statement looks up several ids of a type in two thirds of the
/// time.
///
/// Results found ahead stay valid while the resources in between are stored, as these have other ids.
struct IDLookups {
    /// The number of resources to look ahead: enough for several of most types, few enough for the processor's cache.
    private static let window = 64

    private let resources: UnsafeBufferPointer<Unmanaged<FHIRResource>>
    /// The indexes of the resources that were looked up ahead, those of them with a result, and the results.
    private var ahead = 0..<0
    private var isFound: [Bool] = []
    private var found: [Registration?] = []
    /// The types of the resources ahead, nil once they are looked up, and the places of those of one type.
    private var types: [UnsafePointer<LayoutTable>?] = []
    private var places: [Int] = []

    /// - Parameter resources: the resources in their order; must outlive the value.
    init(_ resources: UnsafeBufferPointer<Unmanaged<FHIRResource>>) { self.resources = resources }

    /// The registration with the type and id of a resource; nil if there is none, or if it has no id.
    ///
    /// - Parameter index: the index of the resource, not less than that of the call before.
    mutating func registration(
        at index: Int, _ access: StoreConnection, _ newIDs: inout NewIDs
    ) throws -> Registration? {
        if index >= ahead.upperBound, resources.count >= Registry.fewLookups { try lookAhead(from: index, access, &newIDs) }
        if ahead.contains(index), isFound[index - ahead.lowerBound] { return found[index - ahead.lowerBound] }
        return try resources[index]._withUnsafeGuaranteedRef { resource in
            guard let id = resource.id else { return nil }
            let table = access.schema.table(of: resource.layout)
            guard try newIDs.mayHold(id, table, access) else { return nil }
            return try access.registry.registration(of: table, id: id)
        }
    }

    /// Looks up the resources from `index` on whose types may have stored ones.
    private mutating func lookAhead(from index: Int, _ access: StoreConnection, _ newIDs: inout NewIDs) throws {
        ahead = index..<min(index + Self.window, resources.count)
        for index in ahead { resources[index].prefetch() }
        types.removeAll(keepingCapacity: true)
        isFound.removeAll(keepingCapacity: true)
        found.removeAll(keepingCapacity: true)
        for index in ahead {
            resources[index]._withUnsafeGuaranteedRef { resource in
                types.append(resource.layoutTable)
                resource.prefetchSlots()
            }
            isFound.append(false)
            found.append(nil)
        }
        for index in ahead { resources[index]._withUnsafeGuaranteedRef { $0.prefetchID() } }
        for place in types.indices {
            guard let type = types[place] else { continue }
            places.removeAll(keepingCapacity: true)
            for other in place..<types.count where types[other] == type {
                places.append(other)
                types[other] = nil
            }
            let layout = resources[ahead.lowerBound + place]._withUnsafeGuaranteedRef { $0.layout }
            // What belongs to another release is refused when its turn comes.
            guard places.count >= Registry.fewLookups, layout.release == access.schema.release else { continue }
            let table = access.schema.table(of: layout)
            guard table.isInFile, try newIDs.hadAny(table, access) else { continue }
            try lookUp(table, access.registry)
        }
    }

    /// Looks up the resources of one type that are at `places`, except a few.
    private mutating func lookUp(_ table: TablePlan, _ registry: Registry) throws {
        var next = 0
        while places.count - next >= Registry.fewLookups {
            let count = min(Registry.lookupGroup, places.count - next)
            for place in places[next..<next + count] { isFound[place] = true }
            try registry.registrations(of: table) { number, statement in
                guard number < count else { return statement.bindNull(number + 1) }
                resources[ahead.lowerBound + places[next + number]]._withUnsafeGuaranteedRef { resource in
                    resource.withIDBytes { bytes in
                        guard let bytes else { return statement.bindNull(number + 1) }
                        registry.bind(id: bytes, number, of: statement)
                    }
                }
            } found: { number, registration in
                let place = places[next + number]
                if found[place]?.root == nil { found[place] = registration }
            }
            next += count
        }
    }
}

extension Array where Element == FHIRResource {
    /// Calls `body` with the resources in such a way that looking at one does not count references, for which its memory must be there.
    func withUnmanaged<Value>(_ body: (UnsafeBufferPointer<Unmanaged<FHIRResource>>) throws -> Value) rethrows -> Value {
        try withUnsafeBufferPointer { resources in
            try resources.withMemoryRebound(to: Unmanaged<FHIRResource>.self, body)
        }
    }
}
