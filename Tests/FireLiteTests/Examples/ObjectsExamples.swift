import FireLite
import FireLiteR4
import Testing

/// The examples of Documentation/Objects.md, and what its rules say.
@Suite struct ObjectsExamples {
    private static let timeOfBirthURL = "http://hl7.org/fhir/StructureDefinition/patient-birthTime"

    /// Each place as `value:id`.
    private func shown(_ name: HumanName) -> [String] {
        name[places: \.given].map { "\($0.value ?? "null"):\(($0.element as? Element)?.id ?? "-")" }
    }

    @Test func extensionsOfPrimitives() throws {
        let patient = Patient {
            $0.id = "1"; $0.birthDate = "1970-03-30"
        }
        let timeOfBirth = Extension {
            $0.url = Self.timeOfBirthURL; $0.valueDateTime = "1970-03-30T12:01:02Z"
        }
        // example Objects.md
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
        // example Objects.md
        name[places: \.given].remove(at: 0)
        name[places: \.given].append(FHIRListPlace("Lee", element: Element { $0.id = "third" }))
        name[places: \.given][0].element = nil
        // end
        #expect(name.given == ["James", "Lee"])
        #expect(shown(name) == ["James:-", "Lee:third"])
        #expect(FHIRJSON.string(name) == #"{"given":["James","Lee"],"_given":[null,{"id":"third"}]}"#)
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
