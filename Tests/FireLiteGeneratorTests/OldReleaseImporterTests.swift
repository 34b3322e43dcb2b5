import Testing

@testable import FireLiteGenerator

/// What DSTU2 and STU3 say in another way than later releases.
struct OldReleaseImporterTests {
    private func structure(_ name: String, base: String?, constrains: String? = nil, _ elements: String = "") -> String {
        let base = base.map { #""base": "http://hl7.org/fhir/StructureDefinition/\#($0)","# } ?? ""
        let constrained = constrains.map { #""constrainedType": "\#($0)","# } ?? ""
        return """
            {"resourceType": "StructureDefinition", "url": "http://hl7.org/fhir/StructureDefinition/\(name)",
             "fhirVersion": "1.0.2", "kind": "\(name == "Thing" ? "resource" : "datatype")", \(base) \(constrained)
             "snapshot": {"element": [{"path": "\(constrains ?? name)"}\(elements.isEmpty ? "" : "," + elements)]}}
            """
    }

    private var common: [String] {
        [
            structure("Element", base: nil), structure("string", base: "Element"),
            structure("code", base: "string", constrains: "string"), structure("Reference", base: "Element"),
            structure("Quantity", base: "Element"), structure("Age", base: "Quantity", constrains: "Quantity"),
        ]
    }

    private func importThing(_ elements: String, _ more: String...) throws -> ReleaseDefinition {
        let thing = structure("Thing", base: nil, elements)
        let resources = try (common + [thing] + more).enumerated().flatMap { index, text in
            try DefinitionsFolder.resources(in: SourceFile(name: "\(index).json", bytes: Array(text.utf8)))
        }
        return try DefinitionsImporter(resources, folder: "old").importRelease(named: nil).definition
    }

    @Test func primitivesAreToldFromDatatypesAndProfiles() throws {
        let release = try importThing("")
        #expect(release.release == FHIRReleaseName(name: "DSTU2", version: "1.0.2"))
        #expect(release.types.filter { $0.kind == .primitive }.map(\.name) == ["code", "string"])
        #expect(release.types.filter { $0.kind == .datatype }.map(\.name) == ["Element", "Quantity", "Reference"])
        #expect(release.types.filter { $0.kind == .resource }.map(\.name) == ["Thing"])
    }

    @Test func nameReferencesAndProfilesOfReferences() throws {
        let url = "http://hl7.org/fhir/StructureDefinition/"
        let release = try importThing(
            """
            {"path": "Thing.part", "name": "bit", "min": 0, "max": "*", "type": [{"code": "Element"}]},
            {"path": "Thing.part.code", "min": 0, "max": "1", "type": [{"code": "code"}]},
            {"path": "Thing.other", "min": 0, "max": "1", "nameReference": "bit"},
            {"path": "Thing.link", "min": 0, "max": "1", "type": [
              {"code": "Reference", "profile": ["\(url)Thing"]}, {"code": "Reference", "profile": ["\(url)Patient"]}]},
            {"path": "Thing.any", "min": 0, "max": "1", "type": [{"code": "Reference", "profile": ["\(url)Resource"]}]},
            {"path": "Thing.amount", "min": 0, "max": "1", "type": [{"code": "Quantity", "profile": ["\(url)Age"]}]}
            """)
        let elements = try release.type("Thing").elements
        #expect(try elements["other"].typeText == "@Thing.part")
        #expect(try elements["link"].typeText == "Reference>Thing>Patient")
        #expect(try elements["any"].typeText == "Reference")
        #expect(try elements["amount"].typeText == "Quantity")
    }

    @Test func codeSystemsInsideValueSets() throws {
        let valueSet = """
            {"resourceType": "ValueSet", "url": "http://hl7.org/fhir/ValueSet/kinds", "name": "Kinds",
             "codeSystem": {"system": "http://hl7.org/fhir/kinds", "concept": [
               {"code": "group", "abstract": true, "concept": [{"code": "a"}, {"code": "b"}]}]}}
            """
        let release = try importThing(
            """
            {"path": "Thing.kind", "min": 1, "max": "1", "type": [{"code": "code"}], "binding":
              {"strength": "required", "valueSetReference": {"reference": "http://hl7.org/fhir/ValueSet/kinds"}}}
            """, valueSet)
        #expect(try release.valueSet("kinds").codes == ["a", "b"])
    }

    @Test func searchParametersHaveXPath() throws {
        let parameter = """
            {"resourceType": "SearchParameter", "url": "http://hl7.org/fhir/SearchParameter/Thing-kind", "code": "kind",
             "base": "Thing", "type": "token", "xpath": "f:Thing/f:kind"}
            """
        let release = try importThing("", parameter)
        #expect(release.searchParameters.map(\.selection) == [.xpath("f:Thing/f:kind")])
        #expect(release.searchParameters.map(\.bases) == [["Thing"]])
    }

    /// No StructureDefinition describes the comments of DSTU2's JSON.
    @Test func everyObjectMayHaveComments() throws {
        let element = structure("Element", base: nil).replacing(#""kind""#, with: #""abstract": true, "kind""#)
        let release = try importThing("", element)
        #expect(try release.type("Element").elements.isEmpty, "only the abstract root has them")
        let resources = try [element, structure("string", base: "Element")].enumerated().flatMap { index, text in
            try DefinitionsFolder.resources(in: SourceFile(name: "\(index).json", bytes: Array(text.utf8)))
        }
        let comments = try DefinitionsImporter(resources, folder: "old").importRelease(named: nil).definition.type("Element").elements
        #expect(comments.map(\.name) == ["fhir_comments"])
        #expect(try comments["fhir_comments"].typeText == "string")
        #expect(SwiftName.propertyName("fhir_comments") == "fhirComments" && SwiftName.propertyName("birthDate") == "birthDate")
        let later = FHIRReleaseName(name: "STU3", version: "3.0.2")
        #expect(JSONComments.added(to: release.types, of: later).allSatisfy { $0.elements.allSatisfy { $0.name != "fhir_comments" } })
    }
}
