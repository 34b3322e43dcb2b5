import FireLite
import FireLiteR4
import Foundation
import Testing

// example ObjectsAndIdentity.md
@MainActor final class PatientForm {
    let store: FHIRStore
    var draft: Draft<Patient>
    var clashes: [ElementClash] = []

    init(_ patient: Patient, in store: FHIRStore) {
        self.store = store
        draft = Draft(patient)
    }

    func rename(to family: String) {
        draft[\.name[0].family] = family
    }

    func save(preferring side: ThreeWayMerge.Side? = nil) async throws {
        do {
            draft = try await store.save(draft, preferring: side)
            clashes = []
        } catch let error as FHIRStoreError where error.conflict == .changed {
            clashes = error.clashes
        }
    }
}
// end

/// The examples of ObjectsAndIdentity.md, and what its rules say.
@Suite struct ObjectsExamples {
    private static let timeOfBirthURL = "http://hl7.org/fhir/StructureDefinition/patient-birthTime"

    /// Each place as `value:id`.
    private func shown(_ name: HumanName) -> [String] {
        name[places: \.given].map { "\($0.value ?? "null"):\(($0.element as? Element)?.id ?? "-")" }
    }

    @Test func identity() throws {
        // example ObjectsAndIdentity.md
        let observation = Observation {
            $0.id = "weight-1"
            $0.status = .final
            $0.valueQuantity = Quantity { $0.value = "72.50" }
        }
        observation.valueQuantity?.unit = "kg"
        // end
        try withStore { store in
            try store.write { tx in try tx.add(observation) }
            // example ObjectsAndIdentity.md
            let byID = try store.resource(Observation.self, id: "weight-1")
            let byPK = try store.resource(Observation.self, pk: observation.pk)
            // end
            #expect(byID == observation && byPK == observation)
            // Each read makes objects, a write has one for each resource.
            #expect(byID !== byPK)
            try store.write { tx in
                let first = try tx.resource(Observation.self, id: "weight-1")
                let second = try tx.resource(Observation.self, pk: observation.pk)
                #expect(first === second)
            }
            let quantity = observation.valueQuantity?.pk
            // example ObjectsAndIdentity.md
            let twin = observation.copy()
            twin.status = .amended
            try store.write { _ in try observation.populate(from: twin) }
            // end
            #expect(!twin.isManaged && twin.pk != observation.pk)
            let stored = try store.resource(Observation.self, id: "weight-1")
            #expect(stored?.status == .amended && stored?.valueQuantity?.pk == quantity)
            twin.subject = Reference { $0.reference = "Patient/1" }
            twin.category = [CodeableConcept { $0.text = "vital signs" }]
            // example ObjectsAndIdentity.md
            try store.write { _ in
                observation.upsert(\.subject, to: twin.subject)
                observation.upsert(\.category, to: twin.category)
            }
            // end
            #expect(try store.resource(Observation.self, id: "weight-1") == twin)
        }
    }

    @Test @MainActor func aForm() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = Patient {
            $0.id = "1"
            $0.name = [HumanName { $0.family = "Adams" }]
        }
        try store.blocking { try $0.write { tx in try tx.add(patient) } }
        let form = PatientForm(patient, in: store)
        form.rename(to: "Brown")
        form.draft.change { $0.name.append(HumanName { $0.text = "Joe" }) }
        try store.blocking { try $0.write { _ in patient.active = true } }
        try await form.save()
        var stored = try await store.resource(Patient.self, id: "1")
        #expect(stored?.name.map(\.family) == ["Brown", nil] && stored?.active == true && form.clashes.isEmpty)
        form.rename(to: "Clark")
        try await store.write { tx in try tx.resource(Patient.self, id: "1")?.name[0].family = "Davis" }
        try await form.save()
        #expect(form.clashes.map(\.path) == ["name[0].family"])
        try await form.save(preferring: .local)
        stored = try await store.resource(Patient.self, id: "1")
        #expect(stored?.name[0].family == "Clark" && form.clashes.isEmpty)
    }

    @Test func extensionsOfPrimitives() throws {
        let patient = Patient {
            $0.id = "1"; $0.birthDate = "1970-03-30"
        }
        let timeOfBirth = Extension {
            $0.url = Self.timeOfBirthURL; $0.valueDateTime = "1970-03-30T12:01:02Z"
        }
        // example ObjectsAndIdentity.md
        patient[element: \.birthDate] = Element { $0.extension = [timeOfBirth] }
        // end
        func urls() -> [String?] { (patient[element: \.birthDate] as? Element)?.extension.map(\.url) ?? [] }
        #expect(urls() == [Self.timeOfBirthURL])
        let json =
            #"{"resourceType":"Patient","id":"1","birthDate":"1970-03-30","_birthDate":{"extension":["#
            + #"{"url":"\#(Self.timeOfBirthURL)","valueDateTime":"1970-03-30T12:01:02Z"}]}}"#
        #expect(try Patient(json: json) == patient)
        // Setting the value leaves them, setting it to nil too.
        patient.birthDate = "1970"
        #expect(urls() == [Self.timeOfBirthURL])
        patient.birthDate = nil
        #expect(urls() == [Self.timeOfBirthURL])
        try withStore { store in
            try store.write { tx in try tx.add(patient) }
            #expect(try store.resource(Patient.self, id: "1") == patient)
        }
    }

    @Test func placesOfLists() throws {
        let name = try HumanName(json: #"{"given":["Peter","James"],"_given":[{"id":"first"},{"id":"second"}]}"#)
        // example ObjectsAndIdentity.md
        name[places: \.given].remove(at: 0)
        name[places: \.given].append(FHIRListPlace("Lee", element: Element { $0.id = "third" }))
        name[places: \.given][0].element = nil
        // end
        #expect(name.given == ["James", "Lee"])
        #expect(shown(name) == ["James:-", "Lee:third"])
        #expect(FHIRJSON.string(name) == #"{"given":["James","Lee"],"_given":[null,{"id":"third"}]}"#)
    }

    @Test func textAboutObjects() {
        let patient = Patient {
            $0.id = "123"; $0.active = true
        }
        // example ObjectsAndIdentity.md
        print(patient)  // Patient/123
        debugPrint(patient)  // Patient/123 (2 elements)
        print(FHIRJSON.string(patient, pretty: true))  // the content
        dump(patient)  // the content, element by element
        // end
        #expect("\(patient)" == "Patient/123" && String(reflecting: patient) == "Patient/123 (2 elements)")
    }

    @Test func keysOfObjects() {
        let patient = Patient { $0.id = "123" }
        // example ObjectsAndIdentity.md
        var seen: Set<FHIRObjectID> = []
        let isNew = seen.insert(FHIRObjectID(pk: patient.pk)).inserted
        // end
        patient.active = true
        #expect(isNew && seen.contains(FHIRObjectID(pk: patient.pk)))
    }

    @Test func orderOfDates() {
        // example ObjectsAndIdentity.md
        let year: FHIRDate = "2020"
        let order = year.compare(to: FHIRDate("2021-03"))  // before
        let unknown = year.compare(to: FHIRDate("2020-03"))  // nil: March is in the year
        let isBefore = year.isBefore(FHIRDateTime("2021-01-02T00:00:00Z"))  // true, in every zone
        let isSame = FHIRInstant("2020-01-01T00:00:00Z").isSame(as: FHIRInstant("2020-01-01T01:00:00+01:00"))  // true
        // end
        #expect(order == .before && unknown == nil && isBefore == true && isSame == true)
    }

    @Test func foundationsTypes() throws {
        let image = Data([1, 2, 3])
        let address = try #require(URL(string: "https://example.org/a.png"))
        // example ObjectsAndIdentity.md
        let dose: FHIRDecimal = "1.50"
        let birthday = FHIRDate(DateComponents(year: 1970, month: 3, day: 30))
        let fields = FHIRDateTime("2024-02-29T10:00:00+01:00").dateComponents
        let photo = Attachment {
            $0.data = image.fhirBase64
            $0.url = address.fhirURI
        }
        let bytes = photo.data.flatMap { Data(fhirBase64: $0) }
        let link = photo.url.flatMap { URL(fhirURI: $0) }
        // end
        #expect(dose.literal == "1.50" && birthday == "1970-03-30" && fields.timeZone?.secondsFromGMT() == 3_600)
        #expect(bytes == image && link == address)
    }

    @Test func theModel() {
        let patient = Patient()
        // example ObjectsAndIdentity.md
        for element in patient.layout.elements where element.isList && element.kind == .object {
            print(element.name, element.typeName, element.min, element.max.map(String.init) ?? "*")
        }
        let birthDate = Patient().layout.element(named: "birthDate")?.primitive  // date
        let types = FHIRRelease.r4.resourceTypes.map { $0.init().resourceType }
        // end
        #expect(birthDate == .date && types.count == 146)
    }

    /// The table of the four views.
    @Test func viewsOfAList() throws {
        let name = try HumanName(json: #"{"given":["Peter",null,"James"],"_given":[{"id":"p"},{"id":"n"},null]}"#)
        #expect(name.given == ["Peter", "James"])
        #expect(name[literals: \.given] == ["Peter", nil, "James"])
        #expect(name[elements: \.given].map { ($0 as? Element)?.id } == ["p", "n", nil])
        #expect(shown(name) == ["Peter:p", "null:n", "James:-"])
        let plain = HumanName { $0.given = ["Peter"] }
        #expect(plain[elements: \.given].isEmpty)
    }

    /// The rules for lists of which only the values are set, in their order.
    @Test func rulesOfValues() throws {
        func list() throws -> HumanName {
            try HumanName(json: #"{"given":["Peter","James",null],"_given":[{"id":"p"},null,{"id":"n"}]}"#)
        }
        let edits: [((inout [String]) -> Void, [String])] = [
            ({ $0.sort() }, ["James:-", "null:n", "Peter:p"]), ({ $0.remove(at: 0) }, ["James:-", "null:n"]),
            ({ $0.insert("Lee", at: 0) }, ["Lee:-", "Peter:p", "James:-", "null:n"]),
            ({ $0[0] = "Joseph" }, ["Joseph:p", "James:-", "null:n"]),
            ({ $0.append("Peter") }, ["Peter:p", "James:-", "null:n", "Peter:-"]),
            ({ $0 = [] }, ["null:n"]),
        ]
        for (number, (edit, expected)) in edits.enumerated() {
            let name = try list()
            edit(&name.given)
            #expect(shown(name) == expected, "rule \(number)")
        }
    }
}
