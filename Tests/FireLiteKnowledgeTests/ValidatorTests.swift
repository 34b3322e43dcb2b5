import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

/// What the validator says about small resources.
@Suite struct ValidatorTests {
    private func issues(_ json: String, _ knowledge: Knowledge = Knowledge(release: .r4), against profiles: [String] = []) throws
        -> [ValidationIssue]
    {
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        return try FHIRValidator(knowledge: knowledge).validate(resource, against: profiles)
    }

    private func errors(_ json: String, _ knowledge: Knowledge = Knowledge(release: .r4), against profiles: [String] = []) throws
        -> [String]
    {
        try issues(json, knowledge, against: profiles).filter { $0.severity == .error }.map { "\($0.messageID) \($0.path)" }
    }

    @Test func aValidResourceHasNoIssues() throws {
        #expect(try issues(#"{"resourceType":"Patient","id":"a","gender":"male","birthDate":"2000-01-01"}"#).isEmpty)
    }

    // MARK: - Profiles

    private static func profile(_ elements: String, type: String = "Patient", url: String = "http://a.org/p") -> Data {
        Data(
            """
            {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"resource","abstract":false,"type":"\(type)",
            "baseDefinition":"http://hl7.org/fhir/StructureDefinition/\(type)","derivation":"constraint","differential":{"element":[\(elements)]}}
            """.utf8)
    }

    private func knowledge(_ definitions: Data...) throws -> Knowledge {
        let knowledge = Knowledge(release: .r4)
        for definition in definitions { try knowledge.add(definition, source: "test") }
        return knowledge
    }

    @Test func cardinalitiesOfProfilesAreChecked() throws {
        let knowledge = try knowledge(
            Self.profile(#"{"id":"Patient.name","path":"Patient.name","min":1},{"id":"Patient.photo","path":"Patient.photo","max":"0"}"#))
        let found = try errors(
            #"{"resourceType":"Patient","photo":[{"url":"http://a.org/1"}]}"#, knowledge, against: ["http://a.org/p"])
        #expect(found.sorted() == ["element-maximum Patient", "element-minimum Patient"])
        #expect(try errors(#"{"resourceType":"Patient","name":[{"text":"a"}]}"#, knowledge, against: ["http://a.org/p"]).isEmpty)
        // As a form shows them.
        let shown = try issues(#"{"resourceType":"Patient"}"#, knowledge, against: ["http://a.org/p"]).map(FHIRIssue.init)
        #expect(shown.contains { $0.path == "Patient" && $0.severity == .error && $0.code.rawValue == "element-minimum" })
        let own = #"{"resourceType":"Patient","meta":{"profile":["http://a.org/p"]}}"#
        #expect(try errors(own, knowledge) == ["element-minimum Patient"])
    }

    @Test func patternsAllowMoreAndFixedValuesDoNot() throws {
        let pattern = Self.profile(
            #"{"id":"Patient.maritalStatus","path":"Patient.maritalStatus","patternCodeableConcept":{"coding":[{"code":"M"}]}}"#)
        let fixed = Self.profile(
            #"{"id":"Patient.maritalStatus","path":"Patient.maritalStatus","fixedCodeableConcept":{"coding":[{"code":"M"}]}}"#)
        let record = #"{"resourceType":"Patient","maritalStatus":{"coding":[{"code":"M"}],"text":"married"}}"#
        #expect(try errors(record, try knowledge(pattern), against: ["http://a.org/p"]).isEmpty)
        #expect(try errors(record, try knowledge(fixed), against: ["http://a.org/p"]) == ["element-fixed Patient.maritalStatus"])
    }

    private static let sliced = profile(
        """
        {"id":"Patient.identifier","path":"Patient.identifier","slicing":{"discriminator":[{"type":"value","path":"system"}],"rules":"RULES"}},
        {"id":"Patient.identifier:a","path":"Patient.identifier","sliceName":"a","min":1,"max":"1"},
        {"id":"Patient.identifier:a.system","path":"Patient.identifier.system","min":1,"fixedUri":"http://a.org/a"},
        {"id":"Patient.identifier:a.value","path":"Patient.identifier.value","min":1}
        """)

    private func sliced(_ rules: String) throws -> Knowledge {
        try knowledge(Data(String(decoding: Self.sliced, as: UTF8.self).replacingOccurrences(of: "RULES", with: rules).utf8))
    }

    @Test func valuesAreSortedIntoSlices() throws {
        let record = #"{"resourceType":"Patient","identifier":[{"system":"http://a.org/b"},{"system":"http://a.org/a","value":"1"}]}"#
        #expect(try errors(record, try sliced("open"), against: ["http://a.org/p"]).isEmpty)
        #expect(try errors(record, try sliced("closed"), against: ["http://a.org/p"]) == ["slicing-closed Patient.identifier[0]"])
        #expect(try errors(record, try sliced("openAtEnd"), against: ["http://a.org/p"]) == ["slicing-order Patient.identifier[1]"])
        let lacking = #"{"resourceType":"Patient","identifier":[{"system":"http://a.org/a"}]}"#
        #expect(try errors(lacking, try sliced("open"), against: ["http://a.org/p"]) == ["element-minimum Patient.identifier[0]"])
        let none = #"{"resourceType":"Patient","identifier":[{"system":"http://a.org/c"}]}"#
        #expect(try errors(none, try sliced("open"), against: ["http://a.org/p"]) == ["element-minimum Patient"])
    }

    @Test func choicesAreNarrowedByType() throws {
        let knowledge = try knowledge(
            Self.profile(#"{"id":"Observation.value[x]","path":"Observation.value[x]","type":[{"code":"Quantity"}]}"#, type: "Observation"))
        let record = #"{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueString":"b"}"#
        #expect(try errors(record, knowledge, against: ["http://a.org/p"]) == ["element-type Observation.valueString"])
    }

    @Test func aProfileThatIsNotKnownIsAWarning() throws {
        let found = try issues(#"{"resourceType":"Patient","meta":{"profile":["http://a.org/absent"]}}"#)
        #expect(found.map(\.messageID) == [.missingDefinition] && found.first?.severity == .warning)
    }

    @Test func aCycleOfProfilesIsAnIssueAndNoHang() throws {
        let knowledge = Knowledge(release: .r4)
        for (one, other) in [("a", "b"), ("b", "a")] {
            try knowledge.add(
                Data(
                    """
                    {"resourceType":"StructureDefinition","url":"http://a.org/\(one)","name":"P","status":"active","kind":"resource","type":"Patient",
                    "baseDefinition":"http://a.org/\(other)","derivation":"constraint","differential":{"element":[{"id":"Patient","path":"Patient"}]}}
                    """.utf8), source: "test")
        }
        #expect(try errors(#"{"resourceType":"Patient"}"#, knowledge, against: ["http://a.org/a"]) == ["definition-broken Patient"])
    }

    // MARK: - Extensions

    private static let extensionDefinition = Data(
        """
        {"resourceType":"StructureDefinition","url":"http://a.org/e","name":"E","status":"active","kind":"complex-type","type":"Extension",
        "context":[{"type":"element","expression":"Patient.name"}],"baseDefinition":"http://hl7.org/fhir/StructureDefinition/Extension",
        "derivation":"constraint","differential":{"element":[{"id":"Extension","path":"Extension"},
        {"id":"Extension.url","path":"Extension.url","fixedUri":"http://a.org/e"},
        {"id":"Extension.value[x]","path":"Extension.value[x]","min":1,"type":[{"code":"string"}]}]}}
        """.utf8)

    @Test func extensionsHaveTheirPlaceAndType() throws {
        let knowledge = try knowledge(Self.extensionDefinition)
        let good = #"{"resourceType":"Patient","name":[{"text":"a","extension":[{"url":"http://a.org/e","valueString":"b"}]}]}"#
        #expect(try errors(good, knowledge).isEmpty)
        let type = #"{"resourceType":"Patient","name":[{"text":"a","extension":[{"url":"http://a.org/e","valueInteger":1}]}]}"#
        #expect(try errors(type, knowledge) == ["element-type Patient.name[0].extension[0].valueInteger"])
        let place = #"{"resourceType":"Patient","extension":[{"url":"http://a.org/e","valueString":"b"}]}"#
        #expect(try errors(place, knowledge) == ["extension-context Patient.extension[0]"])
        let modifier = #"{"resourceType":"Patient","modifierExtension":[{"url":"http://a.org/e","valueString":"b"}]}"#
        #expect(try errors(modifier, knowledge).contains("extension-modifier Patient.modifierExtension[0]"))
        let unknown = #"{"resourceType":"Patient","extension":[{"url":"http://a.org/other","valueString":"b"}]}"#
        #expect(try errors(unknown, knowledge) == ["extension-unknown Patient.extension[0]"])
    }

    // MARK: - Bundles

    @Test func fullURLsAreAbsoluteAndThoseOfTheirResources() throws {
        func bundle(_ url: String) -> String {
            #"{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"\#(url)","resource":{"resourceType":"Patient","id":"1"}}]}"#
        }
        #expect(try errors(bundle("http://a.org/Patient/1")).isEmpty)
        #expect(try errors(bundle("Patient/1")) == ["bundle-full-url Bundle.entry[0].fullUrl"])
        #expect(try errors(bundle("http://a.org/Patient/2")) == ["bundle-full-url Bundle.entry[0].fullUrl"])
        #expect(try errors(bundle("http://a.org/Group/1")) == ["bundle-full-url Bundle.entry[0].fullUrl"])
    }

    // MARK: - Others

    @Test func statedSizesOfAttachmentsAreTheirOwn() throws {
        func patient(_ size: Int) -> String {
            #"{"resourceType":"Patient","photo":[{"contentType":"image/png","size":\#(size),"data":"AAAA"}]}"#
        }
        #expect(try errors(patient(3)).isEmpty)
        for size in [0, 2, 4] { #expect(try errors(patient(size)) == ["attachment Patient.photo[0].size"]) }
    }

    @Test func noMessageHasAValueOfTheRecord() throws {
        let json = #"{"resourceType":"Patient","gender":"SECRET","extension":[{"url":"x SECRET","valueString":"SECRET"}]}"#
        let resource = try FHIRJSON.lenientResource(from: Data(json.utf8), release: .r4).resource
        for issue in try FHIRValidator(knowledge: Knowledge(release: .r4)).validate(resource) { #expect(!issue.message.contains("SECRET")) }
    }
}
