import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `firelite package`: what it takes, what it leaves out and says so.
struct PackageCommandTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("guides.sqlite")
    }

    private func archive(
        name: String = "a.guide", fhir versions: [String] = [], _ others: [(path: String, content: String)] = []
    ) throws -> String {
        let manifest = try JSONSerialization.data(
            withJSONObject: ["name": name, "version": "1.0.0", "fhirVersions": versions] as [String: Any])
        let entries = [(path: "package.json", content: String(decoding: manifest, as: UTF8.self))] + others
        return try folder.write("p.tgz", TarArchive.data(entries.map { ("package/\($0.path)", "0", $0.content) }))
    }

    private func add(_ source: String, _ more: String...) throws -> ToolRun {
        try ToolRun(["package", "--knowledge", file, "add", source] + more)
    }

    @Test(arguments: ["a\u{1B}[31mb", "a\nb", "a#b", "../a", "a|b"]) func namesThatNoPackageHasAreRefused(_ name: String) throws {
        let run = try add(archive(name: name))
        #expect(run.status == .failed && run.output.isEmpty && run.error.contains("package.json"), "\(run.error)")
        #expect(run.error.filter { $0 == "\n" }.count == 1 && !run.error.contains("\u{1B}"))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aNewFileIsForItsOwner() throws {
        #expect(try add(archive([("v.json", #"{"resourceType":"ValueSet","url":"http://a.org/v"}"#)])).status == .done)
        let connection = try Connection(path: file, createsFile: false)
        #expect(try connection.integer("SELECT count(*) FROM definition") == 1)
        for suffix in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: file + suffix) {
            #expect(try FileManager.default.attributesOfItem(atPath: file + suffix)[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test func filesThatAreLeftOutAreListed() throws {
        let source = try archive([("v.json", #"{"resourceType":"ValueSet","url":"http://a.org/v"}"#), ("bad.json", "{"), ("no.json", "{}")])
        let run = try add(source)
        #expect(run.status == .done && run.output == "a.guide#1.0.0: 1 definition\n", "\(run.output)")
        let lines = run.error.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("left out: a.guide#1.0.0, package/bad.json: line 1: "), "\(run.error)")
        let json = try add(source, "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let skipped = try #require(object["skipped"] as? [[String: String]])
        #expect(skipped.compactMap { $0["file"] } == ["package/bad.json", "package/no.json"])
        #expect((object["packages"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["a.guide"])
        // A validation that reads the package itself says so, too.
        let patient = try folder.write("patient.json", #"{"resourceType":"Patient"}"#)
        #expect(try ToolRun("validate", "--package", source, patient).error == run.error)
        #expect(try ToolRun("validate", "--quiet", "--package", source, patient).error.isEmpty)
    }

    @Test func removingMakesNoFile() throws {
        #expect(try ToolRun("package", "--knowledge", file, "remove", "a.guide").status == .failed)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try ToolRun("package", "--knowledge", file, "remove", "a.guide", "--json").status == .usage)
    }

    /// Nothing is known about a resource if its profile cannot be read.
    @Test func aValidationEndsIfAFileCannotBeRead() throws {
        let profile = """
            {"resourceType":"StructureDefinition","url":"http://a.org/p","name":"P","status":"active","kind":"resource","abstract":false,
             "type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
             "differential":{"element":[{"id":"Patient","path":"Patient"},{"id":"Patient.birthDate","path":"Patient.birthDate","min":1}]}}
            """
        #expect(try add(archive([("p.json", profile)])).status == .done)
        let patient = try folder.write("patient.json", #"{"resourceType":"Patient","meta":{"profile":["http://a.org/p"]}}"#)
        let before = try ToolRun("validate", "--knowledge", file, patient)
        #expect(before.status == .incomplete && before.output.contains("birthDate"))
        try Connection(path: file, createsFile: false).run("UPDATE definition SET text = '{'")
        let after = try ToolRun("validate", "--knowledge", file, patient)
        #expect(after.status == .failed && after.error.contains("damaged"), "\(after.error)")
    }

    /// The packages of a database are used by validations of it.
    @Test func aDatabaseKeepsPackages() throws {
        let database = folder.file("health.sqlite")
        let patient = try folder.write(
            "patient.ndjson", #"{"resourceType":"Patient","id":"a","meta":{"profile":["http://a.org/p"]}}"# + "\n")
        #expect(try ToolRun("import", "--database", database, patient).status == .done)
        #expect(try ToolRun("validate", "--database", database).status == .done)
        let profile = """
            {"resourceType":"StructureDefinition","url":"http://a.org/p","name":"P","status":"active","kind":"resource","abstract":false,
             "type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
             "differential":{"element":[{"id":"Patient","path":"Patient"},{"id":"Patient.birthDate","path":"Patient.birthDate","min":1}]}}
            """
        let added = try ToolRun("package", "--database", database, "add", archive([("p.json", profile)]))
        #expect(added.status == .done && added.output == "a.guide#1.0.0: 1 definition\n", "\(added.error)")
        #expect(try ToolRun("package", "--database", database, "list").output.contains("a.guide"))
        let run = try ToolRun("validate", "--database", database)
        #expect(run.status == .incomplete && run.output.contains("birthDate"), "\(run.output) \(run.error)")
        #expect(try ToolRun("check", "--database", database).status == .done)
        #expect(try ToolRun("package", "--database", database, "remove", "a.guide#2.0.0").status == .incomplete)
        #expect(try ToolRun("package", "--database", database, "remove", "a.guide#1.0.0").status == .done)
        #expect(try ToolRun("validate", "--database", database).status == .done)
        #expect(try ToolRun("package", "--database", folder.file("none.sqlite"), "list").status == .failed)
    }

    /// A package of another release is added all the same, and a note says so.
    @Test(arguments: [([], nil), (["4.0.0"], nil), (["5.0.0", "4.0.1"], nil), (["5.0.0", "4.3.0"], "5.0.0, 4.3.0"), (["4"], "4")])
    func packagesOfAnotherReleaseAreNamed(_ versions: [String], _ named: String?) throws {
        let database = folder.file("health.sqlite")
        let patient = try folder.write("patient.ndjson", #"{"resourceType":"Patient","id":"a"}"# + "\n")
        #expect(try ToolRun("import", "--database", database, patient).status == .done)
        let set = (path: "v.json", content: #"{"resourceType":"ValueSet","url":"http://a.org/v"}"#)
        let added = try ToolRun("package", "--database", database, "add", archive(fhir: versions, [set]))
        #expect(added.status == .done)
        let expected = named.map { "note: a.guide#1.0.0 is for FHIR \($0), and the database has resources of R4\n" } ?? ""
        #expect(added.error == expected)
    }

    @Test func onePlaceMustBeNamed() throws {
        #expect(try ToolRun("package", "list").status == .usage)
        #expect(try ToolRun("package", "--knowledge", file, "--database", file, "list").status == .usage)
    }

    @Test(arguments: [
        ["list", "--registry", "https://packages.example"], ["add", "a.b", "--dependencies"],
        ["add", "a.b", "--registry", "http://packages.example"],
        ["add", "a.b", "--registry", "packages"], ["remove", "a.b", "--registry", "https://packages.example"],
    ])
    func registriesThatCannotBeUsedAreRefusedBeforeAnyRequest(_ words: [String]) throws {
        let run = try ToolRun(["package", "--knowledge", file] + words)
        #expect(run.status == .usage, "\(run.error)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
