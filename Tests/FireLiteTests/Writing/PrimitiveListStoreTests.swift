import FireLite
import FireLiteR4
import TestSupport
import Testing

/// Ids and extensions of primitives in a list follow their values in stored objects, and into the file.
@Suite struct PrimitiveListStoreTests {
    private typealias Place = (value: String, id: String?)

    private func places(_ patient: Patient?) -> [Place] {
        (patient?.name.first?[places: \.given] ?? []).map { ($0.value ?? "null", ($0.element as? Element)?.id) }
    }

    private func isSame(_ first: [Place], _ second: [Place]) -> Bool { first.elementsEqual(second) { $0 == $1 } }

    @Test func removedFromAStoredList() throws {
        try withStore { store in
            let json =
                #"{"resourceType":"Patient","id":"1","name":[{"given":["Peter","James"],"_given":[{"extension":[{"url":"u"}]},null]}]}"#
            let patient = try Patient(json: json)
            try store.write { tx in try tx.add(patient) }
            try store.write { _ in patient.name[0].given.remove(at: 0) }
            let expected = #"{"resourceType":"Patient","id":"1","name":[{"given":["James"]}]}"#
            #expect(try store.resource(Patient.self, id: "1").map { FHIRJSON.string($0) } == expected)
            // A write that throws leaves values and extensions where they were.
            try store.write { _ in patient.name[0][places: \.given].append(FHIRListPlace("Lee", element: Element { $0.id = "l" })) }
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try store.write { _ in
                    patient.name[0].given.reverse()
                    patient.name[0].given.removeLast()
                    throw Stop()
                }
            }
            #expect(isSame(places(patient), [("James", nil), ("Lee", "l")]))
            #expect(isSame(places(try store.resource(Patient.self, id: "1")), [("James", nil), ("Lee", "l")]))
        }
    }

    /// Random edits of a stored patient, beside the same edits of pairs; each is read again from the file, and so is an unmanaged twin upserted.
    @Test func randomEditsOfStoredLists() throws {
        let values = ["a", "b", "c", "d", "e", "f", "g"]
        try withEvery(Effort.seeds(12)) { seed in
            try withStore { store in
                var generator = SeededGenerator(seed: seed)
                var patient = Patient {
                    $0.id = "1"; $0.name = [HumanName()]
                }
                var pairs: [Place] = []
                try store.write { tx in try tx.add(patient) }
                for round in 0..<20 {
                    let fresh = values.filter { value in !pairs.contains { $0.value == value } }.shuffled(using: &generator)
                    let place = generator.int(0...max(pairs.count - 1, 0))
                    let target = generator.percent(50) ? patient : patient.copy()
                    func edit(_ name: HumanName) {
                        switch generator.int(0...6) {
                        case 0 where !pairs.isEmpty:
                            name.given.remove(at: place)
                            pairs.remove(at: place)
                        case 1:
                            name.given.reverse()
                            pairs.reverse()
                        case 2 where !pairs.isEmpty:
                            name.given.swapAt(0, place)
                            pairs.swapAt(0, place)
                        case 3:
                            name.given.sort()
                            pairs.sort { $0.value < $1.value }
                        case 4 where !pairs.isEmpty && !fresh.isEmpty:
                            name.given[place] = fresh[0]
                            pairs[place].value = fresh[0]
                        case 5 where !fresh.isEmpty:
                            name.given.insert(fresh[0], at: place)
                            pairs.insert((fresh[0], nil), at: place)
                        default:
                            guard let value = fresh.first else { return }
                            name[places: \.given].insert(FHIRListPlace(value, element: Element { $0.id = "\(round)" }), at: place)
                            pairs.insert((value, "\(round)"), at: place)
                        }
                    }
                    try store.write { tx in
                        edit(target.name[0])
                        if target !== patient { try tx.upsert(target) }
                    }
                    if target !== patient { patient = try #require(try store.resource(Patient.self, id: "1")) }
                    try #require(isSame(places(patient), pairs), "round \(round)")
                    try #require(isSame(places(try store.resource(Patient.self, id: "1")), pairs), "round \(round)")
                    let faults = try store.check()
                    try #require(faults.isEmpty, "round \(round)")
                }
            }
        }
    }
}
