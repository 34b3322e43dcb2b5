import FireLite
import FireLiteR4
import TestSupport
import Testing

@Suite(.soundStores) struct RoundTripTests {
    @Test func whatABatchHoldsComesBackInOrder() throws {
        try withStore { store in
            var random = RandomInstance(seed: 7)
            let count = Effort.isNightly ? 600 : Effort.count(60)
            let resources = (0..<count).map { index in
                let resource = random.resource(of: .r4)
                resource.id = "r\(index)"
                return resource
            }
            let texts = resources.map { FHIRJSON.string($0) }
            let result = try store.write { tx in try tx.upsert(resources) }
            #expect(result.added == count)
            for (index, resource) in resources.enumerated() {
                let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "r\(index)"))
                #expect(FHIRJSON.string(fetched) == texts[index])
            }
            var scanned = 0
            for (name, count) in try store.counts().map({ ($0.typeName, $0.count) }) {
                var ofType = 0
                try store.read { try $0.forEach(typeName: name) { _ in ofType += 1 } }
                #expect(ofType == count)
                scanned += count
            }
            #expect(scanned == count)
        }
    }

    /// Content of the second element of a list of primitives that has only extensions, and nulls.
    @Test func nullsAndExtensionsInListsOfPrimitives() throws {
        try withStore { store in
            let json =
                ##"{"resourceType":"Patient","id":"p","name":[{"given":["A",null,"B"],"##
                + ##""_given":[null,{"extension":[{"url":"u:1","valueString":"x"}]},{"id":"g"}]}]}"##
            let patient = try Patient(json: json)
            try store.write { tx in try tx.add(patient) }
            #expect(try store.resource(Patient.self, id: "p").map { FHIRJSON.string($0) } == json)
        }
    }
}
