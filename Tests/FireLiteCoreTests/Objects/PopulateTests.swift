import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// `populate(from:)` and `upsert(element:)`: content comes over, identity stays.
@Suite struct PopulateTests {
    @Test func randomObjectsOfEveryClass() throws {
        for type in Effort.sample(FHIRRelease.r4.types, 120) {
            for seed in UInt64(0)..<2 {
                var random = RandomInstance(seed: seed, mode: seed == 0 ? .everything(round: 0) : .sparse)
                let target = random.object(of: type)
                let source = random.object(of: type)
                try check(target, source)
                try check(target, type.init())
                try check(target, source)
            }
        }
    }

    @Test func randomPatients() throws {
        try withEvery(0..<150) { seed in
            var random = RandomInstance(seed: seed)
            try check(random.make(Patient.self), random.make(Patient.self))
            try check(random.make(Bundle.self), random.make(Bundle.self))
        }
    }

    private func check(_ target: FHIRObject, _ source: FHIRObject) throws {
        let keptByRule = kept(target, source)
        let pk = target.pk
        let json = FHIRJSON.data(source)
        try target.populate(from: source)
        try #require(target == source)
        try #require(FHIRJSON.data(target) == json)
        try #require(FHIRJSON.data(source) == json)
        try #require(target.pk == pk)
        expectNothingShared(target, source)
        expectSoundOwnership(target)
        expectSoundOwnership(source)
        let now = Set(everyObject(in: target).map { ObjectIdentifier($0) })
        for object in keptByRule { try #require(now.contains(ObjectIdentifier(object))) }
        // What is equal already stays as it is, to the last object.
        let objects = everyObject(in: target)
        try target.populate(from: source.copyObject())
        try #require(zip(objects, everyObject(in: target)).allSatisfy { $0 === $1 })
    }

    /// The objects of the target that have a counterpart of their class in the source, by element and position.
    private func kept(_ target: FHIRObject, _ source: FHIRObject) -> [FHIRObject] {
        var objects = [target]
        target.forEachSlot { slot in
            switch (slot.value, source.value(Int(slot.index))) {
            case (.object(let mine), .object(let theirs)?) where mine.layout === theirs.layout: objects += kept(mine, theirs)
            case (.objects(let mine), .objects(let theirs)?):
                for (mine, theirs) in zip(mine, theirs) where mine.layout === theirs.layout { objects += kept(mine, theirs) }
            case (.annotated(let mine), .annotated(let theirs)?): objects += kept(mine.element, theirs.element)
            default: break
            }
        }
        return objects
    }

    // MARK: - The rules one by one

    @Test func scalarsAreAssignedAndNilOverwrites() throws {
        let patient = Patient {
            $0.id = "1"
            $0.active = true
            $0.birthDate = "1974"
        }
        try patient.populate(from: Patient { $0.active = false })
        #expect(FHIRJSON.string(patient) == #"{"resourceType":"Patient","active":false}"#)
    }

    @Test func toOneInPlaceCopiedOrRemoved() throws {
        let patient = Patient { $0.maritalStatus = CodeableConcept { $0.text = "old" } }
        let status = patient.maritalStatus
        let pk = status?.pk
        let source = Patient {
            $0.maritalStatus = CodeableConcept { $0.text = "new" }
            $0.managingOrganization = Reference { $0.reference = "Organization/1" }
        }
        try patient.populate(from: source)
        #expect(patient.maritalStatus === status)
        #expect(status?.text == "new")
        #expect(status?.pk == pk)
        #expect(patient.managingOrganization !== source.managingOrganization)
        #expect(patient.managingOrganization == source.managingOrganization)
        #expect(patient.managingOrganization?.pk != source.managingOrganization?.pk)
        try patient.populate(from: Patient())
        #expect(patient.isEmpty)
        #expect(status?.ownerObject == nil)
    }

    @Test func listsGoByPosition() throws {
        func names(_ texts: String...) -> Patient { Patient { $0.name = texts.map { text in HumanName { $0.text = text } } } }
        let patient = names("a", "b")
        let (first, second) = (patient.name[0], patient.name[1])
        try patient.populate(from: names("x", "y", "z"))
        #expect(patient.name.map(\.text) == ["x", "y", "z"])
        #expect(patient.name[0] === first && patient.name[1] === second)
        let third = patient.name[2]
        try patient.populate(from: names("z", "x"))
        #expect(patient.name.map(\.text) == ["z", "x"])
        #expect(patient.name[0] === first && patient.name[1] === second)
        #expect(third.ownerObject == nil)
        try patient.populate(from: names())
        #expect(patient.name.isEmpty)
        #expect(first.ownerObject == nil)
    }

    @Test func choicesChangeTheirType() throws {
        let observation = Observation { $0.valueQuantity = Quantity { $0.value = 1 } }
        try observation.populate(from: Observation { $0.valueString = "high" })
        #expect(FHIRJSON.string(observation) == #"{"resourceType":"Observation","valueString":"high"}"#)
        try observation.populate(from: Observation { $0.valueQuantity = Quantity { $0.value = 2 } })
        #expect(observation.valueQuantity == Quantity { $0.value = 2 })
    }

    @Test func resourcesOfAnotherClassAreReplaced() throws {
        let bundle = Bundle { $0.entry = [BundleEntry { $0.resource = Patient { $0.id = "1" } }] }
        let entry = bundle.entry[0]
        let source = Bundle { $0.entry = [BundleEntry { $0.resource = Basic { $0.id = "2" } }] }
        try bundle.populate(from: source)
        #expect(bundle.entry[0] === entry)
        #expect(bundle.entry[0].resource is Basic)
        #expect(bundle == source)
    }

    @Test func anotherClassThrowsAndNothingChanges() {
        let patient = Patient { $0.active = true }
        let error = #expect(throws: FHIRObjectError.self) { try patient.populate(from: Person { $0.active = false }) }
        #expect(error?.description == "a Patient cannot be populated from a Person: pass an object of the same class")
        #expect(throws: FHIRObjectError.self) { try Quantity().populate(from: Age()) }
        #expect(patient.active == true)
    }

    @Test func populatingFromItselfIsNothing() throws {
        var random = RandomInstance(seed: 5, mode: .everything(round: 0))
        let patient = random.make(Patient.self)
        let copy = patient.copy()
        try patient.populate(from: patient)
        #expect(patient == copy)
    }

    @Test func populatingFromAPartOfItselfAndFromWhatItIsPartOf() throws {
        func item(_ linkId: String, _ items: [QuestionnaireItem]) -> QuestionnaireItem {
            QuestionnaireItem {
                $0.id = "id of \(linkId)"
                $0.linkId = linkId
                $0.item = items
                $0.text = linkId
                $0.initial = [QuestionnaireItemInitial { $0.valueString = linkId }]
            }
        }
        let outer = item("1", [item("1.1", [item("1.1.1", [])]), item("1.2", [])])
        let part = outer.item[0].copy()
        try outer.populate(from: outer.item[0])
        #expect(outer == part)
        expectSoundOwnership(outer)
        let whole = outer.copy()
        try outer.item[0].populate(from: outer)
        #expect(outer.item[0] == whole)
        expectSoundOwnership(outer)
        let nested = Extension {
            $0.valueReference = Reference { $0.identifier = Identifier { $0.assigner = Reference { $0.display = "x" } } }
        }
        nested.upsert(\.valueReference, to: nested.valueReference?.identifier?.assigner)
        #expect(FHIRJSON.string(nested) == #"{"valueReference":{"display":"x"}}"#)
    }

    // MARK: - upsert(_:to:)

    @Test func upsertTakesOverContentOnly() {
        let name = HumanName()
        let period = Period { $0.start = "2020" }
        name.upsert(\.period, to: period)
        #expect(name.period !== period)
        #expect(name.period == period)
        #expect(period.ownerObject == nil)
        let own = name.period
        period.end = "2021"
        name.upsert(\.period, to: period)
        #expect(name.period === own)
        #expect(own?.end == "2021")
        name.upsert(\.period, to: nil)
        #expect(name.period == nil)
        #expect(own?.ownerObject == nil)
        name.upsert(\.period, to: nil)
        #expect(name.isEmpty)
    }

    @Test func upsertOfAListGoesByPosition() {
        let patient = Patient { $0.name = [HumanName { $0.text = "a" }, HumanName { $0.text = "b" }] }
        let (first, second) = (patient.name[0], patient.name[1])
        let values = ["x", "y", "z"].map { text in HumanName { $0.text = text } }
        patient.upsert(\.name, to: values)
        #expect(patient.name == values)
        #expect(patient.name[0] === first && patient.name[1] === second && patient.name[2] !== values[2])
        #expect(values.allSatisfy { $0.ownerObject == nil })
        patient.upsert(\.name, to: [values[2]])
        #expect(patient.name.map(\.text) == ["z"] && patient.name[0] === first && second.ownerObject == nil)
        patient.upsert(\.name, to: [])
        #expect(patient.isEmpty)
    }

    @Test func upsertOfAListFromItsOwnElements() {
        func item(_ linkId: String, _ items: [QuestionnaireItem] = []) -> QuestionnaireItem {
            QuestionnaireItem {
                $0.linkId = linkId; $0.item = items
            }
        }
        let outer = item("1", [item("a"), item("b", [item("c")]), item("d")])
        let items = outer.item
        outer.upsert(\.item, to: [items[1], items[0], items[2], items[1].item[0], outer])
        #expect(outer.item.map(\.linkId) == ["b", "a", "d", "c", "1"])
        #expect(outer.item[4].item.map(\.linkId) == ["a", "b", "d"] && outer.item[0].item.map(\.linkId) == ["c"])
        #expect(zip(outer.item, items).allSatisfy { $0 === $1 })
        expectSoundOwnership(outer)
    }

    @Test func upsertGoesThroughPathsToPartsAndPropertiesOfOnesOwn() {
        let patient = Patient { $0.contact = [PatientContact { $0.name = HumanName { $0.text = "a" } }] }
        let name = patient.contact[0].name
        patient.upsert(\.contact[0].name, to: HumanName { $0.family = "b" })
        #expect(patient.contact[0].name === name && name?.family == "b" && name?.text == nil)
        patient.upsert(\.firstName, to: HumanName { $0.text = "c" })
        let first = patient.name[0]
        patient.upsert(\.firstName, to: HumanName { $0.text = "d" })
        #expect(patient.name[0] === first && first.text == "d")
        patient.upsert(\.firstName, to: nil)
        #expect(patient.name.isEmpty)
    }

    @Test func upsertOfAChoiceClearsTheOthers() {
        let observation = Observation { $0.valueString = "high" }
        observation.upsert(\.valueQuantity, to: Quantity { $0.value = 2 })
        #expect(FHIRJSON.string(observation) == #"{"resourceType":"Observation","valueQuantity":{"value":2}}"#)
        observation.upsert(\.valueCodeableConcept, to: nil)
        #expect(observation.valueQuantity?.value == 2)
    }
}

extension Patient {
    fileprivate var firstName: HumanName? {
        get { name.first }
        set { name = (newValue.map { [$0] } ?? []) + name.dropFirst() }
    }
}
