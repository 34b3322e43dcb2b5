import FireLiteProfileReader
import Foundation
import TestSupport
import Testing

@testable import FireLiteGenerator

/// Views are generated from packages, the same each time, and mistakes are errors with their place.
@Suite struct GenerationTests {
    private static let tests = PackageFolder.url.appendingPathComponent("Tests/FireLiteProfilesTests").path

    private func run(_ settings: String, output: String, _ arguments: [String] = []) -> GeneratorCommand.Outcome {
        GeneratorCommand.run(
            ["--settings", settings, "--output", output, "--package", PackageFolder.url.path] + arguments, profiles: PackageProfiles())
    }

    /// The views that these tests are compiled with: generate them again with `FIRELITE_UPDATE_VIEWS=1`.
    @Test func viewsOfTheDiaryAreUpToDate() throws {
        let isUpdate = ProcessInfo.processInfo.environment["FIRELITE_UPDATE_VIEWS"] != nil
        let outcome = run(
            Self.tests + "/Fixtures/diary/settings.json", output: Self.tests + "/Generated", isUpdate ? [] : ["--check"])
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
        let left = "diary-summary: Composition.section:measures.entry:note has no property: only the resources that its references lead to"
        #expect(outcome.output.contains(left), "\(outcome.output)")
    }

    /// Of US Core only the views that the page `ProfileViews` shows are in the repository.
    @Test(
        .enabled(
            if: SharedArchive("packages/us-core-6.1.0.tgz") != nil, "the package of US Core is not beside the package, in ../shared/data"))
    func viewsOfUSCoreAreUpToDate() throws {
        let outcome = run(
            Self.tests + "/Fixtures/us-core/settings.json", output: Self.tests + "/GeneratedUSCore",
            ProcessInfo.processInfo.environment["FIRELITE_UPDATE_VIEWS"] != nil ? [] : ["--check"])
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
    }

    private func settings(_ guide: String, in folder: TemporaryFolder) throws -> String {
        try folder.write("settings.json", "{\"release\": \"R4\", \"guides\": [\(guide)]}")
    }

    private static let package = "\"package\": \"\(tests)/Fixtures/diary/package\""

    @Test(arguments: [
        ("\"accessor\": \"diary\"", "a guide needs `package` and `accessor`"),
        ("PACKAGE, \"accessor\": \"diary\", \"profile\": []", "unknown key `profile` of a guide"),
        ("PACKAGE, \"accessor\": \"diary\", \"profiles\": [\"none\"]", "has no profile `none`"),
        ("PACKAGE, \"accessor\": \"diary\", \"names\": {\"none\": \"None\"}", "`names` has `none`"),
        ("PACKAGE, \"accessor\": \"diary\", \"names\": {\"diary-note\": \"Patient\"}", "the name `Patient` of diary-note is already"),
        (
            "PACKAGE, \"accessor\": \"diary\", \"names\": {\"diary-note#Observation.none\": \"none\"}",
            "is no element with a name of its own"
        ),
        ("PACKAGE, \"accessor\": \"name\"", "`Patient.name` is already a property"),
        ("\"package\": \"none.tgz\", \"accessor\": \"diary\"", "there is no such file or folder"),
    ])
    func mistakesAreNamed(guide: String, message: String) throws {
        let folder = try TemporaryFolder()
        let path = try settings("{\(guide.replacingOccurrences(of: "PACKAGE", with: Self.package))}", in: folder)
        let outcome = run(path, output: folder.file("Generated"))
        #expect(outcome.status == 2)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("Generated")))
    }

    @Test func guidesSideBySideNeedDifferentAccessors() throws {
        let folder = try TemporaryFolder()
        let one = "{\(Self.package), \"accessor\": \"diary\"}"
        let clash = run(try settings("\(one), \(one)", in: folder), output: folder.file("Generated"))
        #expect(clash.error.contains("is already a property or the view of another profile"), "\(clash.error)")
        let other = "{\(Self.package), \"accessor\": \"second\", \"prefix\": \"Second\"}"
        let outcome = run(try settings("\(one), \(other)", in: folder), output: folder.file("Generated"))
        #expect(outcome.status == 0, "\(outcome.error)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("Generated/Profiles")).sorted()
        #expect(files.count == 14)
        #expect(files.contains("SecondDiaryPatient.swift"))
    }

    @Test func chosenProfilesBringWhatTheyUse() throws {
        let folder = try TemporaryFolder()
        let outcome = run(
            try settings("{\(Self.package), \"accessor\": \"diary\", \"profiles\": [\"diary-patient\"]}", in: folder),
            output: folder.file("Generated"))
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("Generated/Profiles")).sorted()
                == ["DiaryMood.swift", "DiaryPatient.swift"])
    }

    /// A slim module has its classes and the views in one folder, without an import of another module.
    @Test func viewsComeWithTheClassesOfASlimModule() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "settings.json",
            "{\"release\": \"R4\", \"resources\": [\"Patient\"], \"guides\": [{\(Self.package), \"accessor\": \"diary\"}]}")
        let outcome = run(path, output: folder.file("Generated"))
        #expect(outcome.status == 0, "\(outcome.error)")
        let view = try String(contentsOfFile: folder.file("Generated/Profiles/DiaryPatient.swift"), encoding: .utf8)
        #expect(!view.contains("import FireLiteR4"))
        #expect(FileManager.default.fileExists(atPath: folder.file("Generated/Resources/Patient.swift")))
        #expect(!FileManager.default.fileExists(atPath: folder.file("Generated/Profiles/DiaryPressure.swift")))
    }

    // MARK: - Hostile packages

    private func package(_ definitions: [String], in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.file("package"), withIntermediateDirectories: true)
        try folder.write(
            "package/package.json", "{\"name\": \"example.odd\", \"version\": \"1\", \"fhirVersions\": [\"4.0.1\"], \"dependencies\": {}}")
        for (index, text) in definitions.enumerated() { try folder.write("package/StructureDefinition-\(index).json", text) }
    }

    private func definition(
        _ id: String, base: String, type: String = "Patient", elements: String = "{\"id\": \"Patient\", \"path\": \"Patient\"}"
    )
        -> String
    {
        """
        {"resourceType": "StructureDefinition", "id": "\(id)", "url": "http://example.org/\(id)", "name": "\(id)", "status": "active",
         "kind": "\(type == "Extension" ? "complex-type" : "resource")", "abstract": false, "type": "\(type)", "derivation": "constraint",
         "baseDefinition": "\(base)", "differential": {"element": [\(elements)]}}
        """
    }

    @Test func aProfileThatDerivesFromItselfIsAnError() throws {
        let folder = try TemporaryFolder()
        try package([definition("a", base: "http://example.org/b"), definition("b", base: "http://example.org/a")], in: folder)
        let outcome = run(try settings("{\"package\": \"package\", \"accessor\": \"odd\"}", in: folder), output: folder.file("Generated"))
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("derives from itself"), "\(outcome.error)")
    }

    /// An extension that has itself in it has a view, whose rules end where it comes again.
    @Test func anExtensionThatContainsItselfHasAView() throws {
        let folder = try TemporaryFolder()
        let elements = """
            {"id": "Extension", "path": "Extension"},
            {"id": "Extension.extension", "path": "Extension.extension", "slicing": {"discriminator": [{"type": "value", "path": "url"}], "rules": "open"}},
            {"id": "Extension.extension:inner", "path": "Extension.extension", "sliceName": "inner", "min": 0, "max": "1",
             "type": [{"code": "Extension", "profile": ["http://example.org/loop"]}]},
            {"id": "Extension.url", "path": "Extension.url", "fixedUri": "http://example.org/loop"}
            """
        try package(
            [definition("loop", base: "http://hl7.org/fhir/StructureDefinition/Extension", type: "Extension", elements: elements)],
            in: folder)
        let outcome = run(try settings("{\"package\": \"package\", \"accessor\": \"odd\"}", in: folder), output: folder.file("Generated"))
        #expect(outcome.status == 0, "\(outcome.error)")
        let view = try String(contentsOfFile: folder.file("Generated/Profiles/Loop.swift"), encoding: .utf8)
        #expect(view.contains("public var inner: Loop?"))
    }

    /// Text of a package never leaves a comment or a literal.
    @Test func hostileTextStaysInItsPlace() throws {
        let folder = try TemporaryFolder()
        let elements = """
            {"id": "Patient", "path": "Patient"},
            {"id": "Patient.language", "path": "Patient.language", "min": 1, "fixedCode": "\\"# + attack() + #\\"\\\\u{22}"}
            """
        try package(
            [
                definition("x", base: "http://hl7.org/fhir/StructureDefinition/Patient", elements: elements).replacingOccurrences(
                    of: "\"status\"", with: "\"title\": \"a\\nimport Evil */ /*\", \"status\"")
            ], in: folder)
        let outcome = run(try settings("{\"package\": \"package\", \"accessor\": \"odd\"}", in: folder), output: folder.file("Generated"))
        #expect(outcome.status == 0, "\(outcome.error)")
        let view = try String(contentsOfFile: folder.file("Generated/Profiles/X.swift"), encoding: .utf8)
        #expect(!view.split(separator: "\n").contains { $0.hasPrefix("import Evil") })
        #expect(view.contains("##\""))
    }
}
