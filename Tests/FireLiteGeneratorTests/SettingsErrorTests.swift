import Foundation
import Testing

@testable import FireLiteGenerator

/// Whatever is wrong in a settings file is said with its place, and nothing is written.
struct SettingsErrorTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private func error(_ settings: String) throws -> String {
        try package.folder.write("s.json", settings)
        let before = try package.folder.files()
        let root = package.folder.path
        let outcome = GeneratorCommand.run(["--settings", root + "/s.json", "--output", root + "/Out"], in: root)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(try package.folder.files() == before)
        return outcome.error.replacingOccurrences(of: "Generator: \(root)/", with: "").replacingOccurrences(of: root + "/", with: "")
    }

    @Test(arguments: [
        ("", "1:1: unexpected end of the file, expected a JSON value"),
        ("[]", "1:1: the settings should be an object, `{…}`"),
        (#"{"release": 4}"#, "1:13: this should be the name of a release in quotes"),
        (#"{"release": "R/4"}"#, "1:13: `R/4` is not the name of a release"),
        (#"{"release": "R4", "release": "R5"}"#, "1:19: member `release` occurs twice"),
        (#"{"resources": "Task"}"#, "1:15: this should be a list, `[…]`"),
        (#"{"classes": ["Task"]}"#, "1:13: this should be an object, `{…}`"),
        (#"{"classes": {"a b": "C"}}"#, "1:14: `a b` is not a name or URL of FHIR's"),
        (#"{"classes": {"Task": "a b"}}"#, "1:22: `a b` is not a Swift name of ASCII letters"),
        (#"{"classes": {"Task": "class"}}"#, "1:22: `class` is a keyword of Swift's"),
        (#"{"classes": {"Task": "_"}}"#, "1:22: `_` is not a Swift name of ASCII letters"),
        (#"{"skipped": ["Task", "Task"]}"#, "1:22: `Task` occurs twice"),
        (#"{"logicalModels": {"http://x/y": "table"}}"#, "1:34: a logical model is a `datatype` or a `resource`, not a `table`"),
        (#"{"files": [{"template": "a"}]}"#, "1:12: a file needs `template`, `each` and `path`"),
        (#"{"files": [{"templat": "a"}]}"#, "1:13: unknown key `templat` of a file; the keys are template, each, path"),
        (#"{"files": [{"each": "class"}]}"#, "1:21: `each` is `type`, `codes` or `release`, not `class`"),
        (#"{"upsertMethods": "yes"}"#, "1:19: this should be `true` or `false`"),
        (#"{"templates": "a\u000ab"}"#, "1:15: this should be a path in quotes"),
    ])
    func mistakesInTheFile(settings: String, expected: String) throws {
        #expect(try error(settings) == "s.json:" + expected)
    }

    @Test func unknownSettingsListTheKnown() throws {
        #expect(try error("{\n  \"clases\": {}}").hasPrefix("s.json:2:3: unknown setting `clases`; the settings are release, resources, "))
        for key in SettingsReader.keys {
            #expect(try !error("{\"\(key)\": null}").contains("unknown setting"), "\(key)")
        }
    }

    @Test(arguments: [
        (#"{"classes": {"Nope": "A"}}"#, "1:22: no class for `Nope` in FHIR Mini 9.9.0"),
        (#"{"classes": {"string": "A"}}"#, "1:24: no class for `string` in FHIR Mini 9.9.0"),
        (#"{"classes": {"Task": "List"}}"#, "1:22: `List` is the class of FHIR's type `List`"),
        (#"{"classes": {"Task": "FHIRCode"}}"#, "1:22: `FHIRCode` is taken or reserved"),
        (#"{"classes": {"Task": "A", "List": "a"}}"#, "1:22: `A` is taken or reserved"),
        (#"{"properties": {"Task.nope": "a"}}"#, "1:30: no element `Task.nope` in FHIR Mini 9.9.0"),
        (#"{"properties": {"nope": "a"}}"#, "1:25: no element `nope` in FHIR Mini 9.9.0"),
        (#"{"properties": {"Task.status": "validate"}}"#, "1:32: `validate` is taken or reserved where `Task.status` is"),
        (#"{"properties": {"Task.unit": "tongue"}}"#, "1:30: `tongue` is taken or reserved where `Task.unit` is"),
        (#"{"properties": {"Resource.id": "key"}}"#, "1:32: `Resource.id` is a member of the runtime and keeps its name"),
        (#"{"choices": {"Task.status": "A"}}"#, "1:29: no choice element `Task.status` in FHIR Mini 9.9.0"),
        (#"{"codes": {"http://x/y": "A"}}"#, "1:26: no value set `http://x/y` behind a required binding in FHIR Mini 9.9.0"),
        (#"{"ignoredCodes": ["http://x/y"]}"#, "1:19: no value set `http://x/y` behind a required binding in FHIR Mini 9.9.0"),
        (#"{"bases": {"Task": "List"}}"#, "1:20: `List` is the name of a generated type"),
        (#"{"bases": {"Task": "TaskUse"}}"#, "1:20: `TaskUse` is the name of a generated type"),
        (#"{"types": {"Nope": "A"}}"#, "1:20: no type or element `Nope` in FHIR Mini 9.9.0"),
        (#"{"types": {"Element": "A"}}"#, "1:23: `Element` is abstract and has no instances to be of another class, see `bases`"),
        (
            #"{"types": {"Quantity": "A"}}"#,
            "1:24: `Age` derives from `Quantity`: only a class without subclasses can be replaced, see `bases`"
        ),
        (#"{"types": {"boolean": "A"}}"#, "1:23: `boolean` is `Bool` in Swift: only primitives that are text can have another type"),
        (
            #"{"types": {"Task.value[x]": "A"}}"#,
            "1:29: `Task.value[x]` is not of one primitive type: name its class to replace that, or the type of a choice in all elements"
        ),
        (#"{"types": {"Reference": "List"}}"#, "1:25: `List` is the name of a generated type"),
        (
            #"{"properties": {"Reference.reference": "target"}}"#,
            "1:40: `Reference.reference` must stay the property `reference` of type `String`, which the runtime uses"
        ),
        (
            #"{"types": {"string": "Text"}}"#,
            "1:22: `Reference.reference` must stay the property `reference` of type `String`, which the runtime uses"
        ),
        (#"{"handwritten": ["Nope"]}"#, "1:18: no class for `Nope` in FHIR Mini 9.9.0"),
        (#"{"skipped": ["Nope"]}"#, "1:14: no class for `Nope` in FHIR Mini 9.9.0"),
        (#"{"classTemplates": {"Nope": "class"}}"#, "1:29: no class for `Nope` in FHIR Mini 9.9.0"),
        (#"{"files": [{"template": "nope", "each": "type", "path": "{{name}}"}]}"#, "1:25: no template `nope.swift.tmpl`"),
        (#"{"files": [{"template": "class", "each": "type", "path": "{{nope}}"}]}"#, "1:58: the path `{{nope}}`: no key `nope` here"),
        (#"{"files": [{"template": "class", "each": "type", "path": "a"}]}"#, "1:58: two files would have the path `a`"),
        (
            #"{"files": [{"template": "class", "each": "type", "path": "release.swift"}]}"#,
            "1:58: two files would have the path `release.swift`"
        ),
        (
            #"{"files": [{"template": "class", "each": "type", "path": "../{{name}}"}]}"#,
            "1:58: `../Age` is not a path below the output folder: names separated by `/`, none empty or beginning with a dot"
        ),
        (
            #"{"files": [{"template": "class", "each": "type", "path": "/{{name}}"}]}"#,
            "1:58: `/Age` is not a path below the output folder: names separated by `/`, none empty or beginning with a dot"
        ),
        (#"{"profiles": ["http://x/p"]}"#, "1:15: profiles need `profileDefinitions`, the folder that has them"),
        (
            #"{"logicalModels": {"http://x/m": "datatype"}}"#,
            "1:34: logical models need `definitions`, which have them and the types of FHIR"
        ),
    ])
    func requestsThatCannotBeMet(settings: String, expected: String) throws {
        #expect(try error(settings) == "s.json:" + expected)
    }

    @Test func templatesWithoutTheMarkAreRefused() throws {
        try package.folder.write("T/codes.swift.tmpl", "// {{name}}\n")
        let error = try error(#"{"templates": "T"}"#)
        #expect(error == "T/codes.swift.tmpl:1: the first line of a file should end in `\(OutputFolder.mark)`")
    }

    /// Templates from before a class could be replaced would give objects of the wrong class.
    @Test func templatesThatDoNotReplaceAreRefused() throws {
        let old = try package.folder.read("Templates/class.swift.tmpl").replacingOccurrences(of: "{{instances}}", with: "{{name}}")
        try package.folder.write("T/class.swift.tmpl", old)
        #expect(
            try error(#"{"templates": "T", "types": {"Reference": "Link"}}"#).hasPrefix(
                "T/class.swift.tmpl: a class of this template is replaced"))
        try package.folder.write("s.json", #"{"templates": "T"}"#)
        #expect(package.run("--settings", package.folder.path + "/s.json", "--output", package.folder.path + "/Out").status == 0)
    }

    @Test func settingsNeedAnOutput() throws {
        try package.folder.write("s.json", "{}")
        let outcome = package.run("--settings", package.folder.path + "/s.json")
        #expect(outcome.error == "Generator: --settings needs --output, since the package's own code is made without it, see --help")
        #expect(package.run("--settings", "/no/such.json", "--output", "/x").error.contains("/no/such.json: cannot read this file"))
    }

    /// Any bytes are settings or an error with a place in the file.
    @Test func mutatedSettingsNeverCrash() throws {
        let release = try Fixtures.mini()
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        let text = Array(
            """
            {"release": "Mini", "resources": ["Task"], "classes": {"Task": "Chore"}, "properties": {"for": "whose", "Task.value[x]": "v"},
             "choices": {"Task.value[x]": "V"}, "codes": {"http://example.org/fhir/ValueSet/task-use": "U"}, "bases": {"List": "L"},
             "types": {"Reference": "Link", "uri": "Web"}, "ignoredCodes": [], "handwritten": ["Age"], "skipped": ["Layout"],
             "classTemplates": {"List": "class"}, "files": [{"template": "release", "each": "release", "path": "a/{{release.name}}.swift"}]}
            """.utf8)
        var sound = 0
        for seed in 0..<400 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let bytes = seed % 2 == 0 ? generator.mutated(text) : generator.respelled(text)
            do {
                let settings = try SettingsReader.read(SourceFile(name: "s.json", bytes: bytes))
                let checker = SettingsChecker(settings, release)
                try checker.check()
                let named = NamingPass.name(release, settings: settings)
                try checker.check(named)
                let types = try checker.remaining(of: Set(release.types.map(\.name)))
                _ = try FilePlanner.plan(named.limited(to: types), templates: templates, settings: settings)
                sound += 1
            } catch let error as GeneratorError {
                #expect(error.location?.file == "s.json", "seed \(seed): \(error)")
            }
        }
        #expect(sound > 5 && sound < 390)
    }
}
