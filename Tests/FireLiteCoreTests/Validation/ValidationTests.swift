import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

/// `validate()` tells what FHIR's definitions do not allow, and nothing else.
@Suite struct ValidationTests {
    /// What is wrong with a resource, one line for each issue.
    private func issues(_ json: String) throws -> [String] {
        try FHIRJSON.resource(from: .init(json.utf8), release: .r4).validate().map { issue in
            "\(issue.severity == .error ? "" : "warning ")\(issue.code.rawValue) \(issue.path)"
        }
    }

    @Test func validRandomInstancesHaveNoIssues() throws {
        for type in Effort.sample(FHIRRelease.r4.types, 250) {
            for seed in UInt64(0)..<3 {
                var random = RandomInstance(seed: seed, mode: seed == 0 ? .everything(round: 0) : .sparse)
                random.isStrictlyValid = true
                let object = random.object(of: type)
                #expect(object.validate() == [], "\(type._layout.name), seed \(seed)")
            }
        }
    }

    @Test func issuesKeepTheirIDs() throws {
        func ids(_ members: String) throws -> [FHIRIssue] {
            try FHIRJSON.resource(from: .init(#"{"resourceType":"Patient",\#(members)}"#.utf8), release: .r4).validate().map(\.id)
        }
        let contact = #""contact":[{"name":{"text":"x"},"gender":"b"}]"#
        let both = try ids(#""gender":"a","# + contact)
        #expect(Set(both).count == 2 && Set(both.map(\.path)) == ["Patient.gender", "Patient.contact[0].gender"])
        #expect(try ids(contact) == both.filter { $0.path == "Patient.contact[0].gender" })
    }

    @Test func everyMissingRequiredElementIsFound() throws {
        for type in FHIRRelease.r4.types {
            var random = RandomInstance(seed: 4)
            random.isStrictlyValid = true
            let object = random.object(of: type)
            for element in type._layout.elements where element.min > 0 || element.choice.map({ $0.min > 0 }) ?? false {
                let copy = object.copyObject()
                guard copy.position(of: element.slot) != nil else { continue }
                copy.store(nil, in: element.slot)
                let path = "\(type._layout.name).\(element.choice?.name ?? element.name)"
                #expect(copy.validate().contains { $0.path == path && $0.code == .missing }, "\(path)")
            }
        }
    }

    static let cases: [(json: String, issues: [String])] = [
        (#"{"resourceType":"Patient"}"#, []),
        // Numbers of values
        (#"{"resourceType":"Observation","code":{"text":"c"}}"#, ["missing Observation.status"]),
        (#"{"resourceType":"Observation","status":"final"}"#, ["missing Observation.code"]),
        (#"{"resourceType":"Observation","_status":{"extension":[{"url":"u","valueCode":"x"}]},"code":{"text":"c"}}"#, []),
        (#"{"resourceType":"Patient","link":[{"type":"refer"}]}"#, ["missing Patient.link[0].other"]),
        (#"{"resourceType":"Patient","extension":[{"valueString":"x"}]}"#, ["missing Patient.extension[0].url"]),
        (#"{"resourceType":"Linkage","item":[{"type":"source","resource":{"display":"x"}}]}"#, []),
        (#"{"resourceType":"Linkage"}"#, ["missing Linkage.item"]),
        // Choice elements
        (
            #"{"resourceType":"MedicationStatement","status":"active","subject":{"display":"x"}}"#,
            ["missing MedicationStatement.medication[x]"]
        ),
        (
            #"{"resourceType":"MedicationStatement","status":"active","subject":{"display":"x"},"medicationCodeableConcept":{"text":"m"}}"#,
            []
        ),
        // Bindings
        (#"{"resourceType":"Patient","gender":"X"}"#, ["unknownCode Patient.gender"]),
        (#"{"resourceType":"Patient","gender":"Male"}"#, ["unknownCode Patient.gender"]),
        (
            #"{"resourceType":"Patient","contact":[{"gender":"X","name":{"use":"X"}}]}"#,
            ["unknownCode Patient.contact[0].name.use", "unknownCode Patient.contact[0].gender"]
        ),
        (
            #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"category":["food","X"]}"#,
            ["unknownCode AllergyIntolerance.category[1]"]
        ),
        (#"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clinicalStatus":{"coding":[{"code":"active"}]}}"#, []),
        (
            #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clinicalStatus":{"coding":[{"code":"X"},{"code":"active"}]}}"#,
            []
        ),
        (
            #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clinicalStatus":{"coding":[{"code":"X"}]}}"#,
            ["unknownCode AllergyIntolerance.clinicalStatus.coding"]
        ),
        (
            #"{"resourceType":"AllergyIntolerance","patient":{"display":"x"},"clinicalStatus":{"text":"X"}}"#,
            ["warning unknownCode AllergyIntolerance.clinicalStatus"]
        ),
        // References
        (#"{"resourceType":"Patient","managingOrganization":{"reference":"Organization/1"}}"#, []),
        (
            #"{"resourceType":"Patient","managingOrganization":{"reference":"Patient/1"}}"#,
            ["reference Patient.managingOrganization.reference"]
        ),
        (
            #"{"resourceType":"Patient","managingOrganization":{"reference":"http://x.org/Patient/1"}}"#,
            ["reference Patient.managingOrganization.reference"]
        ),
        (#"{"resourceType":"Patient","managingOrganization":{"reference":"http://x.org/Page/1"}}"#, []),
        (
            #"{"resourceType":"Patient","managingOrganization":{"reference":"Page/1"}}"#,
            ["reference Patient.managingOrganization.reference"]
        ),
        (
            #"{"resourceType":"Patient","managingOrganization":{"type":"Practitioner","display":"x"}}"#,
            ["reference Patient.managingOrganization.type"]
        ),
        (#"{"resourceType":"Patient","managingOrganization":{"reference":"urn:uuid:c757873d-ec9a-4326-a141-556f43239520"}}"#, []),
        (
            #"{"resourceType":"Patient","generalPractitioner":[{"reference":"Practitioner/1"},{"reference":"Device/1"}]}"#,
            ["reference Patient.generalPractitioner[1].reference"]
        ),
        (
            ##"{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o"}],"managingOrganization":{"reference":"#o"}}"##,
            []
        ),
        (
            ##"{"resourceType":"Patient","contained":[{"resourceType":"Basic","id":"o","code":{"text":"c"}}],"managingOrganization":{"reference":"#o"}}"##,
            ["reference Patient.managingOrganization.reference"]
        ),
        (##"{"resourceType":"Patient","managingOrganization":{"reference":"#o"}}"##, ["reference Patient.managingOrganization.reference"]),
        // What is empty
        (#"{"resourceType":"Patient","maritalStatus":{"id":"x"}}"#, ["empty Patient.maritalStatus"]),
        (#"{"resourceType":"Patient","name":[{"given":["a",null]}]}"#, ["empty Patient.name[0].given[1]"]),
        (#"{"resourceType":"Patient","name":[{"given":["a",null],"_given":[null,{"id":"x"}]}]}"#, ["empty Patient.name[0].given[1]"]),
        (#"{"resourceType":"Patient","_birthDate":{"id":"x"}}"#, ["empty Patient.birthDate"]),
        (#"{"resourceType":"Patient","birthDate":"2020","_birthDate":{"id":"x"}}"#, []),
        (
            #"{"resourceType":"Patient","birthDate":"2020","_birthDate":{"extension":[{"valueString":"x"}]}}"#,
            ["missing Patient.birthDate.extension[0].url"]
        ),
        // Resources in resources
        (
            #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","gender":"X"}}]}"#,
            ["unknownCode Bundle.entry[0].resource.gender"]
        ),
        (#"{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient"}}]}"#, []),
        // Formats
        (#"{"resourceType":"Patient","id":"a b"}"#, ["format Patient.id"]),
        (
            #"{"resourceType":"Patient","name":[{"text":"","given":["a","\u0000"]}]}"#,
            ["format Patient.name[0].text", "format Patient.name[0].given[1]"]
        ),
    ]

    @Test(arguments: cases)
    func casesOfEveryKind(_ json: String, _ expected: [String]) throws {
        #expect(try issues(json) == expected)
    }

    static let formats: [(PrimitiveType, valid: [String], invalid: [String])] = [
        (.id, ["1", "A-z.9", String(repeating: "a", count: 64)], ["", "a b", "a_b", "é", "a/b", String(repeating: "a", count: 65)]),
        (.code, ["a", "a b", "<", "text/plain;charset=utf-8", "é"], ["", " ", " a", "a ", "a  b", "a\t b", "a\n"]),
        (.uri, ["http://x", "urn:oid:1.2", "#a", "a|b"], ["", "a b", "a\n", "\t"]),
        (.url, ["http://x/y?z", "mailto:a@b"], ["", "http://x y"]),
        (.canonical, ["http://x|1#a"], ["", "http://x |1"]),
        (
            .oid, ["urn:oid:1.2.3", "urn:oid:2.999", "urn:oid:0.0"],
            ["", "1.2.3", "urn:oid:", "urn:oid:1", "urn:oid:3.1", "urn:oid:1.", "urn:oid:1..2", "urn:oid:1.02", "urn:oid:1.a"]
        ),
        (
            .uuid, ["urn:uuid:c757873d-ec9a-4326-a141-556f43239520"],
            [
                "", "c757873d-ec9a-4326-a141-556f43239520", "urn:uuid:C757873D-ec9a-4326-a141-556f43239520",
                "urn:uuid:c757873dec9a4326a141556f43239520", "urn:uuid:g757873d-ec9a-4326-a141-556f43239520",
            ]
        ),
        (
            .base64Binary, ["QQ==", "QUE=", "QUFB", "QUFB QUFB\n", "+/09"],
            ["", "Q", "QQ", "QQ=", "Q===", "====", "QQ==QQ==", "QU-_", "QUFé"]
        ),
        (.string, ["a", " ", "é\n\t\r", "😀"], ["", "\u{0}", "a\u{1F}", "\u{B}"]),
        (.markdown, ["# a\n"], ["", "\u{1}"]),
        (.xhtml, ["<div>x</div>", " <div xmlns=\"x\">x</div>\n", "<div/>"], ["", "x", "<p>x</p>", "<div>x", "<divx>x</divx>", "<div"]),
        (.date, ["2020"], ["2020-13", "x"]),
        (.dateTime, ["2020"], ["2020-01-01T00:00"]),
    ]

    @Test(arguments: formats)
    func formatsOfPrimitives(_ type: PrimitiveType, _ valid: [String], _ invalid: [String]) throws {
        let element = try #require(
            Extension._layout.elements.first { $0.primitive == type && $0.choice != nil }
                ?? Narrative._layout.elements.first { $0.primitive == type })
        for (texts, isValid) in [(valid, true), (invalid, false)] {
            for text in texts {
                let object: FHIRObject = type == .xhtml ? Narrative { $0.status = .generated } : Extension { $0.url = "u" }
                object.store(.text(text), in: element.slot)
                let path = "\(object.layout.name).\(element.name)"
                let found = object.validate()
                #expect(found.map(\.code) == (isValid ? [] : [.format]), "\(type) \(text.debugDescription)")
                let isShown = found.contains { $0.message.contains(text) } && text.utf8.count > 2 && !type.format.contains(text)
                #expect(found.allSatisfy { $0.path == path } && !isShown)
            }
        }
    }

    @Test func numbersOutOfRange() {
        let attachment = Attachment { $0.size = -1 }
        #expect(attachment.validate().map(\.path) == ["Attachment.size"])
        attachment.size = 0
        #expect(attachment.validate().isEmpty)
        #expect(ContactPoint { $0.rank = 0 }.validate().map(\.code) == [.format])
        #expect(
            Extension {
                $0.url = "u"
                $0.valueInteger = 1 << 31
            }.validate().map(\.path) == ["Extension.valueInteger"])
    }

    @Test func whatOnlyCodeCanMake() {
        let patient = Patient { $0.name = [HumanName(), HumanName { $0.text = "a" }] }
        #expect(patient.validate().map(\.description) == ["Patient.name[0]: needs a value, an extension or a child element, has none"])
        let observation = Observation {
            $0.status = .final
            $0.code = CodeableConcept { $0.text = "c" }
            $0.valueString = "x"
        }
        observation.store(.word(1), in: observation.layout.element(named: "valueBoolean")?.slot ?? 0)
        #expect(observation.validate().map(\.code) == [.secondChoice])
        #expect(observation.validate().map(\.path) == ["Observation.value[x]"])
    }

    @Test func messagesHoldNoValues() throws {
        let json =
            ##"{"resourceType":"Patient","id":"s3cr3t x","gender":"s3cr3t","name":[{"text":"s3cr3t\u0000"}],"managingOrganization":{"reference":"s3cr3t/#"},"link":[{"type":"s3cr3t","other":{"reference":"#s3cr3t"}}]}"##
        let issues = try Patient(json: json).validate()
        #expect(issues.count == 5)
        #expect(!issues.map(\.description).joined().contains("s3cr3t"))
    }
}
