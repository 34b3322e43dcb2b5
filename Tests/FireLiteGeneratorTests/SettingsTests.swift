import Foundation
import Testing

@testable import FireLiteGenerator

/// What a settings file can ask for, and what it gets.
struct SettingsTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }
    private let url = "http://example.org/fhir"

    private func generate(_ settings: String, _ arguments: String...) throws -> GeneratorCommand.Outcome {
        try package.folder.write("Mine/fhir.json", settings)
        return GeneratorCommand.run(["--settings", root + "/Mine/fhir.json", "--output", root + "/Out"] + arguments, in: root)
    }

    private func generated(_ settings: String, _ file: String) throws -> String {
        let outcome = try generate(settings)
        try #require(outcome.status == 0, "\(outcome.error)")
        return try package.folder.read("Out/" + file)
    }

    // MARK: - Names

    @Test func classesPropertiesAndCodesHaveTheGivenNames() throws {
        let task = try generated(
            """
            {"classes": {"Task": "Chore", "Task.input": "Ingredient"},
             "properties": {"Task.value[x]": "outcome", "Task.valueReference": "link", "valueQuantity": "amountOf", "for": "beneficiary"},
             "choices": {"Task.value[x]": "Outcome"}, "codes": {"\(url)/ValueSet/task-status": "Progress"}}
            """, "Resources/Chore.swift")
        for line in [
            "public final class Chore: DomainResource {", "public final class Ingredient: BackboneElement {",
            "public final var outcome: Outcome? {", "public final var link: Reference? {", "public final var amountOf: Quantity? {",
            "public final var beneficiary: Reference? {", "public enum Outcome: FHIRChoice {", "public final var status: Progress? {",
            // FHIR's names stay those of JSON and tables.
            "Layout(_class: Chore.self, \"Task\", .resource", "    for 0..1 Reference", "    status 1..1 code =Progress",
            "    value[x] 0..1 string|Quantity|Reference|code",
        ] {
            #expect(task.contains(line.replacingOccurrences(of: "public final var", with: "public var")), "\(line)")
        }
        let files = try package.folder.files()
        #expect(files.contains("Out/Codes/Progress.swift") && !files.contains("Out/Resources/Task.swift"))
        #expect(try package.folder.read("Out/Release.swift").contains("    choreTypes,\n"))
    }

    @Test func ignoredCodesAreText() throws {
        let task = try generated(#"{"ignoredCodes": ["\#(url)/ValueSet/task-status"]}"#, "Resources/Task.swift")
        #expect(task.contains("public var status: String? {"))
        #expect(task.contains("    status 1..1 code\n"))
        #expect(try !package.folder.files().contains("Out/Codes/TaskStatus.swift"))
    }

    @Test func basesComeBetween() throws {
        let task = try generated(#"{"bases": {"Task": "Job", "Resource": "Root"}}"#, "Resources/Task.swift")
        #expect(task.contains("public final class Task: Job {"))
        #expect(try package.folder.read("Out/Resources/Resource.swift").contains("public class Resource: Root {"))
        #expect(try package.folder.read("Out/Resources/Resource.swift").contains("base: nil, release"))
    }

    @Test func replacedClassesAreMadeEverywhere() throws {
        let reference = try generated(#"{"types": {"Reference": "Link", "Task.input": "Ingredient"}}"#, "Datatypes/Reference.swift")
        #expect(reference.contains("public class Reference: Element {"))
        #expect(reference.contains("Layout(_class: Link.self, \"Reference\""))
        #expect(reference.contains("_TypeGroup(\"Reference\", [Link.self])"))
        #expect(reference.contains("precondition(self != Reference.self, \"Reference is replaced by Link: use that\")"))
        let task = try package.folder.read("Out/Resources/Task.swift")
        #expect(task.contains("public var `for`: Link? {") && task.contains("public var input: [Ingredient] {"))
        #expect(task.contains("case reference(Link)") && task.contains("Task.self, TaskInputElement.self") == false)
        #expect(task.contains("public class TaskInputElement: BackboneElement {"))
    }

    @Test func textsCanHaveTypesOfOnesOwn() throws {
        let task = try generated(#"{"types": {"uri": "WebAddress", "Task.pk": "Key"}}"#, "Resources/Task.swift")
        #expect(task.contains(": WebAddress? { get { _code("))
        #expect(task.contains(": Key? { get { _code("))
        #expect(task.contains("    pk 0..1 id\n"))
    }

    // MARK: - Methods

    @Test func upsertMethodsAreMadeIfAskedFor() throws {
        let without = try generated("{}", "Resources/Task.swift")
        #expect(!without.contains("upsert"))
        #expect(try generated(#"{"upsertMethods": false}"#, "Resources/Task.swift") == without)
        let with = try generated(#"{"upsertMethods": true}"#, "Resources/Task.swift")
        for line in [
            "    public func upsert(kind newValue: Coding?) { _upsert(6, newValue) }",
            "    public func upsert(for newValue: Reference?) { _upsert(9, newValue) }",
            "    public func upsert(`inout` newValue: Quantity?) { _upsert(10, newValue) }",
            "    public func upsert(valueQuantity newValue: Quantity?) { _upsert(13, newValue) }",
        ] {
            #expect(with.contains("    /// Updates the element in place from the new value; nil removes it.\n\(line)\n"), "\(line)")
        }
        // One comment and one method for each; what is left is the same.
        let lines = with.split(separator: "\n").filter { !$0.contains("upsert(") && !$0.contains("/// Updates the element in place") }
        #expect(lines == without.split(separator: "\n"))
    }

    // MARK: - Files

    @Test func handwrittenFilesStay() throws {
        let settings = #"{"handwritten": ["Quantity", "\#(url)/ValueSet/task-use"]}"#
        try package.folder.write("Out/Datatypes/Quantity.swift", "// Mine.\n")
        let marked = "// \(OutputFolder.mark)\n// Mine, with the mark left in.\n"
        try package.folder.write("Out/Codes/TaskUse.swift", marked)
        #expect(try generate(settings).status == 0)
        #expect(try package.folder.read("Out/Datatypes/Quantity.swift") == "// Mine.\n")
        #expect(try package.folder.read("Out/Codes/TaskUse.swift") == marked)
        #expect(try package.folder.read("Out/Release.swift").contains("    quantityTypes,\n"))
        #expect(try generate(settings, "--check").status == 0)
        #expect(try generate("{}").error.contains("Quantity.swift: this file was not generated"))
    }

    @Test func skippedTypesAreLeftOut() throws {
        let release = try generated(#"{"skipped": ["Layout", "List"]}"#, "Release.swift")
        #expect(!release.contains("listTypes") && !release.contains("layoutTypeTypes") && release.contains("taskTypes"))
        #expect(
            try generate(#"{"skipped": ["Quantity"]}"#).error.hasSuffix(
                "fhir.json:1:14: `Age` derives from `Quantity`, which cannot be skipped without it"))
        #expect(try generate(#"{"skipped": ["Range"]}"#).error.contains(":1:14: `Range` is a type of `Task.default`: without it"))
    }

    @Test func ownTemplatesComeBeforeTheUsual() throws {
        try package.folder.write("Mine/T/short.swift.tmpl", "{{> header}}\n// {{name}}: {{#classes}}{{path}} {{/classes}}\n")
        try package.folder.write("Mine/T/header.swift.tmpl", "// {{template}} \(OutputFolder.mark)\n")
        let task = try generated(#"{"templates": "T", "classTemplates": {"Task": "short"}}"#, "Resources/Task.swift")
        #expect(
            task == "// short.swift.tmpl \(OutputFolder.mark)\n// Task: Task Task.input Task.input.part \n" || task.hasPrefix("// short"))
        #expect(try package.folder.read("Out/Release.swift").hasPrefix("// release.swift.tmpl \(OutputFolder.mark)\n"))
        #expect(
            try generate(#"{"classTemplates": {"Task": "nope"}}"#).error
                == "Generator: \(root)/Mine/fhir.json:1:29: no template `nope.swift.tmpl`")
    }

    @Test func furtherFilesAreMadeAndRemoved() throws {
        try package.folder.write("Mine/T/note.md.tmpl", "<!-- \(OutputFolder.mark) -->\n{{name}} {{type}}\n")
        try package.folder.write("Mine/T/list.swift.tmpl", "// \(OutputFolder.mark)\n// {{#types}}{{name}} {{/types}}\n")
        let note = """
            {"templates": "T", "files": [{"template": "note.md", "each": "type", "path": "Notes/{{name}}.md"},
              {"template": "list", "each": "release", "path": "{{release.name}}List.swift"}]}
            """
        #expect(try generated(note, "Notes/LayoutType.md") == "<!-- \(OutputFolder.mark) -->\nLayoutType Layout\n")
        #expect(try package.folder.read("Out/MiniList.swift").contains("// Age BackboneElement "))
        #expect(try generate(note, "--check").status == 0)
        let fewer = note.replacingOccurrences(of: "\"type\"", with: "\"codes\"")
        #expect(try generate(fewer).error.contains("no key `type` here"))
        try package.folder.write("Mine/T/note.md.tmpl", "<!-- \(OutputFolder.mark) -->\n{{name}}\n")
        #expect(try generate(fewer).status == 0)
        let files = try package.folder.files()
        #expect(files.contains("Out/Notes/TaskUse.md") && !files.contains("Out/Notes/LayoutType.md"))
    }

    @Test func templatesHaveTheFactsOfTheDefinitions() throws {
        try package.folder.write(
            "Mine/T/facts.swift.tmpl",
            """
            // \(OutputFolder.mark)
            {{#classes}}
            {{path}}:{{#constraints}} {{key}}/{{severity}}{{#isError}}!{{/isError}} {{literal}}{{/constraints}}
            {{#elements}}
            {{#isModifier}}M {{definedName}}
            {{/isModifier}}{{#isSummary}}S {{definedName}}
            {{/isSummary}}{{#constraints}}C {{definedName}} {{key}} {{short}}
            {{/constraints}}
            {{/elements}}
            {{/classes}}
            {{#searchParameters}}
            {{name}} {{kind}} {{url}} [{{expression}}]{{#targets}} {{name}}{{/targets}}
            {{/searchParameters}}
            """)
        let settings = #"{"templates": "T", "files": [{"template": "facts", "each": "type", "path": "Facts/{{name}}.swift"}]}"#
        let facts = try generated(settings, "Facts/Task.swift")
        for line in [
            #"Task: tsk-1/error! status.exists() or 'a\"'.empty()"#, "M status", "S status", "S use", "C use tsk-2 ",
            "owner composite \(url)/SearchParameter/task-owner [Task.for | List.item.entry] List Task",
        ] {
            #expect(facts.contains("\n" + line), "\(line)")
        }
        #expect(!facts.contains("C status") && !facts.contains("M use"))
        #expect(try !package.folder.read("Out/Facts/Quantity.swift").contains("owner"))
        // FHIR's explanation of a constraint, where the definitions are given.
        #expect(try generate(settings, "--descriptions", Fixtures.definitions).status == 0)
        #expect(try package.folder.read("Out/Facts/Task.swift").contains("C use tsk-2 Prose\n"))
    }

    @Test func argumentsComeBeforeSettings() throws {
        try package.folder.write("Mine/Digests/a.digest", try package.folder.read("Generator/Definitions/Mini.digest"))
        let settings = #"{"release": "Mini", "resources": ["Layout"], "digest": "Digests/a.digest"}"#
        #expect(try generate(settings).status == 0)
        #expect(try !package.folder.files().contains("Out/Resources/Task.swift"))
        #expect(try package.folder.read("Out/Extensions.swift").hasSuffix("\nextension Reference: FHIRReference {}\n"))
        #expect(try generate(settings, "--resources", "Task").status == 0)
        #expect(try package.folder.files().contains("Out/Resources/Task.swift"))
        #expect(try generate(settings, "--release", "R4").error.hasSuffix("a.digest:2:1: this is a digest of Mini, not of R4"))
    }

    /// A checkout of FireLite is named, so that the current folder need not be in one.
    @Test func anotherPackageIsServed() throws {
        let app = try TemporaryFolder()
        let arguments = ["--package", root, "--output", app.path + "/Generated", "--resources", "Task"]
        let outcome = GeneratorCommand.run(arguments, in: app.path)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try app.files().contains("Generated/Resources/Task.swift"))
    }

    // MARK: - Other sets of templates

    /// A template set of one's own works for each release, and so do slim modules.
    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B", "R5"])
    func everyReleaseHasTheKeysOfATemplate(release: String) throws {
        let templates = try TemplateLibrary(
            folder: "T",
            files: [
                ("class", "{{#classes}}{{name}}{{#elements}} {{definedName}}{{#isSummary}}+{{/isSummary}}{{/elements}}\n{{/classes}}"),
                ("codes", "{{name}}\n"), ("release", "{{#types}}{{name}} {{/types}}\n"), ("sharedchoice", "{{name}}\n"),
            ].map { name, text in SourceFile(name: "T/\(name).swift.tmpl", bytes: Array("// \(OutputFolder.mark)\n\(text)".utf8)) })
        let digest = try DigestReader.read(SourceFile(path: "\(Fixtures.package)/Generator/Definitions/\(release).digest"))
        let named = NamingPass.name(digest).limited(to: try TypeClosure.types(for: ["Patient", "Observation"], in: digest))
        let files = try FilePlanner.plan(named, templates: templates)
        let patient = try #require(files.first { $0.path == "Resources/Patient.swift" }).content
        #expect(patient.contains("\nPatient identifier+ active+ name+ telecom+ gender+ birthDate+ deceased[x]+ address+ maritalStatus "))
        #expect(!files.contains { $0.path == "Resources/Encounter.swift" })
    }
}
