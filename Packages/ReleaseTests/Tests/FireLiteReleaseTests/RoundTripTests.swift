import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// Whatever goes into JSON or a store comes out of it: every class, element and type of choice of each release.
@Suite struct RoundTripTests {
    @Test(arguments: Releases.types(30)) func everyElementOfEveryClass(_ name: TypeName) throws {
        let type = try #require(name.release.type(named: name.name))
        let reader = FHIRJSONReader(release: name.release)
        for round in 0..<RandomInstance.rounds(for: type) {
            var random = RandomInstance(seed: UInt64(round), mode: .everything(round: round))
            try check(random.object(of: type), reader)
        }
    }

    @Test(arguments: Releases.all) func everySlotIsFilledInSomeRound(_ release: FHIRRelease) throws {
        for type in Effort.sample(release.types, 40) {
            var missing = Set(type._layout.elements.indices)
            for round in 0..<RandomInstance.rounds(for: type) {
                var random = RandomInstance(seed: 1, mode: .everything(round: round))
                random.maximumDepth = 1
                random.object(of: type).forEachSlot { missing.remove(Int($0.index)) }
            }
            #expect(missing.isEmpty, "\(type._layout.name): \(missing.map { type._layout.elements[$0].name })")
        }
    }

    @Test(arguments: Releases.all) func sparseResources(_ release: FHIRRelease) throws {
        let reader = FHIRJSONReader(release: release)
        try withEvery(Effort.seeds(60)) { seed in
            var random = RandomInstance(seed: seed)
            try check(random.resource(of: release), reader)
        }
    }

    /// Object, JSON, object, store, object, JSON: every resource class with every element and every type of its choices.
    @Test(arguments: Releases.resourceTypes(6)) func everyElementOfEveryResourceThroughTheStore(_ name: TypeName) throws {
        let type = try #require(name.release.resourceType(named: name.name))
        let store = try FHIRStore.inMemory(release: name.release)
        var modes: [RandomInstance.Mode] = (0..<RandomInstance.rounds(for: type)).map { .everything(round: $0) }
        modes += Array(repeating: .sparse, count: 3)
        for (seed, mode) in modes.enumerated() {
            var random = RandomInstance(seed: UInt64(seed), mode: mode)
            let object = random.object(of: type)
            let json = FHIRJSON.string(object)
            let decoded = try FHIRJSON.resource(from: FHIRJSON.data(object), release: name.release)
            try store.write { tx in try tx.add(decoded) }
            let fetched = try #require(try store.read { try $0.resource(pk: decoded.pk) }, "seed \(seed)")
            #expect(fetched !== decoded)
            #expect(FHIRJSON.string(fetched) == json, "seed \(seed), \(mode)")
            #expect(fetched == object, "seed \(seed), \(mode)")
        }
        #expect(try store.check() == [])
        try store.write { tx in
            var all: [FHIRResource] = []
            try tx.forEach(typeName: name.name) { all.append($0) }
            try tx.delete(all)
        }
        #expect(try store.statistics().tables.allSatisfy { $0.rows == 0 })
    }

    private func check(_ object: FHIRObject, _ reader: FHIRJSONReader) throws {
        let json = FHIRJSON.data(object)
        let tree = try JSONTree(json)
        #expect(JSONTree(object).difference(to: tree) == nil)
        let result: FHIRObject
        if object.layout.isResource {
            result = try reader.resource(from: json)
        } else {
            result = Swift.type(of: object).init()
            try FHIRJSON.read(json, into: result)
        }
        try #require(result == object)
        #expect(Swift.type(of: result) == Swift.type(of: object))
        #expect(FHIRJSON.data(result) == json)
        let pretty = FHIRJSON.data(object, pretty: true)
        #expect(try JSONTree(pretty).difference(to: tree) == nil)
        try #require(isOwner(result))
        try #require(isOwner(object))
    }

    /// Whether everything in an object belongs to it.
    private func isOwner(_ object: FHIRObject) -> Bool {
        var isOwner = true
        object.forEachSlot { slot in
            slot.value.forEachChild { child in
                if child.ownerObject !== object || !self.isOwner(child) { isOwner = false }
            }
        }
        return isOwner
    }
}
