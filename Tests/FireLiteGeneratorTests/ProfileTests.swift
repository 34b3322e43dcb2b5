import Foundation
import Testing

@testable import FireLiteGenerator

/// Profiles of an implementation guide make a class stricter, and logical models become types.
struct ProfileTests {
    private let package: TemporaryPackage
    private let url = "http://example.org/fhir"

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }

    private func profile(_ name: String, of type: String, _ elements: String, more: String = #""derivation": "constraint","#) throws {
        try package.folder.write(
            "Guide/\(name).json",
            """
            {"resourceType": "StructureDefinition", "url": "http://guide/\(name)", "kind": "resource", \(more) "type": "\(type)",
             "snapshot": {"element": [{"path": "\(type)", "id": "\(type)"}\(elements.isEmpty ? "" : ",\n" + elements)]}}
            """)
    }

    private func generate(_ settings: String, _ arguments: String...) throws -> GeneratorCommand.Outcome {
        try package.folder.write("s.json", settings)
        return GeneratorCommand.run(["--settings", root + "/s.json", "--output", root + "/Out"] + arguments, in: root)
    }

    private func error(_ settings: String) throws -> String {
        let before = try package.folder.files()
        let outcome = try generate(settings)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(try Set(package.folder.files()) == Set(before + ["s.json"]))
        return outcome.error.replacingOccurrences(of: "Generator: \(root)/", with: "").replacingOccurrences(of: root + "/", with: "")
    }

    private func settings(_ profiles: String...) -> String {
        let list = profiles.map { "\"http://guide/\($0)\"" }.joined(separator: ", ")
        return #"{"profileDefinitions": "Guide", "profiles": [\#(list)]}"#
    }

    // MARK: - Profiles

    @Test func profilesNarrowTheClass() throws {
        try package.folder.write(
            "Guide/kinds.json",
            """
            {"resourceType": "ValueSet", "url": "http://guide/kinds", "name": "GuideKinds",
             "compose": {"include": [{"system": "http://x", "concept": [{"code": "a"}, {"code": "b"}]}]}}
            """)
        try profile("other", of: "List", "")
        try profile(
            "strict", of: "Task",
            """
            {"path": "Task.use", "id": "Task.use", "min": 1, "max": "3", "type": [{"code": "code"}]},
            {"path": "Task.kind", "id": "Task.kind", "min": 1, "max": "1", "type": [{"code": "Coding"}],
             "constraint": [{"key": "g-1", "severity": "warning", "human": "Prose", "expression": "code.exists()"}]},
            {"path": "Task.tongue", "id": "Task.tongue", "min": 0, "max": "1", "type": [{"code": "code"}],
             "binding": {"strength": "required", "valueSet": "http://guide/kinds|1.0"}},
            {"path": "Task.for", "id": "Task.for", "min": 0, "max": "1",
             "type": [{"code": "Reference", "targetProfile": ["http://guide/other"]}]},
            {"path": "Task.unit", "id": "Task.unit", "min": 0, "max": "0", "type": [{"code": "code"}]},
            {"path": "Task.protocol", "id": "Task.protocol", "min": 0, "max": "1", "type": [{"code": "canonical"}]},
            {"path": "Task.input", "id": "Task.input", "min": 0, "max": "*", "type": [{"code": "BackboneElement"}]},
            {"path": "Task.input", "id": "Task.input:first", "sliceName": "first", "min": 1, "max": "1"},
            {"path": "Task.inout.value", "id": "Task.inout.value", "min": 1, "max": "1", "type": [{"code": "decimal"}]},
            {"path": "Task.amount", "id": "Task.amount", "min": 0, "max": "1", "type": [{"code": "positiveInt"}], "fixedPositiveInt": 1}
            """)
        let outcome = try generate(settings("strict"))
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            outcome.output.split(separator: "\n").first.map(String.init)
                == "FHIR Mini 9.9.0: `Task` is narrowed by http://guide/strict, bindings: 1, constraints: 1, maximums: 1, minimums: 2; not in "
                + "the class, cardinalities of elements that belong to other classes: 1, fixed values and patterns: 1, lists of one: 1, "
                + "prohibited elements: 1, slices: 1")
        let task = try package.folder.read("Out/Resources/Task.swift")
        for line in [
            "    use 1..3 code =TaskUse", "    kind 1..1 Coding", "    tongue 0..1 code =GuideKinds", "    unit 0..1 code",
            "    protocol 0..* canonical", "/// Narrowed by the profile <http://guide/strict>.", "Task.self, \"Task\", .resource",
        ] {
            #expect(task.contains(line), "\(line)")
        }
        #expect(try package.folder.read("Out/Codes/GuideKinds.swift").contains(#""a b""#))
        // Slots, and with them tables, are those of the type.
        let usual = package.run("--output", root + "/Usual")
        #expect(usual.status == 0)
        #expect(Self.slots(in: task) == Self.slots(in: try package.folder.read("Usual/Resources/Task.swift")))
    }

    private static func slots(in code: String) -> [String] {
        code.split(separator: "\n").compactMap { line in
            guard let start = line.range(of: "{ get { ") else { return nil }
            let number = line[start.upperBound...].drop { $0 != "(" }.prefix { $0 != ")" }
            return line.contains("_choice(") ? nil : String(number)
        }
    }

    @Test func targetsOfReferencesAreNarrowed() throws {
        try profile("list", of: "List", "")
        try profile(
            "owned", of: "Task",
            """
            {"path": "Task.value[x]", "id": "Task.value[x]", "min": 0, "max": "1", "type": [
              {"code": "Reference", "targetProfile": ["http://guide/list"]}]}
            """)
        let outcome = try generate(settings("owned"))
        #expect(outcome.output.contains("targets of references: 1; not in the class, choices of fewer types: 1"))
        #expect(
            try package.folder.read("Out/Resources/Task.swift").contains("    value[x] 0..1 string|Quantity|Reference|code =TaskUse >List"))
    }

    @Test func profilesThatNoClassCanFollowAreRefused() throws {
        try profile("a", of: "Task", "")
        try profile("b", of: "Task", "")
        try profile("quantity", of: "Quantity", "")
        try profile("extension", of: "Extension", "")
        try profile("base", of: "DomainResource", "")
        try profile("alien", of: "Alien", "")
        try profile("type", of: "Task", "", more: "")
        try profile("wide", of: "Task", #"{"path": "Task.status", "id": "Task.status", "min": 0, "max": "1", "type": [{"code": "code"}]}"#)
        try package.folder.write(
            "Guide/bare.json",
            #"{"resourceType": "StructureDefinition", "url": "http://guide/bare", "kind": "resource", "derivation": "constraint", "type": "Task"}"#
        )
        let place = "s.json:1:46: "
        for (name, expected) in [
            ("nope", place + "no profile `http://guide/nope` in Guide"),
            ("quantity", place + "`http://guide/quantity` is a profile of `Quantity`: its class is that of other elements too"),
            ("extension", place + "`http://guide/extension` is an extension: its class is that of other elements too"),
            ("base", place + "`http://guide/base` is a profile of `DomainResource`: its class is"),
            ("alien", place + "`http://guide/alien` constrains `Alien`, which FHIR Mini 9.9.0 does not have"),
            ("type", place + "`http://guide/type` is not a profile, which constrains a type"),
            ("bare", "Guide/bare.json:1:1: the profile `http://guide/bare` has no snapshot"),
            ("wide", "Guide/wide.json:3:1: `Task.status` is 0..1, which is not within the 1..1 of its type"),
        ] {
            #expect(try error(settings(name)).hasPrefix(expected), "\(name)")
        }
        #expect(
            try error(settings("a", "b"))
                == "s.json:1:64: `Task` already follows `http://guide/a`: there is one class for a type, since rows do not "
                + "say the profile")
    }

    // MARK: - Logical models

    private func copyDefinitions() throws {
        for file in try FileTree.files(in: Fixtures.definitions) where file.path.hasSuffix(".json") {
            let text = String(decoding: try SourceFile(path: Fixtures.definitions + "/" + file.path).bytes, as: UTF8.self)
            try package.folder.write("Definitions/" + file.path, text)
        }
    }

    private func model(_ name: String, base: String, kind: String = "logical") throws {
        try package.folder.write(
            "Definitions/model.json",
            """
            {"resourceType": "StructureDefinition", "url": "http://guide/diary-model", "kind": "\(kind)", "derivation": "specialization",
             "type": "http://guide/diary-model", "baseDefinition": "\(url)/StructureDefinition/\(base)",
             "snapshot": {"element": [{"path": "\(name)"},
              {"path": "\(name).day", "min": 1, "max": "1", "type": [{"code": "date"}]},
              {"path": "\(name).entry", "min": 0, "max": "*", "type": [{"code": "BackboneElement"}]},
              {"path": "\(name).entry.text", "min": 0, "max": "1", "type": [{"code": "string"}]}]}}
            """)
    }

    private func modelSettings(_ kind: String) -> String {
        #"{"release": "Mini", "definitions": "Definitions", "logicalModels": {"http://guide/diary-model": "\#(kind)"}, "resources": ["Layout"]}"#
    }

    @Test func logicalModelsBecomeTypes() throws {
        try copyDefinitions()
        try model("Diary", base: "Element")
        #expect(try generate(modelSettings("datatype")).status == 0)
        let datatype = try package.folder.read("Out/Datatypes/Diary.swift")
        #expect(
            datatype.contains("public final class Diary: Element {")
                && datatype.contains("public final class DiaryEntry: BackboneElement {"))
        #expect(try generate(modelSettings("resource")).status == 0)
        let resource = try package.folder.read("Out/Resources/Diary.swift")
        #expect(
            resource.contains("public final class Diary: Resource {") && resource.contains("\"Diary\", .resource, base: Resource._layout"))
        #expect(try package.folder.read("Out/Release.swift").contains("    diaryTypes,\n"))
        // A digest has it as any type.
        #expect(try generate(modelSettings("resource"), "--update-digest", "--digest", root + "/mine.digest").status == 0)
        let digest = try DigestReader.read(SourceFile(path: root + "/mine.digest"))
        #expect(try digest.type("Diary").kind == .resource && digest.type("Diary").base == "Resource")
        let slim = GeneratorCommand.run(["--digest", root + "/mine.digest", "--resources", "Diary", "--output", root + "/Slim"], in: root)
        #expect(slim.status == 0, "\(slim.error)")
    }

    @Test func logicalModelsThatCannotBeTypesAreRefused() throws {
        try copyDefinitions()
        let place = "s.json:1:97: "
        #expect(try error(modelSettings("resource")) == place + "no logical model `http://guide/diary-model` in the definitions")
        try model("Diary", base: "DomainResource")
        #expect(try error(modelSettings("datatype")) == place + "`Diary` derives from `DomainResource` and can only be a `resource`")
        try model("Diary", base: "Element", kind: "complex-type")
        #expect(try error(modelSettings("datatype")) == place + "`http://guide/diary-model` is not a logical model")
        try model("Task", base: "Element")
        #expect(try error(modelSettings("datatype")) == "Definitions/model.json:1:1: a type `Task` is there already")
        try model("my-diary", base: "Element")
        #expect(
            try error(modelSettings("datatype"))
                == "Definitions/model.json:3:27: `my-diary` cannot be the name of a type: letters and digits only")
    }
}
