import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// What goes into JSON comes out of it, for every class, element and type of choice.
@Suite struct RoundTripTests {
    @Test(arguments: Effort.items(FHIRRelease.r4.types).map { $0._layout.name })
    func everyElementOfEveryClass(name: String) throws {
        let type = try #require(FHIRRelease.r4.type(named: name))
        let reader = FHIRJSONReader(release: .r4)
        for round in 0..<RandomInstance.rounds(for: type) {
            var random = RandomInstance(seed: UInt64(round), mode: .everything(round: round))
            try check(random.object(of: type), reader)
        }
    }

    @Test func everySlotIsFilledInSomeRound() throws {
        for type in FHIRRelease.r4.types {
            var missing = Set(type._layout.elements.indices)
            for round in 0..<RandomInstance.rounds(for: type) {
                var random = RandomInstance(seed: 1, mode: .everything(round: round))
                random.maximumDepth = 1
                random.object(of: type).forEachSlot { missing.remove(Int($0.index)) }
            }
            #expect(missing.isEmpty, "\(type._layout.name): \(missing.map { type._layout.elements[$0].name })")
        }
    }

    @Test func sparseResources() throws {
        let reader = FHIRJSONReader(release: .r4)
        try withEvery(Effort.seeds(400)) { seed in
            var random = RandomInstance(seed: seed)
            try check(random.resource(of: .r4), reader)
        }
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
