import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// The tool knows every release by name, and any other by its layouts.
struct ReleaseTests {
    private let folder: TestSupport.TemporaryFolder
    private var path: String { folder.path + "/store.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ text: String) throws -> String {
        let file = folder.path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// A resource that only this release has, or has so.
    private static let resources = [
        "DSTU2": #"{"resourceType":"MedicationOrder","id":"1","status":"active","medicationCodeableConcept":{"text":"x"}}"#,
        "STU3":
            #"{"resourceType":"ProcedureRequest","id":"1","status":"active","intent":"order","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#,
        "R4": #"{"resourceType":"DocumentManifest","id":"1","status":"current","content":[{"reference":"Binary/1"}]}"#,
        "R4B": #"{"resourceType":"NutritionProduct","id":"1","status":"active"}"#,
        "R5":
            #"{"resourceType":"Transport","id":"1","status":"completed","intent":"order","requestedLocation":{"reference":"Location/1"},"currentLocation":{"reference":"Location/2"}}"#,
    ]

    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B", "R5"]) func aNewDatabaseNeedsItsReleaseAndThenKnowsIt(_ name: String) throws {
        let json = try #require(Self.resources[name])
        let file = try write("in.ndjson", json + "\n")
        let created = try ToolRun("import", "--database", path, "--release", name.lowercased(), file)
        #expect(created.status == .done, "\(created.error)")
        #expect(try ToolRun("import", "--database", path, file).status == .done)
        let type = json.split(separator: "\"")[3]
        #expect(try ToolRun("get", "--database", path, "\(type)/1").output == json + "\n")
        #expect(try ToolRun("find", "--database", path, "\(type)", "status!=", "--count").output == "1\n")
        #expect(try ToolRun("export", "--database", path, "--output", folder.path + "/out").status == .done)
        #expect(try String(contentsOfFile: folder.path + "/out/\(type).ndjson", encoding: .utf8) == json + "\n")
        #expect(try ToolRun("check", "--database", path).output == "sound\n")
        #expect(try ToolRun("info", "--database", path, "--json").output.contains("\"release\":\"\(name)\""))
        #expect(try ToolRun("validate", "--release", name, file).status == .done)
        for other in Self.resources.keys where other != name {
            let refused = try ToolRun("import", "--database", path, "--release", other, file)
            #expect(refused.status == .failed && refused.error.contains("holds FHIR \(name), not \(other)"), "\(refused.error)")
        }
    }

    @Test func aRejectNamesTheReleaseThatTheResourceStates() throws {
        let profile =
            #"{"resourceType":"Patient","meta":{"profile":["http://hl7.org/fhir/3.0/StructureDefinition/Patient"]},"animal":{"species":{"text":"cat"}}}"#
        let version = #"{"resourceType":"CapabilityStatement","fhirVersion":"5.0.0","status":"draft","nothing":"x"}"#
        let file = try write("in.ndjson", profile + "\n" + version + "\n" + #"{"resourceType":"Patient","nothing":1}"# + "\n")
        let run = try ToolRun("import", "--database", path, "--on-error", "skip", file)
        #expect(run.status == .incomplete)
        let rejects = try ToolRun("validate", file, "--format", "table").output.split(separator: "\n")
        #expect(rejects.contains { $0.contains("the resource says that it is FHIR STU3, not R4") })
        #expect(rejects.contains { $0.contains("the resource says that it is FHIR R5, not R4") })
        #expect(rejects.count { $0.contains("the resource says") } == 2)
    }

    @Test func anUnknownReleaseIsAnErrorWithTheKnownOnes() throws {
        let run = try ToolRun("info", "--database", path, "--release", "R6")
        #expect(run.status == .usage && run.error.contains("this build has DSTU2, STU3, R4, R4B, R5"))
        let missing = try ToolRun("info", "--database", path, "--release", folder.path + "/none.layouts")
        #expect(missing.status == .usage && missing.error.contains("cannot be read as text"))
        let wrong = try ToolRun("info", "--database", path, "--release", try write("a.layouts", "FireLite layouts 1\nrelease\n"))
        #expect(wrong.status == .usage && wrong.error.contains("line 2: expected 'release'"))
    }

    @Test func aReleaseOfOnesOwnIsReadFromItsLayouts() throws {
        let layouts = try write(
            "mini.layouts",
            """
            FireLite layouts 1
            release Mini 0.1
            abstract resource Resource -
              id 0..1 id
            abstract datatype Element -
              id 0..1 string
              extension 0..* Extension
            datatype Extension Element
              url 1..1 uri
            resource Visit Resource
              place 0..1 string
              guest 0..* Visit.guest
            backbone Visit.guest Element
              name 1..1 string

            """)
        let json = #"{"resourceType":"Visit","id":"1","place":"here","guest":[{"name":"Ada"},{"name":"Bo"}]}"#
        let file = try write("in.ndjson", json + "\n")
        #expect(try ToolRun("import", "--database", path, "--release", layouts, file).status == .done)
        #expect(try ToolRun("find", "--database", path, "--release", layouts, "Visit", "guest.name=Bo").output == json + "\n")
        let unknown = try ToolRun("info", "--database", path)
        #expect(unknown.status == .usage && unknown.error.contains("holds FHIR Mini, which this build does not know"))
    }
}
