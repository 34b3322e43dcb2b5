import Testing

@testable import FireLiteGenerator

struct SlimModuleTests {
    private let release: ReleaseDefinition

    init() throws { release = try Fixtures.mini() }

    @Test func closureFollowsTypesAndNotReferences() throws {
        #expect(
            try TypeClosure.types(for: ["TaskValue"], in: release).subtracting(primitives) == [
                "TaskValue", "Resource", "DomainResource", "Age", "Quantity", "Element", "Extension", "Reference",
            ])
        let task = try TypeClosure.types(for: ["Task"], in: release)
        #expect(task.isSuperset(of: ["Task", "Coding", "Range", "BackboneElement"]))
        #expect(!task.contains("List") && !task.contains("TaskInput"))
    }

    @Test func onlyUsedCodesAndChoicesStay() throws {
        let named = NamingPass.name(release)
        let slim = named.limited(to: try TypeClosure.types(for: ["Layout"], in: release))
        #expect(slim.types.map(\.name) == ["DomainResource", "Element", "Extension", "LayoutType", "Quantity", "Reference", "Resource"])
        #expect(slim.codes.map(\.name) == ["Comparator"])
        #expect(slim.sharedChoices.map(\.name) == ["OpenType"])
    }

    /// A slim module has the names and slots of the whole one.
    @Test func slimFilesAreThoseOfTheWholeModule() throws {
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        let named = NamingPass.name(release)
        let whole = try FilePlanner.plan(named, templates: templates).filter { $0.path != "Release.swift" }
        let slim = try FilePlanner.plan(
            named.limited(to: try TypeClosure.types(for: ["Task"], in: release)), templates: templates
        ).filter { $0.path != "Release.swift" }
        #expect(!slim.isEmpty && slim.count < whole.count)
        for file in slim { #expect(whole.contains(file), "\(file.path)") }
    }

    @Test func unknownResourcesAreRefused() {
        for name in ["Nope", "Quantity", "string", "task"] {
            #expect(message { _ = try TypeClosure.types(for: [name], in: release) } == "no resource `\(name)` in FHIR Mini 9.9.0")
        }
    }

    private var primitives: Set<String> { Set(release.types.filter { $0.kind == .primitive }.map(\.name)) }
}
