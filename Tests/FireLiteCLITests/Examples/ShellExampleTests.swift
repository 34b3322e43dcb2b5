import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Every line `firelite …` on the pages and in the help texts is run, in the order of its block, in a folder that has the files it names.
struct ShellExampleTests {
    private static func lines(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("firelite ") }
    }

    /// The commands of a block, or of a help text.
    struct Script: CustomTestStringConvertible, Sendable {
        let place: String
        let lines: [String]
        var testDescription: String { place }
    }

    static let pages: [Script] = {
        do {
            return try DocumentationPages.blocks().filter { ["", "sh", "shell", "bash", "console"].contains($0.language) }
                .map { Script(place: "\($0)", lines: lines($0.lines)) }.filter { !$0.lines.isEmpty }
        } catch {
            return []
        }
    }()

    static let helpTexts: [Script] = FireLiteTool.commands.map { command in
        let text = command.definition.discussion
        let examples = text.components(separatedBy: "\n").drop { !$0.hasPrefix("Example") }
        let lines = lines(examples.map { $0.replacing("Examples:", with: "").replacing("Example:", with: "") })
        return Script(place: "firelite \(command.definition.name) --help", lines: lines)
    }

    @Test func thePagesHaveExamples() {
        #expect(Self.pages.count >= 4)
        #expect(Self.pages.contains { $0.place.hasPrefix("README.md") })
        let without = Self.helpTexts.filter(\.lines.isEmpty).map(\.place)
        #expect(without.isEmpty)
    }

    @Test(arguments: pages) func everyExampleOfAPageRuns(_ script: Script) throws { try run(script) }

    @Test(arguments: Effort.sample(helpTexts, helpTexts.count / 2)) func everyExampleOfAHelpTextRuns(_ script: Script) throws {
        try run(script)
    }

    static let tasks = HelpTask.all.map { Script(place: "firelite help \($0.name)", lines: $0.lines) }

    @Test(arguments: tasks) func everyLineOfATaskRuns(_ script: Script) throws {
        #expect(!script.lines.isEmpty)
        try run(script)
    }

    @Test func everyMakeTargetOfThePagesExists() throws {
        let makefile = try PackageFolder.text(of: "Makefile")
        let lines = try DocumentationPages.blocks().flatMap(\.lines).filter { $0.hasPrefix("make ") }
        #expect(lines.count >= 3)
        for line in lines {
            let target = ShellWords.words(line)[1]
            #expect(makefile.contains("\n\(target):"), "\(line)")
        }
    }

    /// What the first line of the README's commands names is all read.
    @Test func everyFormOfInputIsRead() throws {
        let folder = try TemporaryFolder()
        try prepare(folder)
        let block = Self.pages.first { $0.place.hasPrefix("README.md") }
        let line = try #require(block?.lines.first)
        #expect(line.hasPrefix("firelite import "))
        let words = ShellWords.words(line).dropFirst().flatMap { Self.word($0, folder) }
        let imported = try ToolRun(words)
        #expect(imported.status == .done, "\(imported.error)")
        for id in 123...127 {
            let run = try ToolRun("get", "--database", folder.file("health.sqlite"), "Patient/\(id)")
            #expect(run.status == .done, "\(id): \(run.error)")
        }
    }

    // MARK: - Running

    private func run(_ script: Script) throws {
        let folder = try TemporaryFolder()
        try prepare(folder)
        for line in script.lines {
            let words = ShellWords.words(line).dropFirst().flatMap { Self.word($0, folder) }
            let run = try ToolRun.any(Array(words), environment: ["EDITOR": "true"])
            if words.first == "diff" {
                // As with diff(1), 1 says that there is a difference.
                #expect(run.status == .done || run.status == .incomplete && run.error.isEmpty, "\(script.place): \(line)\n\(run.error)")
            } else if words.contains(where: { $0.hasSuffix("key-file") }) {
                // These need a build with SQLCipher, and an encrypted file.
                let isRefused = run.status == .failed && (run.error.contains("SQLCipher") || run.error.contains("encrypted"))
                #expect(run.status == .done || isRefused, "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "register" {
                // There is no such server.
                #expect(run.status == .failed && !run.error.contains("credentials file"), "\(script.place): \(line)\n\(run.error)")
            } else if ["sync", "pull", "push"].contains(words.first) {
                // There is no such server.
                #expect(run.status == .failed, "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "browse" {
                // The environment of the run names no folders with programs.
                #expect(
                    run.status == .failed && run.error.contains("firelite-server is not installed"),
                    "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "codes" || words.contains("--package-cache") || words.contains("--registry") {
                // There is neither such a release of codes nor such a cache or registry.
                #expect(run.status != .done && !run.error.contains("usage"), "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "publish", !LakeProgram.isInstalled {
                #expect(
                    run.status == .failed && run.error.contains("firelite-lake is not installed"), "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "search", words.contains("--server") {
                // There is no such server, so the database answers.
                let isAnswered = run.status == .done && run.error.contains("these are the database's matches")
                #expect(isAnswered && !run.output.isEmpty, "\(script.place): \(line)\n\(run.error)")
            } else if words.starts(with: ["audit"]), words.contains("verify") {
                // The database has no trail.
                #expect(run.status == .incomplete && run.output.contains("has no audit trail"), "\(script.place): \(line)\n\(run.error)")
            } else if words.first == "reseal", run.status != .done {
                // A library before SQLite 3.32 makes files without room for checksums.
                #expect(run.error.contains("no room for checksums"), "\(script.place): \(line)\n\(run.error)")
            } else if !ToolRun.hasFullText, words.contains("--full-text") || words.contains("--matching") {
                // Without FTS5 there is no such index to drop or to search in, and none can be created.
                let isRefused = run.status != .done && (run.error.contains("no FTS5") || run.error.contains("full-text index"))
                #expect(isRefused || run.status == .done && words.contains("drop"), "\(script.place): \(line)\n\(run.error)")
            } else {
                #expect(run.status == .done && run.error.isEmpty, "\(script.place): \(line)\n\(run.error)")
            }
        }
    }

    /// A word that names a file is one of the folder.
    private static func word(_ word: String, _ folder: TemporaryFolder) -> [String] {
        if word == "*.ndjson" { return [folder.file("observations.ndjson"), folder.file("patients.ndjson")] }
        if ["folder", "exported", "lake", "person"].contains(word) { return [folder.file(word)] }
        // No name is looked up.
        if word == "https://packages.example.org" { return ["https://127.0.0.1:1"] }
        let isFile = word.wholeMatch(of: /[a-z][a-z0-9-]*(\.[a-z0-9]+)*\.(sqlite|ndjson|json|key|gz|pdf|xml|pem|tgz)/) != nil
        return [isFile ? folder.file(word) : word]
    }

    /// A line with the patient 126, as gzip has compressed it.
    private static let compressedPatient =
        "H4sIAAAAAAACA6tWKkotzi8tSk4NqSxIVbJSCkgsyUzNK1HSUcpMAXINjcyAzPTUvJTUIiA3vyQDSNdyAQAwYL3rNwAAAA=="

    private func prepare(_ folder: TemporaryFolder) throws {
        let patients = [
            Patient {
                $0.id = "123"; $0.gender = .male; $0.birthDate = "1960-01-02"
                $0.name = [
                    HumanName {
                        $0.use = .official; $0.family = "Miller, A."; $0.given = ["Joseph"]
                    }
                ]
            },
            Patient {
                $0.id = "124"; $0.gender = .female
                $0.photo = [
                    Attachment {
                        $0.contentType = "text/plain"; $0.data = "AAAA"
                    }
                ]
            },
        ]
        let observation = Observation {
            $0.id = "o"; $0.status = .final; $0.effectiveDateTime = "2020-01-01"; $0.subject = Reference { $0.reference = "Patient/123" }
            $0.category = [
                CodeableConcept(Coding("http://terminology.hl7.org/CodeSystem/observation-category", "vital-signs"))
            ]
            $0.code = CodeableConcept(.loinc("8867-4"))
            $0.valueQuantity = Quantity(72, "/min")
        }
        let bundle = FireLiteR4.Bundle {
            $0.type = .collection
            $0.entry = [BundleEntry { $0.resource = Patient { $0.id = "125" } }]
        }
        try folder.write("patients.ndjson", patients.map { FHIRJSON.string($0) }.joined(separator: "\n"))
        try folder.write("observations.ndjson", FHIRJSON.string(observation))
        try folder.write("patient.json", FHIRJSON.string(patients[0], pretty: true))
        try folder.write("bundle.json", FHIRJSON.string(bundle))
        try folder.write(
            "names.json",
            #"{"resource":"Patient","select":[{"column":[{"name":"id","path":"id"}]},{"forEach":"name","column":[{"name":"family","path":"family"}]}]}"#
        )
        try folder.write(
            "export.xml",
            """
            <HealthData><Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="60" \
            startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100"/></HealthData>
            """)
        let compressed = try #require(Data(base64Encoded: Self.compressedPatient))
        try folder.write("bulk.ndjson.gz", compressed)
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try folder.write("folder/more.ndjson", FHIRJSON.string(Patient { $0.id = "127" }))
        // What an app on FireKit has exported.
        try FileManager.default.createDirectory(atPath: folder.file("exported/Patient"), withIntermediateDirectories: true)
        try folder.write("exported/Patient/128.json", #"{"id":"128","photo":[],"name":[{"given":[{"value":"Ryan"}]}]}"#)
        try folder.write("realm.json", #"{"Patient":[{"pk":"p","id":"129","active":null}],"HumanName":[{"pk":"n"}]}"#)
        try folder.write(
            "colors.json", #"{"resourceType":"CodeSystem","url":"http://example.org/colors","status":"active","content":"complete"}"#)
        let gender = #"{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/administrative-gender"}"#
        let code = #"{"name":"coding","valueCoding":{"system":"http://hl7.org/fhir/administrative-gender","code":"female"}}"#
        try folder.write("request.json", #"{"resourceType":"Parameters","parameter":[\#(gender),\#(code)]}"#)
        try folder.write("us-core-6.1.0.tgz", TarArchive.package("hl7.fhir.us.core", "6.1.0"))
        try folder.write("letter.pdf", "%PDF-1.7\n")
        try folder.write("all.ndjson", FHIRJSON.string(Patient { $0.id = "130" }))
        let credentials = try folder.write("server.json", #"{"token":"secret"}"#)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credentials)
        for key in ["old.key", "new.key", "secret.key"] {
            let path = try folder.write(key, String(repeating: key, count: 4))
            // Others must not be able to read it.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        for name in ["health.sqlite", "damaged.sqlite", "restored.sqlite"] {
            let run = try ToolRun(
                "import", "--database", folder.file(name), folder.file("patients.ndjson"), folder.file("observations.ndjson"))
            #expect(run.status == .done)
        }
    }
}
