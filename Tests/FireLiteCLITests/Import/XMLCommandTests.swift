import FireLite
import FireLiteXML
import Foundation
import Testing

@testable import FireLiteCLI

/// FHIR XML into the database and out of it.
struct XMLCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let lines = [
        #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50}}"#,
        #"{"resourceType":"Patient","id":"1","name":[{"given":["Ada",null],"_given":[null,{"id":"g"}]}]}"#,
        #"{"resourceType":"Patient","id":"2","contained":[{"resourceType":"Group","id":"c"}]}"#,
    ]

    private func importing(_ name: String, _ arguments: String..., input: Data = Data()) throws -> ToolRun {
        try ToolRun(["import", "--database", folder.file(name)] + arguments, input: input)
    }

    private func exported(_ name: String) throws -> [String] {
        try ToolRun("export", "--database", folder.file(name), "--output", "-").lines
    }

    private func bundle(_ content: String) -> String {
        "<Bundle xmlns=\"http://hl7.org/fhir\"><type value=\"collection\"/>\(content)</Bundle>"
    }

    @Test func whatIsExportedAsXMLIsImported() throws {
        _ = try importing("a.sqlite", folder.write("in.ndjson", Self.lines.joined(separator: "\n")))
        let run = try ToolRun("export", "--database", folder.file("a.sqlite"), "--format", "xml", "--output", folder.file("xml"))
        #expect(run.status == .done && run.output.hasPrefix("exported 3, files 2, seconds "))
        #expect(
            try folder.read("xml/Patient.xml") == """
                <Bundle xmlns="http://hl7.org/fhir"><type value="collection"/>
                <entry><resource><Patient><id value="1"/><name><given value="Ada"/><given id="g"/></name></Patient></resource></entry>
                <entry><resource><Patient><id value="2"/><contained><Group><id value="c"/></Group></contained></Patient></resource></entry>
                </Bundle>

                """)
        let back = try importing("b.sqlite", folder.file("xml"))
        #expect(back.counts == "added 3, updated 0, unchanged 0, rejected 0", "\(back.error)")
        #expect(try exported("b.sqlite") == Self.lines)
        let output = try ToolRun("export", "--database", folder.file("a.sqlite"), "--format", "xml", "--output", "-")
        let piped = try importing("b.sqlite", "-", input: Data(output.output.utf8))
        #expect(piped.counts == "added 0, updated 0, unchanged 3, rejected 0", "\(piped.error)")
    }

    @Test func aResourceIsPrintedAsXML() throws {
        let database = try ToolDatabase(Self.lines[0])
        let run = try database.run("get", ["--format", "xml", "Observation/1"])
        #expect(
            run.output
                == #"<Observation xmlns="http://hl7.org/fhir"><id value="1"/><status value="final"/><code><text value="x"/></code><valueQuantity><value value="1.50"/></valueQuantity></Observation>"#
                + "\n")
        #expect(
            try database.run("get", ["--format", "xml", "Observation/1"], isTerminal: true).output.contains(
                "\n  <status value=\"final\"/>\n"))
        #expect(try database.run("get", ["--format", "csv", "Observation/1"]).status == .usage)
        let one = try importing("one.sqlite", folder.write("one.xml", run.output))
        #expect(one.counts == "added 1, updated 0, unchanged 0, rejected 0")
        #expect(try exported("one.sqlite") == [Self.lines[0]])
    }

    @Test func referencesInBundlesAreResolved() throws {
        let uuid = "urn:uuid:0d5cdb0e-2b3e-4a0a-9f6b-2f3b1c0a7e11"
        let text = bundle(
            """
            <entry><resource><Observation><status value="final"/><code><text value="x"/></code><subject><reference value="\(uuid)"/></subject>\
            </Observation></resource></entry><entry><fullUrl value="\(uuid)"/><resource><Patient><active value="true"/></Patient></resource></entry>
            """)
        let run = try importing("a.sqlite", folder.write("a.xml", text))
        #expect(run.counts == "added 2, updated 0, unchanged 0, rejected 0", "\(run.error)")
        #expect(try exported("a.sqlite").contains { $0.contains("\"reference\":\"Patient/\(uuid.dropFirst(9))\"") })
    }

    @Test func mistakesInEntriesConcernTheseAlone() throws {
        let text = bundle(
            "\n<entry><resource><Patient><id value=\"1\"/></Patient></resource></entry>\n<entry><resource><Patient><id value=\"2\"/>"
                + "<nick value=\"SECRET\"/></Patient></resource></entry>\n<entry><resource><Patient><id value=\"3\"/></Patient></resource></entry>"
        )
        let stopped = try importing("a.sqlite", folder.write("a.xml", text))
        #expect(
            stopped.status == .incomplete && stopped.error.contains("line 3, column 42, Bundle.entry[1].resource.nick"), "\(stopped.error)")
        #expect(!stopped.error.contains("SECRET"))
        #expect(try exported("a.sqlite").isEmpty)
        let run = try importing("a.sqlite", "--on-error", "skip", folder.file("a.xml"))
        #expect(run.counts == "added 2, updated 0, unchanged 0, rejected 1", "\(run.error)")
    }

    @Test func documentsThatAreNotWellFormedStoreNothing() throws {
        let entry = "<entry><resource><Patient><id value=\"1\"/></Patient></resource></entry>"
        for (name, text) in [
            ("a.xml", "<Bundle xmlns=\"http://hl7.org/fhir\">\(entry)"), ("b.xml", "<!DOCTYPE Bundle>" + bundle(entry)), ("c.xml", "{}"),
        ] {
            let run = try importing("a.sqlite", "--on-error", "skip", folder.write(name, text))
            #expect(run.counts == "added 0, updated 0, unchanged 0, rejected 1", "\(name): \(run.error)")
        }
        let utf16 = try #require(bundle(entry).data(using: .utf16))
        #expect(try importing("a.sqlite", folder.write("d.xml", utf16)).error.contains("expected UTF-8"))
    }

    @Test func datesAreCorrectedInXMLToo() throws {
        let patient = "<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"1\"/><birthDate value=\"1974/12/25\"/></Patient>"
        #expect(try importing("a.sqlite", folder.write("a.xml", patient)).status == .incomplete)
        let run = try importing("a.sqlite", "--lenient-dates", folder.file("a.xml"))
        #expect(run.counts == "added 1, updated 0, unchanged 0, rejected 0" && run.error.contains("Patient.birthDate"), "\(run.error)")
        let entries = try importing(
            "b.sqlite", "--lenient-dates", folder.write("b.xml", bundle("<entry><resource>\(patient)</resource></entry>")))
        #expect(entries.counts == "added 1, updated 0, unchanged 0, rejected 0", "\(entries.error)")
        #expect(try exported("b.sqlite") == [#"{"resourceType":"Patient","id":"1","birthDate":"1974-12-25"}"#])
    }

    @Test func validateReadsXML() throws {
        let patient = "<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"1\"/><gender value=\"x\"/></Patient>"
        let run = try ToolRun("validate", "--format", "table", folder.write("a.xml", patient))
        #expect(run.status == .incomplete && run.output.contains("Patient.gender"), "\(run.output)")
        #expect(try ToolRun("validate", folder.write("b.xml", patient.replacingOccurrences(of: "\"x\"", with: "\"male\""))).status == .done)
    }

    @Test func whatXMLCannotHoldEndsTheExport() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","text":{"status":"generated","div":"<div>"}}"#)
        let run = try database.run("export", ["--format", "xml", "--output", folder.file("xml")])
        #expect(run.status == .failed && run.error.contains("Patient.text.div"), "\(run.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("xml/Patient.xml")))
    }

    @Test func whatXMLCannotHoldIsSkippedIfAsked() throws {
        let database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1","text":{"status":"generated","div":"<div>"}}"# + "\n"
                + #"{"resourceType":"Patient","id":"2"}"#)
        let run = try database.run("export", ["--format", "xml", "--on-error", "skip", "--output", folder.file("xml")])
        #expect(run.status == .incomplete && run.output.hasPrefix("exported 1, files 1"), "\(run.error)")
        #expect(run.error.contains("skipped Patient number 1: XML cannot hold it: Patient.text.div"), "\(run.error)")
        let xml = try folder.read("xml/Patient.xml")
        #expect(xml.contains("<id value=\"2\"/>") && !xml.contains("<id value=\"1\"/>"))
        // JSON can hold it.
        let lines = try database.run("export", ["--output", "-"])
        #expect(lines.status == .done && lines.lines.count == 2)
    }

    @Test func compressedXMLIsImported() throws {
        let entries = (0..<500).map { "<entry><resource><Patient><id value=\"\($0)\"/></Patient></resource></entry>" }.joined()
        for (name, text) in [
            ("one.xml", "<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"a\"/></Patient>"), ("all.xml", bundle(entries)),
        ] {
            let path = try folder.write(name, text)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["gzip", "-f", path]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { return }
        }
        let run = try importing("a.sqlite", folder.file("one.xml.gz"), folder.file("all.xml.gz"))
        #expect(run.counts == "added 501, updated 0, unchanged 0, rejected 0", "\(run.error)")
    }
}
