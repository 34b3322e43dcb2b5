import FireLite
import FireLiteR4
import Testing

@testable import TestSupport

@Suite struct UpsertTests {
    private func patient(_ id: String?, _ family: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = family }]
        }
    }

    @Test func addsUpdatesAndLeavesAlone() throws {
        try withStore { store in
            let first = try store.write { tx in try tx.upsert([patient("1", "A"), patient("2", "B")]) }
            #expect((first.added, first.updated, first.unchanged) == (2, 0, 0))
            let pk = first[0].pk
            let second = try store.write { tx in try tx.upsert([patient("1", "A"), patient("2", "C"), patient("3", "D")]) }
            #expect((second.added, second.updated, second.unchanged) == (1, 1, 1))
            #expect(second[0].pk == pk)
            #expect(second.map { $0.name[0].family } == ["A", "C", "D"])
            #expect(try store.count(Patient.self) == 3)
        }
    }

    @Test func ofTwoWithOneIdTheLastWinsAndBothSlotsAreOneObject() throws {
        try withStore { store in
            let result = try store.write { tx in try tx.upsert([patient("1", "A"), patient("2", "B"), patient("1", "C")]) }
            #expect(result.count == 3)
            #expect(result[0] === result[2])
            #expect(result[0].name[0].family == "C")
            #expect(try store.count(Patient.self) == 2)
        }
    }

    @Test func withoutIdAlwaysAdds() throws {
        try withStore { store in
            try store.write { tx in try tx.upsert([patient(nil, "A"), patient(nil, "A")]) }
            try store.write { tx in try tx.upsert(patient(nil, "A")) }
            #expect(try store.count(Patient.self) == 3)
        }
    }

    @Test func addedArgumentIsReturnedAndManaged() throws {
        try withStore { store in
            let new = patient("1", "A")
            let returned = try store.write { tx in try tx.upsert(new) }
            #expect(returned === new)
            #expect(new.isManaged)
            let incoming = patient("1", "B")
            let stored = try store.write { tx in try tx.upsert(incoming) }
            #expect(!incoming.isManaged)
            #expect(stored.pk == new.pk)
            #expect(stored.name[0].family == "B")
        }
    }

    /// Replacing a resource by another random one of its type, again and again, gives that one and leaves no row of the old.
    @Test func replacingLeavesWhatIsNewAndNothingElse() throws {
        try withStore { store in
            try withEvery(0..<40) { seed in
                var random = RandomInstance(seed: seed)
                let type = random.generator.pick(FHIRRelease.r4.resourceTypes)
                for round in 0..<3 {
                    let resource = random.object(of: type) as! FHIRResource
                    resource.id = "x\(seed)"
                    let json = FHIRJSON.string(resource)
                    try store.write { tx in _ = try tx.upsert([resource]) }
                    let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "x\(seed)"))
                    #expect(FHIRJSON.string(fetched) == json, "seed \(seed), round \(round), \(type)")
                }
            }
        }
    }

    @Test func entriesOfABundleWithTheirReferences() throws {
        try withStore { store in
            let bundle = try Bundle(
                json: ##"{"resourceType":"Bundle","type":"transaction","entry":["##
                    + ##"{"fullUrl":"urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0","resource":{"resourceType":"Patient","active":true}},"##
                    + ##"{"fullUrl":"https://example.org/fhir/Observation/o","resource":{"resourceType":"Observation","id":"o","status":"final","##
                    + ##""subject":{"reference":"urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"}}},{"request":{"method":"DELETE","url":"X/1"}}]}"##
            )
            let json = FHIRJSON.string(bundle)
            let result = try store.write { tx in try tx.upsert(bundle: bundle) }
            #expect(result.added == 2)
            #expect(FHIRJSON.string(bundle) == json)
            let observation = try #require(try store.resource(Observation.self, id: "o"))
            #expect(observation.subject?.reference == "Patient/0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0")
            #expect((try observation.subject?.resolve(in: store) as? Patient)?.active == true)
            let again = try store.write { tx in try tx.upsert(bundle: bundle) }
            #expect((again.added, again.unchanged) == (0, 2))
        }
    }

    /// An upsert keeps the pks of elements that stay at their place.
    @Test func elementsKeepTheirPks() throws {
        try withStore { store in
            let first = patient("1", "A")
            first.name.append(HumanName { $0.family = "Z" })
            try store.write { tx in try tx.add(first) }
            let pks = first.name.map(\.pk)
            let second = patient("1", "B")
            second.name.append(HumanName { $0.family = "Y" })
            second.name.append(HumanName { $0.family = "X" })
            try store.write { tx in try tx.upsert(second) }
            let stored = try #require(try store.resource(Patient.self, id: "1"))
            #expect(Array(stored.name.map(\.pk).prefix(2)) == pks)
            #expect(Set(stored.name.map(\.pk)).count == 3)
        }
    }

    /// In a fresh store ids are known without look-ups; whatever happens to them meanwhile, one id stays one resource.
    @Test func idsOfAFreshStoreAreKnownWithinTheWrite() throws {
        try withStore { store in
            func patient(_ id: String, _ gender: String) -> Patient {
                Patient {
                    $0.id = id
                    $0.language = gender
                }
            }
            try store.write { tx in
                #expect(try tx.upsert([patient("a", "1"), patient("b", "1")]).added == 2)
                let again = try tx.upsert([patient("a", "2"), patient("b", "1"), patient("c", "1")])
                #expect((again.added, again.updated, again.unchanged) == (1, 1, 1))
                // An id that is given up, one that is given to a stored resource, one that is added without a look-up.
                try tx.delete(Patient.self, id: "b")
                #expect(try tx.upsert([patient("b", "3")]).added == 1)
                let c = try #require(try tx.resource(Patient.self, id: "c"))
                c.id = "d"
                #expect(try tx.upsert([patient("d", "4")]).updated == 1)
                try tx.add(patient("e", "1"))
                #expect(try tx.upsert([patient("e", "5")]).updated == 1)
            }
            let found = try store.query(Patient.self).all().map { "\($0.id ?? "")\($0.language ?? "")" }.sorted()
            #expect(found == ["a2", "b3", "d4", "e5"])
            try store.write { tx in
                let later = try tx.upsert([patient("a", "2"), patient("f", "1")])
                #expect((later.added, later.unchanged) == (1, 1))
            }
            #expect(try store.count(Patient.self) == 5)
        }
    }
}
