import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

/// Everything has one owner: what is put into a second place is copied for it.
@Suite struct OwnershipTests {
    @Test func anElementInTwoPlacesIsCopied() {
        let name = HumanName { $0.family = "Chalmers" }
        let first = Patient { $0.name = [name] }
        let second = Patient { $0.name = [name] }
        #expect(first.name[0] === name)
        #expect(second.name[0] !== name)
        #expect(second.name == first.name)
        name.family = "Windsor"
        #expect(second.name[0].family == "Chalmers")
        first.name.append(name)
        #expect(first.name[0] === name)
        #expect(first.name[1] !== name)
        #expect(first.name[1] == name)
        let period = Period { $0.start = "2020" }
        first.name[0].period = period
        first.name[1].period = period
        #expect(first.name[0].period === period)
        #expect(first.name[1].period !== period)
        second.name = first.name
        expectNothingShared(first, second)
        for patient in [first, second] { expectSoundOwnership(patient) }
    }

    @Test func whatIsTakenOutMayGoElsewhere() {
        let name = HumanName { $0.family = "Chalmers" }
        let first = Patient { $0.name = [name] }
        first.name = []
        #expect(name.ownerObject == nil)
        let second = Patient { $0.name = [name] }
        #expect(second.name[0] === name)
        let marital = CodeableConcept { $0.text = "m" }
        first.maritalStatus = marital
        first.maritalStatus = CodeableConcept { $0.text = "n" }
        second.maritalStatus = marital
        #expect(second.maritalStatus === marital)
        second.maritalStatus = nil
        #expect(marital.ownerObject == nil)
    }

    @Test func elementsThatOutliveTheirOwnerAreUnmanaged() {
        var patient: Patient? = Patient { $0.name = [HumanName { $0.family = "Chalmers" }] }
        let name = patient?.name[0]
        #expect(name?.ownerObject != nil)
        patient = nil
        #expect(name?.ownerObject == nil)
        let other = Patient { $0.name = [name].compactMap { $0 } }
        #expect(other.name[0] === name)
    }

    @Test func listEditsKeepTheElements() {
        let names = ["a", "b", "c", "d"].map { text in HumanName { $0.text = text } }
        let patient = Patient { $0.name = names }
        func texts() -> [String?] { patient.name.map(\.text) }
        func areSame(_ expected: [HumanName]) -> Bool {
            zip(patient.name, expected).allSatisfy { $0 === $1 } && patient.name.count == expected.count
        }
        #expect(areSame(names))
        patient.name.swapAt(0, 3)
        #expect(areSame([names[3], names[1], names[2], names[0]]))
        patient.name.sort { ($0.text ?? "") < ($1.text ?? "") }
        #expect(areSame(names))
        patient.name.remove(at: 1)
        #expect(areSame([names[0], names[2], names[3]]))
        #expect(names[1].ownerObject == nil)
        patient.name.insert(names[1], at: 0)
        #expect(areSame([names[1], names[0], names[2], names[3]]))
        patient.name.reverse()
        #expect(texts() == ["d", "c", "a", "b"])
        patient.name.append(names[0])
        #expect(patient.name[4] !== names[0])
        #expect(patient.name[2] === names[0])
        patient.name = [names[0], names[0], names[0]]
        #expect(patient.name[0] === names[0])
        #expect(Set(patient.name.map { ObjectIdentifier($0) }).count == 3)
        expectSoundOwnership(patient)
        #expect(patient.name.allSatisfy { $0.ownerObject === patient })
        #expect(names[2].ownerObject == nil && names[3].ownerObject == nil)
    }

    @Test func anObjectCannotContainItself() {
        let outer = Extension { $0.url = "outer" }
        outer.extension = [outer]
        #expect(outer.extension[0] !== outer)
        #expect(outer.extension[0].extension.isEmpty)
        let inner = Extension { $0.url = "inner" }
        outer.extension = [inner]
        inner.extension = [outer]
        #expect(inner.extension[0] !== outer)
        #expect(FHIRJSON.string(outer).count < 200)
        expectSoundOwnership(outer)
        let bundle = Bundle()
        bundle.entry = [BundleEntry { $0.resource = bundle }]
        #expect(bundle.entry[0].resource !== bundle)
        expectSoundOwnership(bundle)
    }

    @Test func containedResourcesKnowTheirContainer() {
        let organization = Organization { $0.id = "o" }
        let patient = Patient { $0.contained = [organization] }
        #expect(patient.contained[0] === organization)
        #expect(organization.rootObject === patient)
        let other = Patient { $0.contained = [organization] }
        #expect(other.contained[0] !== organization)
        #expect(other.contained[0] is Organization)
    }

    @Test func randomShufflesOfRandomLists() throws {
        try withEvery(0..<200) { seed in
            var generator = SeededGenerator(seed: seed)
            let patient = Patient()
            var free = (0..<6).map { number in HumanName { $0.text = "\(number)" } }
            for _ in 0..<20 {
                var list = patient.name
                switch generator.int(0...4) {
                case 0: list.shuffle(using: &generator)
                case 1: if let name = free.popLast() { list.insert(name, at: generator.int(0...list.count)) }
                case 2: if !list.isEmpty { free.append(list.remove(at: generator.int(0...list.count - 1))) }
                case 3: if let name = list.last { list.insert(name, at: 0) }
                default: list = Array(list.prefix(3))
                }
                patient.name = list
                try #require(patient.name.map(\.text) == list.map(\.text))
                // The first place of each stays itself.
                var seen: Set<ObjectIdentifier> = []
                for (mine, given) in zip(patient.name, list) where seen.insert(ObjectIdentifier(given)).inserted {
                    try #require(mine === given)
                }
                expectSoundOwnership(patient)
                free = free.filter { $0.ownerObject == nil }
                #expect(everyObject(in: patient).allSatisfy { $0.objectFlags.isEmpty })
            }
        }
    }
}
