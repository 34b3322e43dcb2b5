import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

/// Dates that are not written in FHIR's way, read by `import --lenient-dates`.
struct DateMenderTests {
    @Test(
        arguments: [
            ("2020-1-5", .date, "2020-01-05"), ("2020/01/05", .date, "2020-01-05"), ("2020.1.5", .date, "2020-01-05"),
            ("20200105", .date, "2020-01-05"), ("2020/1", .date, "2020-01"), (" 2020-01-05 ", .date, "2020-01-05"),
            ("2020-01-05T00:00:00", .date, "2020-01-05"), ("2020-01-05 00:00:00.000Z", .date, "2020-01-05"),
            ("2020-01-05T09:00:00", .date, nil), ("05.01.2020", .date, nil), ("1/5/2020", .date, nil), ("200105", .date, nil),
            ("2020-01/05", .date, nil), ("yesterday", .date, nil), ("", .date, nil), ("2020-01-05x", .date, nil),
            ("2020-01-05 9:30+0100", .dateTime, "2020-01-05T09:30:00+01:00"),
            ("2020-01-05t09:30:00 +01", .dateTime, "2020-01-05T09:30:00+01:00"),
            ("20200105093015Z", .dateTime, "2020-01-05T09:30:15Z"), ("202001050930-0500", .dateTime, "2020-01-05T09:30:00-05:00"),
            ("2020-01-05T09:30:15,25z", .dateTime, "2020-01-05T09:30:15.25Z"), ("2020/1/5", .dateTime, "2020-01-05"),
            ("2020-01-05T09:30:00", .dateTime, nil), ("2020-01T09:30:00Z", .dateTime, nil), ("2020-01-05T9Z", .dateTime, nil),
            ("2020/1/5", .instant, nil), ("2020/1/5 9:30:15Z", .instant, "2020-01-05T09:30:15Z"),
            ("9:30", .time, "09:30:00"), ("09:30:15", .time, "09:30:15"), ("930", .time, nil), ("9:30Z", .time, nil),
        ] as [(String, PrimitiveType, String?)]) func everyFormIsMendedOrRefused(_ text: String, _ type: PrimitiveType, _ result: String?)
    {
        #expect(DateMender(offset: nil).mended(text, as: type) == result)
    }

    @Test func theGivenOffsetIsAddedWhereNoneStands() {
        let mender = DateMender(offset: "+01:00")
        #expect(mender.mended("2020-01-05T09:30:00", as: .dateTime) == "2020-01-05T09:30:00+01:00")
        #expect(mender.mended("2020-01-05T09:30:00Z", as: .dateTime) == "2020-01-05T09:30:00Z")
        #expect(mender.mended("9:30", as: .time) == "09:30:00")
    }

    /// Whatever comes out with a valid day and time is FHIR's: the strict reader has the last word on the others.
    @Test func mendedDatesAreFHIR() {
        let days = ["2020-2-29", "2021/12/31", "19991231", "2020.06.1"]
        for day in days {
            #expect(DateMender(offset: nil).mended(day, as: .date).flatMap { FHIRDate($0) } != nil)
            for time in ["0:00", "23:59:59", "7:05:09.125"] where !day.hasPrefix("1999") {
                for zone in ["Z", "+14", "-0930", " +05:30"] {
                    #expect(DateMender(offset: nil).mended("\(day) \(time)\(zone)", as: .instant).flatMap { FHIRInstant($0) } != nil)
                }
            }
        }
    }

    @Test func theImportListsWhatItChanged() throws {
        let folder = try TemporaryFolder()
        let database = folder.file("test.sqlite")
        let lines = [
            #"{"resourceType":"Patient","id":"1","birthDate":"1970/3/30"}"#,
            #"{"resourceType":"Patient","id":"2","birthDate":"1970-03-30"}"#,
            #"{"resourceType":"Patient","id":"3","birthDate":"30.03.1970"}"#,
            #"{"resourceType":"Patient","id":"4","birthDate":"1970/3/30","x":1}"#,
            #"{"resourceType":"Patient","id":"5","birthDate":"2021/2/30"}"#,
        ]
        let given = try folder.write("given.ndjson", lines.joined(separator: "\n"))
        let run = try ToolRun("import", "--database", database, "--on-error", "skip", "--lenient-dates", given)
        #expect(run.status == .incomplete && run.counts == "added 2, updated 0, unchanged 0, rejected 3")
        let notes = run.error.split(separator: "\n").map(String.init)
        #expect(notes.first == "\(given): line 1, column 48, Patient.birthDate: not in FHIR's format, corrected")
        #expect(notes.count == 2)
        let stored = try ToolRun("export", "--database", database, "--output", "-").lines
        #expect(stored == [lines[0].replacingOccurrences(of: "1970/3/30", with: "1970-03-30"), lines[1]])
        let bundle = #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":\#(lines[0])}]}"#
        let again = try ToolRun("import", "--database", database, "--lenient-dates", folder.write("b.json", bundle))
        #expect(again.status == .done && again.counts == "added 0, updated 0, unchanged 1, rejected 0")
        #expect(again.error.contains("Patient.birthDate") || again.error.contains("Bundle.entry[0]"))
        #expect(try ToolRun("import", "--database", database, given).status == .incomplete)
        #expect(try ToolRun("import", "--database", database, "--offset", "Z", given).status == .usage)
        #expect(try ToolRun("import", "--database", database, "--lenient-dates", "--offset", "1", given).status == .usage)
    }
}
