import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct SamplesCommandTests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("health.sqlite")
    }

    private static let export = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
        <!ATTLIST Record type CDATA #REQUIRED
        ]>
        <HealthData locale="en_US">
         <ExportDate value="2026-01-03 10:00:00 +0100"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="60" startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" value="80" startDate="2026-01-02 08:00:00 +0100" endDate="2026-01-02 08:00:00 +0100"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" value="100" startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:10:00 +0100"/>
        </HealthData>
        """

    private func samples(_ arguments: String...) throws -> ToolRun {
        try ToolRun.any(["samples", "--database", database] + arguments)
    }

    @Test func anExportIsImportedOnce() throws {
        let file = try folder.write("export.xml", Self.export)
        let first = try samples("import", file)
        #expect(first.status == .done, "\(first.error)")
        #expect(first.output.hasPrefix("read 3, added 3, updated 0, deleted 0, unchanged 0"))
        #expect(try samples("import", file).output.hasPrefix("read 3, added 0, updated 0, deleted 0, unchanged 3"))
        // A later export has other bytes and the same samples.
        let later = try folder.write("later.xml", Self.export.replacing("2026-01-03 10", with: "2026-01-04 10"))
        #expect(try samples("import", later).output.hasPrefix("read 3, added 0, updated 0, deleted 0, unchanged 3"))
        #expect(try ToolRun("find", "--database", database, "Observation", "--count").lines.last?.contains("3") == true)
        #expect(try ToolRun("check", "--database", database).status == .done)
    }

    @Test func anImportOfTheSameFileBringsWhatOptionsAndDeletionsHaveChanged() throws {
        let file = try folder.write("export.xml", Self.export)
        _ = try samples("import", file, "--subject", "Patient/1")
        let other = try samples("import", file, "--subject", "Patient/2")
        #expect(other.output.hasPrefix("read 3, added 0, updated 3, deleted 0, unchanged 0"), "\(other.output)")
        #expect(try ToolRun("search", "--database", database, "Observation?subject=Patient/2", "--count").lines.last?.contains("3") == true)
        let id = try #require(ToolRun("search", "--database", database, "Observation", "--ids").lines.first)
        #expect(try ToolRun("delete", "--database", database, id).status == .done)
        let third = try samples("import", file, "--subject", "Patient/2")
        #expect(third.output.hasPrefix("read 3, added 1, updated 0, deleted 0, unchanged 2"), "\(third.output)")
    }

    @Test func aFolderIsImportedAndRecordsThatAreNoSamplesAreListed() throws {
        try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: true)
        let damaged = Self.export.replacing(" startDate=\"2026-01-02 08:00:00 +0100\"", with: "")
        _ = try folder.write("in/export.xml", damaged)
        _ = try folder.write("in/more.ndjson", "{\"type\":\"A\",\"start\":\"2026-01-01T00:00:00Z\",\"value\":1}\n{}\n")
        let run = try samples("import", folder.file("in"))
        #expect(run.status == .incomplete)
        #expect(run.output.hasPrefix("read 3, added 3, updated 0, deleted 0, unchanged 0, rejected 2"), "\(run.output)")
        #expect(run.error.contains("in/export.xml: line 9: an element has no valid startDate"), "\(run.error)")
        #expect(run.error.contains("in/more.ndjson: line 2: a sample has no type"))
        // What was rejected is rejected again, and with --json it is listed, too.
        let again = try samples("import", folder.file("in"), "--json")
        #expect(again.status == .incomplete)
        #expect(again.output.contains("\"added\":0,\"updated\":0,\"deleted\":0,\"unchanged\":3,\"rejected\":2"), "\(again.output)")
        #expect(again.error.contains("in/more.ndjson: line 2: a sample has no type"))
        #expect(try samples("import", "/dev/zero").status == .failed)
    }

    @Test func statisticsOfASpanLeaveOutAWrongTime() throws {
        let wrong = Self.export.replacing(
            "2026-01-01 08:00:00 +0100\" endDate=\"2026-01-01 08:00:00", with: "0001-01-01 08:00:00 +0100\" endDate=\"9999-01-01 08:00:00")
        _ = try samples("import", folder.write("export.xml", wrong))
        #expect(try samples("stats", "--type", "heartRate", "--zone", "GMT", "--by", "hour").status == .usage)
        let run = try samples("stats", "--type", "heartRate", "--zone", "GMT", "--from", "2026-01-01", "--until", "2026-01-03")
        #expect(run.status == .done && run.lines.count == 3, "\(run.error)")
    }

    /// East of Greenwich the year 1 begins in what is the year 0 there.
    @Test func anIntervalBeforeTheYearOneHasADate() throws {
        _ = try samples("import", folder.write("export.xml", Self.export))
        let span = ["stats", "--type", "heartRate", "--zone", "GMT", "--by", "whole", "--from", "0001-01-01T00:00:00+14:00"]
        let run = try ToolRun.any(["samples", "--database", database] + span)
        #expect(run.status == .done, "\(run.error)")
        #expect(run.lines.last?.split(separator: " ").joined(separator: " ") == "0000-12-31 10:00 2 60.0 80.0 70.0", "\(run.output)")
        let json = try ToolRun.any(["samples", "--database", database] + span + ["--json"])
        #expect(json.output.contains(#""start":"0000-12-31T10:00:00.000Z","#), "\(json.output)")
        let early = try folder.write("early.ndjson", #"{"type":"A","start":"0000-12-31T10:00:00Z","value":1}"# + "\n")
        #expect(try samples("import", early).error.contains("line 1: a sample has no valid start"))
    }

    @Test func statisticsAreOfTheZonesDays() throws {
        _ = try samples("import", folder.write("export.xml", Self.export))
        let run = try samples("stats", "--type", "heartRate", "--zone", "Europe/Berlin")
        #expect(run.status == .done, "\(run.error)")
        #expect(
            run.lines.map { $0.split(separator: " ").joined(separator: " ") } == [
                "start count min max mean", "2026-01-01 00:00 1 60.0 60.0 60.0", "2026-01-02 00:00 1 80.0 80.0 80.0",
            ])
        let csv = try samples("stats", "--type", "heartRate", "--zone", "Europe/Berlin", "--format", "csv", "--limit", "1")
        #expect(
            csv.output.hasPrefix("start,end,count,min,max,mean,sum\r\n2025-12-31T23:00:00")
                && csv.output.contains(",1,60.0,60.0,60.0,60.0\r\n"))
        #expect(try samples("import", "x", "--format", "csv").error == "firelite samples: --format needs stats\n")
        let json = try samples("stats", "--type", "StepCount", "--zone", "GMT", "--by", "whole", "--json")
        #expect(json.output.contains(#""count":1,"min":100.0,"max":100.0,"mean":100.0,"sum":100.0}"#), "\(json.output)")
    }

    @Test func eventsAreWritten() throws {
        _ = try samples("import", folder.write("export.xml", Self.export))
        let run = try samples("events", "--output", "-")
        #expect(run.lines.count == 3)
        #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"uuid":""#) })
        #expect(run.output.contains(#""heartRate":60,"unit":"beats/min"}"#))
    }

    @Test func aMappingReplacesCodes() throws {
        let map = try folder.write("map.json", #"{"HeartRate": {"valueQuantity": {"unit": "bpm"}}}"#)
        _ = try samples("import", folder.write("export.xml", Self.export), "--map", map, "--subject", "Patient/1")
        let run = try ToolRun("export", "--database", database, "--type", "Observation", "--output", "-")
        #expect(run.lines.count { $0.contains(#""unit":"bpm""#) && $0.contains(#""subject":{"reference":"Patient/1"}"#) } == 2)
        let wrong = try samples(
            "import", folder.write("export.xml", Self.export), "--map", folder.write("wrong.json", "{\n\"HeartRate\": 1}"))
        #expect(wrong.status == .incomplete)
        #expect(wrong.error.contains("wrong.json: line 2, HeartRate: an object is expected"))
    }

    /// `check` names the command, which ends what it has found. An import of the same file does not, as the source has nothing new.
    @Test func aRefreshMakesTheTableMatchTheObservations() throws {
        _ = try samples("import", folder.write("export.xml", Self.export))
        do { try Connection(path: database).execute("UPDATE _samples SET value = 61 WHERE value = 60") }
        let check = try ToolRun("check", "--database", database)
        #expect(check.status == .incomplete)
        let fault = "1 sample in _samples is not that of its Observation: run `firelite samples refresh`"
        #expect(check.output.contains(fault), "\(check.output)")
        let run = try samples("refresh")
        #expect(run.status == .done, "\(run.error)")
        #expect(run.output.hasPrefix("added 0, updated 1, deleted 0, unchanged 0"), "\(run.output)")
        #expect(run.lines.count == 1)
        #expect(try ToolRun("check", "--database", database).output == "sound\n")
        let again = try samples("refresh", "--json")
        #expect(again.output.contains(#""updated":0,"#), "\(again.output)")
        #expect(try samples("refresh", "export.xml").status == .usage)
    }

    @Test func mistakesOfUseAreRefused() throws {
        for arguments in [["import"], ["push"], ["events"], ["stats"], ["fetch"], ["stats", "--type", "heartRate", "--by", "year"]] {
            #expect(try ToolRun.any(["samples", "--database", database] + arguments).status == .usage, "\(arguments)")
        }
    }

    @Test func aSparklineShowsLowAndHigh() {
        #expect(SampleSparkline.text([0, 4, nil, 8], width: 10) == "▁▅ █")
        #expect(SampleSparkline.text([1, 1], width: 10) == "▄▄")
        #expect(SampleSparkline.text([], width: 10) == "")
        #expect(SampleSparkline.text([0, 2, 6, 8], width: 2) == "▁█")
    }
}
