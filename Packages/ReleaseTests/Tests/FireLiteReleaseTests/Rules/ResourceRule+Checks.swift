import Testing

@testable import FireLite
@testable import FireLiteCore
@testable import ReleaseTestSupport

/// A resource class, for generic code that gets one at run time: to a class by itself, Swift would bind the base class.
private protocol ResourceClass: FHIRResource {}

extension FHIRResource: ResourceClass {}

extension ResourceRule {
    /// Checks the rule for instances of a class, one of each mode.
    func check(_ type: FHIRResource.Type, modes: [RandomInstance.Mode]) throws {
        let type: any ResourceClass.Type = type
        try check(opened: type, modes)
    }

    private func check<Resource: ResourceClass>(opened type: Resource.Type, _ modes: [RandomInstance.Mode]) throws {
        #expect(ObjectIdentifier(Resource.self) != ObjectIdentifier(FHIRResource.self))
        for (seed, mode) in modes.enumerated() {
            var random = RandomInstance(seed: UInt64(seed), mode: mode)
            let (first, second) = (random.make(type), RandomInstance.other(of: type, seed: seed))
            switch self {
            case .decode: try decode(first, second)
            case .copy: try copy(first)
            case .populate: try populate(first, from: second)
            case .populateFromEmpty: try populateFromEmpty(first)
            case .storeRoundTrip: try withStore(first) { try storeRoundTrip(first, in: $0) }
            case .updatePersists: try withStore(first) { try updatePersists(first, &random, in: $0) }
            case .upsertKeepsCountAndPK: try withStore(first) { try upsert(first, then: second, in: $0) }
            case .deleteLeavesNothing: try withStore(first) { try delete(first, in: $0) }
            }
        }
    }

    /// Runs `body` with a store that holds the resource and another one; afterwards the store must be sound.
    private func withStore(_ resource: FHIRResource, _ body: (FHIRStore) throws -> Void) throws {
        let store = try FHIRStore.inMemory(release: resource.layout.release)
        let neighbor = resource.copyObject() as? FHIRResource
        resource.id = "the-one"
        neighbor?.id = "neighbor"
        try store.write { tx in
            try tx.add(#require(neighbor))
            try tx.add(resource)
        }
        try body(store)
        #expect(try store.resource(typeName: resource.resourceType, id: "neighbor") == neighbor)
        #expect(try store.check() == [])
    }

    // MARK: - Objects

    private func decode<Resource: FHIRResource>(_ first: Resource, _ second: Resource) throws {
        for resource in [first, second] {
            let json = FHIRJSON.string(resource)
            let decoded = try Resource(json: json)
            #expect(decoded == resource)
            #expect(FHIRJSON.string(decoded) == json)
        }
        #expect(throws: FHIRDecodingError.self) { try Resource(json: "{\"resourceType\":\"Nothing\"}") }
    }

    private func copy<Resource: FHIRResource>(_ resource: Resource) throws {
        let before = ElementPlaces(resource)
        let copy = resource.copy()
        let after = ElementPlaces(copy)
        #expect(copy == resource)
        #expect(FHIRJSON.string(copy) == FHIRJSON.string(resource))
        #expect(copy.id == resource.id)
        #expect(before.objects.keys == after.objects.keys)
        #expect(before.identities.isDisjoint(with: after.identities))
        #expect(Set(before.pks.values).isDisjoint(with: after.pks.values))
    }

    private func populate<Resource: FHIRResource>(_ target: Resource, from source: Resource) throws {
        let json = FHIRJSON.string(source)
        let (before, given) = (ElementPlaces(target), ElementPlaces(source))
        let pks = before.pks
        try target.populate(from: source)
        let after = ElementPlaces(target)
        #expect(target == source)
        #expect(FHIRJSON.string(target) == json)
        #expect(FHIRJSON.string(source) == json)
        #expect(after.identities.isDisjoint(with: given.identities))
        let strangers = Set(pks.values).union(given.pks.values)
        for (place, object) in after.objects {
            if let known = before.objects[place] {
                #expect(object === known && object.pk == pks[place], "\(place) is changed in place")
            } else {
                #expect(!strangers.contains(object.pk), "\(place) has a new pk")
            }
        }
    }

    private func populateFromEmpty<Resource: FHIRResource>(_ target: Resource) throws {
        let pk = target.pk
        try target.populate(from: Resource())
        #expect(target.isEmpty)
        #expect(target == Resource())
        #expect(target.pk == pk)
    }

    // MARK: - In a store

    private func storeRoundTrip(_ resource: FHIRResource, in store: FHIRStore) throws {
        let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "the-one"))
        #expect(fetched !== resource)
        #expect(fetched == resource)
        #expect(FHIRJSON.string(fetched) == FHIRJSON.string(resource))
        #expect(ElementPlaces(fetched).pks == ElementPlaces(resource).pks)
        #expect(try store.read { try $0.resource(pk: resource.pk) } == resource)
    }

    private func updatePersists(_ resource: FHIRResource, _ random: inout RandomInstance, in store: FHIRStore) throws {
        for _ in 0..<2 {
            try store.write { _ in
                for element in resource.layout.elements where element.slot > 0 { random.change(element, of: resource) }
            }
            let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "the-one"))
            #expect(fetched == resource)
            #expect(FHIRJSON.string(fetched) == FHIRJSON.string(resource))
            #expect(ElementPlaces(fetched).pks == ElementPlaces(resource).pks)
        }
    }

    private func upsert<Resource: FHIRResource>(_ resource: Resource, then other: Resource, in store: FHIRStore) throws {
        let pk = resource.pk
        other.id = "the-one"
        let json = FHIRJSON.string(other)
        let count = try store.count(Resource.self)
        let stored = try store.write { tx in try tx.upsert(other) }
        #expect(try store.count(Resource.self) == count)
        #expect(stored.pk == pk)
        #expect(stored !== other)
        #expect(FHIRJSON.string(try #require(try store.resource(Resource.self, id: "the-one"))) == json)
        let again = try store.write { tx in try tx.upsert([other]) }
        #expect((again.added, again.updated, again.unchanged) == (0, 0, 1))
    }

    private func delete(_ resource: FHIRResource, in store: FHIRStore) throws {
        let json = FHIRJSON.string(resource)
        let before = try store.statistics().tables.map(\.rows)
        try store.write { tx in try tx.delete(resource) }
        #expect(try store.statistics().tables.map(\.rows) == before.map { $0 / 2 }, "the neighbor's rows are left")
        #expect(FHIRJSON.string(resource) == json)
        #expect(!resource.isManaged)
        let neighbor = try #require(try store.resource(typeName: resource.resourceType, id: "neighbor"))
        try store.write { tx in try tx.delete(neighbor) }
        #expect(try store.statistics().tables.allSatisfy { $0.rows == 0 })
        try store.write { tx in try tx.add(neighbor) }
    }
}

extension RandomInstance {
    /// An instance like real data with another seed.
    fileprivate static func other<Resource: FHIRResource>(of type: Resource.Type, seed: Int) -> Resource {
        var random = RandomInstance(seed: UInt64(1_000 + seed))
        return random.make(type)
    }
}
