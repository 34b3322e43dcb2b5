import Testing

@testable import FireLiteGenerator

/// The hand-made definitions come in a Bundle with a byte order mark, single files, sub-folders and an npm-style `package/`.
struct ImporterTests {
    private let release: ReleaseDefinition

    init() throws { release = try Fixtures.mini() }

    @Test func everyTypeAndNoProfileIsImported() throws {
        #expect(release.release == FHIRReleaseName(name: "Mini", version: "9.9.0"))
        #expect(release.types.filter { $0.kind == .primitive }.count == 15)
        #expect(
            release.types.filter { $0.kind == .datatype }.map(\.name) == [
                "Age", "BackboneElement", "Coding", "Element", "Extension", "Quantity", "Range", "Reference",
            ])
        #expect(
            release.types.filter { $0.kind == .resource }.map(\.name) == [
                "DomainResource", "Layout", "List", "Resource", "Task", "TaskInput", "TaskValue",
            ])
        #expect(release.types.filter(\.isAbstract).map(\.name) == ["BackboneElement", "DomainResource", "Element", "Resource"])
        #expect(try release.type("Task").base == "DomainResource")
        #expect(try release.type("Element").base == nil)
        #expect(try release.type("Task").url == "http://example.org/fhir/StructureDefinition/Task")
    }

    @Test func inheritedElementsAreLeftOut() throws {
        #expect(try release.type("Age").elements.isEmpty)
        #expect(try release.type("Quantity").elements.map(\.name) == ["value", "comparator"])
        #expect(try release.type("BackboneElement").elements.map(\.name) == ["modifierExtension"])
        #expect(try release.backbone("List.repeat").elements.map(\.name) == ["import", "repeat"])
        #expect(try release.backbone("List.item").base == "Element")
    }

    @Test func slicesAndForbiddenElementsAreLeftOut() throws {
        let elements = try release.type("Task").elements
        #expect(elements.filter { $0.name == "slice" }.map { $0.cardinality.description } == ["0..*"])
        #expect(!elements.contains { $0.name == "gone" })
    }

    @Test func typesOfIdsComeFromTheirExtension() throws {
        #expect(try release.type("Element").elements["id"].typeText == "string")
        #expect(try release.type("Resource").elements["id"].typeText == "id")
        #expect(try release.type("Extension").elements["url"].typeText == "uri")
    }

    @Test func choicesKeepTheirTypesInOrderAndMergeTargets() throws {
        let value = try release.type("Task").elements["value"]
        #expect(value.isChoice && value.definedName == "value[x]")
        #expect(value.typeText == "string|Quantity|Reference>Task>List|code")
        #expect(try release.type("Task").elements["protocol"].typeText == "canonical>List")
        #expect(try release.type("Task").elements["input"].cardinality == Cardinality(minimum: 0, maximum: nil))
    }

    @Test func contentReferencesLeadToPaths() throws {
        #expect(try release.backbone("List.repeat").elements["repeat"].typeText == "@List.repeat")
        #expect(try release.backbone("Task.input").elements["part"].typeText == "@Task.input")
        #expect(try release.type("Task").elements["input"].typeText == "Task.input")
    }

    @Test func bindingsAreImported() throws {
        let elements = try release.type("Task").elements
        let url = "http://example.org/fhir/ValueSet/"
        #expect(
            try elements["status"].binding
                == BindingDefinition(strength: .required, valueSet: url + "task-status", name: "TaskStatus"))
        #expect(try elements["tongue"].binding == BindingDefinition(strength: .preferred, valueSet: url + "languages"))
        #expect(!release.valueSets.contains { $0.url == url + "languages" })
    }

    @Test func codesComeFromCodeSystemsListsAndExpansions() throws {
        #expect(
            try release.valueSet("task-status").codes == [
                "entered-in-error", "none", "class", "self", "2.0", "HTTP-GET", "MedicationRequest", "a", "A", "\"q\\", "é", "-",
            ])
        #expect(try release.valueSet("task-use").codes == ["one", "two"])
        #expect(try release.valueSet("task-kind").codes == ["one", "two", "class", "self"])
    }

    @Test func valueSetsWithoutEndHaveNoCodes() throws {
        #expect(try release.valueSet("units").codes.isEmpty)
    }

    @Test func searchParametersAreImported() throws {
        #expect(release.searchParameters.map(\.name) == ["_query", "owner"])
        let owner = release.searchParameters[1]
        #expect(owner.type == "composite" && owner.bases == ["Task", "List"] && owner.targets == ["List", "Task"])
        #expect(owner.selection == .expression("Task.for | List.item.entry"))
        #expect(
            owner.components == [.init(definition: "http://example.org/fhir/SearchParameter/part", expression: "Task.part")])
        #expect(release.searchParameters[0].selection == nil && release.searchParameters[0].bases.isEmpty)
    }
}
