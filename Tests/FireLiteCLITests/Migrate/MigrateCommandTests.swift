import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// The forms in which apps on FireKit export, each read by `migrate`.
struct MigrateCommandTests {
    /// A patient as FireKit's encoder writes one: every list, `family` as DSTU2 has it, an offset without a colon.
    static let encoded = #"""
        {"resourceType":"Patient","id":"p1","contained":[],"extension":[],"modifierExtension":[],"active":true,"address":[],"careProvider":[],
        "communication":[],"contact":[],"deceasedDateTime":"2017-06-15T17:52:17.764-0400","gender":"male","identifier":[],"link":[],
        "name":[{"extension":[],"family":["Baldwin"],"given":["Ryan","J."],"prefix":[],"suffix":[]}],"photo":[],"telecom":[]}
        """#
    static let patient = #"""
        {"resourceType":"Patient","id":"p1","active":true,"name":[{"family":"Baldwin","given":["Ryan","J."]}],"gender":"male","deceasedDateTime":"2017-06-15T17:52:17.764-04:00"}
        """#

    private struct Migration {
        let folder: TemporaryFolder
        let database: String

        init() throws {
            folder = try TemporaryFolder()
            database = folder.file("store.sqlite")
        }

        func run(_ arguments: String...) throws -> ToolRun { try ToolRun(["migrate", "--database", database] + arguments) }

        var stored: [String] { get throws { try ToolRun("export", "--database", database, "--output", "-").lines } }
    }

    // MARK: - Identity

    /// Resources of different types with one id are different resources, with the tool's releases, whose types have one class.
    @Test(arguments: ["migrate", "import"], ["STU3", "R4", "R5"]) func idsThatTypesShareAreKept(_ command: String, _ release: String) throws
    {
        let migration = try Migration()
        let types = ["Patient", "Group", "Encounter", "Observation"]
        var lines = types.flatMap { type in (1...100).map { #"{"resourceType":"\#(type)","id":"\#($0)","language":"de"}"# } }
        lines.append(lines[1])
        let file = try migration.folder.write("all.ndjson", lines.joined(separator: "\n"))
        let run = try ToolRun(command, "--release", release, "--database", migration.database, file)
        #expect(run.status == .done && run.error.isEmpty, "\(run.error)")
        #expect(try Set(migration.stored) == Set(lines) && migration.stored.count == 400)
    }

    // MARK: - Forms

    @Test(arguments: ["one.json", "list.json", "bundle.json", "lines.ndjson", "folder", "tables.json", "tables-on-a-line.json"])
    func everyFormIsRead(_ form: String) throws {
        let migration = try Migration()
        let (folder, line) = (migration.folder, Self.encoded.replacing("\n", with: ""))
        let untyped = Self.encoded.replacing(#""resourceType":"Patient","#, with: "")
        switch form {
        case "one.json": try folder.write(form, Self.encoded)
        case "list.json": try folder.write(form, "[\(Self.encoded)]")
        case "bundle.json":
            let entry = #"{"link":[],"extension":[],"resource":\#(Self.encoded)}, {"link":[],"resource":{}}"#
            try folder.write(form, #"{"resourceType":"Bundle","link":[],"type":"collection","entry":[\#(entry)]}"#)
        case "lines.ndjson": try folder.write(form, line + "\n")
        case "folder":
            try FileManager.default.createDirectory(atPath: folder.file("folder/patients"), withIntermediateDirectories: true)
            try folder.write("folder/patients/1.json", untyped)
        case "tables.json": try folder.write(form, "{\"Patient\": [\(untyped)],\n\"HumanName\": [{\"pk\": \"1\"}], \"Observation\": []}")
        default: try folder.write(form, #"{"Patient":[\#(untyped.replacing("\n", with: ""))]}"#)
        }
        let run = try migration.run(folder.file(form))
        #expect(run.status == .done, "\(run.error)")
        #expect(run.counts == "added 1, updated 0, unchanged 0, rejected 0")
        #expect(try migration.stored == [Self.patient])
        #expect(run.lines.last?.hasPrefix("mended: ") == true)
    }

    @Test(
        arguments: [
            ("Patient.json", "Patient"), ("patients.ndjson", "Patient"), ("a/Patient-12.json", "Patient"),
            ("Observation/1.json", "Observation"),
            ("allergyintolerances.json.gz", "AllergyIntolerance"), ("Observation/Patient.json", "Patient"), ("export.json", nil),
            ("Patientenakte.json", nil), ("MedicationOrder/1.json", nil), ("standard input", nil),
        ] as [(String, String?)]) func aPathTellsTheType(_ path: String, _ type: String?)
    {
        #expect(PathType.typeName(of: path, .r4) == type)
    }

    @Test func anOptionTellsTheType() throws {
        let migration = try Migration()
        let path = try migration.folder.write("export.json", #"{"id":"1","gender":"male"}"#)
        #expect(try migration.run(path).status == .incomplete)
        #expect(try migration.run("--type", "Patient", path).status == .done)
        #expect(try migration.stored == [#"{"resourceType":"Patient","id":"1","gender":"male"}"#])
    }

    // MARK: - Values

    private func mended(_ text: String, _ mender: FireKitMender = FireKitMender(release: .r4)) throws -> (String, [String]) {
        let node = try #require(JSONNodeParser.node(of: Array(text.utf8)))
        let result = mender.resource(node, typeName: nil)
        let mends = result.mends.map { "\($0.path): \($0.kind.rawValue)" }
        return (String(decoding: MendedText(result.node).bytes, as: UTF8.self), mends)
    }

    @Test(
        arguments: [
            (#""pk":"a b","_versionId":"1""#, "", ["Patient.pk: local member", "Patient._versionId: local member"]),
            (
                #""gender":null,"animal":null,"careProvider":[]"#, "",
                ["Patient.gender: null", "Patient.animal: null", "Patient.careProvider: empty list"]
            ),
            (
                #""name":[{"pk":"1","given":[null]},{}]"#, "",
                [
                    "Patient.name[0].pk: local member", "Patient.name[0].given[0]: null", "Patient.name[0].given: empty list",
                    "Patient.name[0]: empty object", "Patient.name[1]: empty object", "Patient.name: empty list",
                ]
            ),
            (
                #""name":[{"given":[{"pk":"1","value":"A"},{"value":"B"}]}]"#, #""name":[{"given":["A","B"]}]"#,
                ["Patient.name[0].given[0]: wrapper", "Patient.name[0].given[1]: wrapper"]
            ),
            (
                #""extension_fhir":[{"url":"u","valueString":"s"}]"#, #""extension":[{"url":"u","valueString":"s"}]"#,
                ["Patient.extension: name"]
            ),
            (#""name":{"family":["A"]}"#, #""name":[{"family":"A"}]"#, ["Patient.name.family: cardinality", "Patient.name: cardinality"]),
            (
                #""birthDate":{"pk":"1","year":1970,"_month":{"value":3},"_day":null}"#, #""birthDate":"1970-03""#,
                ["Patient.birthDate: wrapper"]
            ),
            (#""active":{"value":null}"#, "", ["Patient.active: wrapper"]),
            (
                #""deceasedDateTime":{"dateString":"2017-06-15T17:52:17+05","timeZoneString":null,"value":1}"#,
                #""deceasedDateTime":"2017-06-15T17:52:17+05:00""#, ["Patient.deceasedDateTime: wrapper", "Patient.deceasedDateTime: date"]
            ),
            (#""deceasedDateTime":0.5"#, #""deceasedDateTime":"2001-01-01T00:00:00.500Z""#, ["Patient.deceasedDateTime: date as number"]),
            (#""birthDate":-86400"#, #""birthDate":"2000-12-31""#, ["Patient.birthDate: date as number"]),
            (
                #""_birthDate":{"id":"1"},"name":[{"given":[null,"B"],"_given":[{"id":"2"},null]}]"#,
                #""_birthDate":{"id":"1"},"name":[{"given":[null,"B"],"_given":[{"id":"2"},null]}]"#, []
            ),
        ] as [(String, String, [String])]) func everyDifferenceIsMended(_ given: String, _ expected: String, _ mends: [String]) throws
    {
        let (text, found) = try mended(#"{"resourceType":"Patient",\#(given)}"#)
        #expect(text == #"{"resourceType":"Patient"\#(expected.isEmpty ? "" : ",")\#(expected)}"#)
        #expect(found == mends)
    }

    @Test(arguments: [
        // A day of an unknown zone, a number that is no date, a wrapper with more in it, two values for one.
        #""birthDate":3600"#, #""deceasedDateTime":1e13"#, #""gender":{"value":"male","other":1}"#, #""name":[{"family":["A","B"]}]"#,
        #""animal":{"species":{"text":"dog"}}"#, #""extension_fhir":[{"url":"u"}],"extension":[{"url":"u"}]"#,
    ]) func whatHasNoSingleMeaningIsRejected(_ given: String) throws {
        let migration = try Migration()
        let run = try migration.run(migration.folder.write("in.json", #"{"resourceType":"Patient","id":"1",\#(given)}"#))
        #expect(run.status == .incomplete && run.counts == "added 0, updated 0, unchanged 0, rejected 1")
        #expect(try migration.stored.isEmpty)
    }

    @Test(
        arguments: [
            (
                #""birthDate":-10000000"#, [],
                "seconds since 2001 that is midnight in UTC (--offset names another one, --date-numbers another unit), found another number"
            ),
            (
                #""birthDate":3600"#, ["--offset", "+02:00", "--date-numbers", "1970"],
                "seconds since 1970 that is midnight in the offset +02:00"
            ),
            (#""deceasedDateTime":1e13"#, [], "a string (dateTime) or a number of seconds since 2001 from 1850 to 2149"),
            (#""deceasedDateTime":true"#, [], "expected a string (dateTime), found a boolean"),
        ] as [(String, [String], String)]) func aNumberThatIsNoDateIsExplained(
            _ given: String, _ options: [String], _ expected: String
        ) throws
    {
        let folder = try TemporaryFolder()
        let rejects = folder.file("rejects.ndjson")
        let path = try folder.write("in.json", #"{"resourceType":"Patient","id":"1",\#(given)}"#)
        let run = try ToolRun(["migrate", "--database", folder.file("d.sqlite"), "--rejects", rejects, path] + options)
        #expect(run.status == .incomplete)
        let reason = try folder.read("rejects.ndjson")
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test(arguments: [
        ("6.2999999999999998", "6.3"), ("0.10000000000000001", "0.1"), (#""1.50""#, "1.50"), ("1.50", "1.50"), ("1e3", "1e3"),
        ("0.30000000000000004", "0.30000000000000004"), ("1.00000000000000000", "1.00000000000000000"),
        ("-9999999999999999", "-9999999999999999"), ("99999999999999999999.5", "99999999999999999999.5"),
        (#"{"pk":"1","_value":"37.0"}"#, "37.0"), (#"{"value":36.6}"#, "36.6"),
    ]) func decimalsKeepTheirDigits(_ given: String, _ expected: String) throws {
        let (text, _) = try mended(#"{"resourceType":"Observation","valueQuantity":{"value":\#(given)}}"#)
        #expect(text == #"{"resourceType":"Observation","valueQuantity":{"value":\#(expected)}}"#)
    }

    @Test(arguments: [
        (DateNumbers.secondsSince2001, 600_000_000.25, "+02:00", "2020-01-06T12:40:00.250+02:00"),
        (.secondsSince1970, 1_500_000_000, "Z", "2017-07-14T02:40:00.000Z"),
        (.millisecondsSince1970, 1_500_000_000_125, "-03:30", "2017-07-13T23:10:00.125-03:30"),
    ]) func datesAsNumbersCountWhatTheOptionSays(_ kind: DateNumbers, _ number: Double, _ offset: String, _ expected: String) throws {
        let mender = FireKitMender(release: .r4, dates: DateMender(offset: offset), dateNumbers: kind)
        let (text, _) = try mended(#"{"resourceType":"Patient","deceasedDateTime":\#(number)}"#, mender)
        let found = try #require(JSONTree(text)["deceasedDateTime"])
        guard case .string(let literal) = found else { return #expect(Bool(false), "\(text)") }
        #expect(FHIRDateTime(literal)?.isSame(as: FHIRDateTime(expected)!) == true, "\(literal)")
        #expect(literal.hasSuffix(offset))
    }

    @Test func aContainedResourceIsUnpacked() throws {
        let inner = #"{"resourceType":"Medication","id":"m","extension":[],"code":{"coding":[],"text":"Aspirin"}}"#
        let json = Data(inner.utf8).base64EncodedString()
        let (text, mends) = try mended(
            #"{"resourceType":"MedicationRequest","contained":[{"pk":"1","resourceType":"Medication","json":"\#(json)"}]}"#)
        let expected = #"{"resourceType":"Medication","id":"m","code":{"text":"Aspirin"}}"#
        #expect(text == #"{"resourceType":"MedicationRequest","contained":[\#(expected)]}"#)
        #expect(mends.first == "MedicationRequest.contained[0]: contained" && mends.count == 3)
    }

    // MARK: - Ids

    @Test func resourcesWithoutIDsAreNotDoubled() throws {
        let migration = try Migration()
        let lines = [
            #"{"resourceType":"Patient","pk":"5C7F3C0E-AAAA-4BBB-8CCC-0123456789AB","gender":"male"}"#,
            #"{"resourceType":"Patient","gender":"female"}"#, #"{"resourceType":"Patient","gender":"female"}"#,
            #"{"resourceType":"Patient","pk":"not an id","gender":"other"}"#,
        ]
        let path = try migration.folder.write("in.ndjson", lines.joined(separator: "\n"))
        #expect(try migration.run(path).counts == "added 4, updated 0, unchanged 0, rejected 0")
        let stored = try migration.stored
        #expect(stored[0] == #"{"resourceType":"Patient","id":"5C7F3C0E-AAAA-4BBB-8CCC-0123456789AB","gender":"male"}"#)
        let ids = try stored.map { try JSONTree($0)["id"] }
        #expect(Set(ids).count == 4)
        #expect(try migration.run(path).counts == "added 0, updated 0, unchanged 4, rejected 0")
        #expect(try migration.stored == stored)
    }

    // MARK: - Rejects, reports, dry runs

    private static let mixed = #"""
        [
          {"resourceType": "Patient", "id": "ok", "pk": "k",
           "name": []},
          {"resourceType": "MedicationOrder", "id": "m1", "note": [], "status": "active"},
          {"resourceType": "Observation", "id": "o1",
           "extension": [], "status": "final", "code": {"text": "secret"},
           "related": [{"type": "has-member"}]}
        ]
        """#

    @Test func rejectedContentIsListedWithItsPlace() throws {
        let migration = try Migration()
        let path = try migration.folder.write("in.json", Self.mixed)
        let run = try migration.run(path)
        #expect(run.status == .incomplete && run.counts == "added 1, updated 0, unchanged 0, rejected 2")
        #expect(run.error.contains("2 rejected: see \(migration.database)-rejects.ndjson"))
        let lines = try migration.folder.read("store.sqlite-rejects.ndjson").split(separator: "\n").map { try JSONTree(String($0)) }
        #expect(lines.map { $0["resource"] } == [.string("MedicationOrder/m1"), .string("Observation/o1")])
        #expect(lines.map { $0["line"] } == [.number("4"), .number("7")])
        #expect(lines.map { $0["file"] } == [.string(path), .string(path)])
        guard case .string(let reason) = lines[1]["reason"], case .string(let text) = lines[1]["text"] else {
            return #expect(Bool(false), "\(lines)")
        }
        #expect(reason.hasPrefix("column 4") && !reason.contains("secret"), "\(reason)")
        #expect(text.hasPrefix(#"{"resourceType": "Observation", "id": "o1","#))
    }

    @Test func theReportNamesEveryPlaceAndNoValue() throws {
        let migration = try Migration()
        let path = try migration.folder.write("in.json", Self.mixed)
        let report = migration.folder.file("report.ndjson")
        let run = try migration.run("--report", report, path)
        #expect(run.lines.last == "mended: local member 1, empty list 1")
        #expect(
            try migration.folder.read("report.ndjson") == """
                {"file":"\(path)","kind":"local member","line":2,"path":"Patient.pk","resource":"Patient/ok"}
                {"file":"\(path)","kind":"empty list","line":2,"path":"Patient.name","resource":"Patient/ok"}

                """)
    }

    @Test func aDryRunStoresNothing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in.json", Self.mixed)
        let run = try ToolRun("migrate", "--dry-run", path)
        #expect(run.status == .incomplete && run.counts == "readable 1, rejected 2")
        #expect(run.lines.last == "mended: local member 1, empty list 1" && run.error.contains("2 would be rejected"))
        #expect(try folder.names == ["in.json"])
    }

    @Test func rowsOfElementsAreCounted() throws {
        let migration = try Migration()
        let text = #"""
            {"HumanName": [{"pk": "1", "family": []}, {"pk": "2"}],
             "ContainedResource": [{"pk": "3", "resourceType": "Patient", "json": ""}],
             "MedicationOrder": [{"pk": "4", "id": "m", "implicitRules": null}],
             "Patient": [{"pk": "5", "id": "p"},
                         {"pk": "6", "id": "q", "gender": 1}]}
            """#
        let run = try migration.run(migration.folder.write("realm.json", text))
        #expect(run.counts == "added 1, updated 0, unchanged 0, rejected 2")
        #expect(run.lines.last == "mended: local member 1, missing resourceType 1, row of an element 3")
        let lines = try migration.folder.read("store.sqlite-rejects.ndjson").split(separator: "\n").map { try JSONTree(String($0)) }
        #expect(Set(lines.map { $0["resource"] }) == [.string("MedicationOrder/m"), .string("Patient/q")])
        #expect(Set(lines.map { $0["line"] }) == [.number("3"), .number("5")])
    }

    @Test func wrongUsageIsSaid() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in.ndjson", Self.encoded.replacing("\n", with: ""))
        for arguments in [
            [path], ["--dry-run", "--rejects", "r", path], ["--dry-run", "--type", "Nothing", path], ["--dry-run", "--offset", "2", path],
            ["--dry-run", "--date-numbers", "1900", path], ["--dry-run", "--report", path, path],
            ["--database", folder.file("d.sqlite"), "--report", folder.file("x"), "--rejects", folder.file("x"), path],
        ] {
            #expect(try ToolRun(["migrate"] + arguments).status == .usage, "\(arguments)")
        }
        #expect(try folder.names == ["in.ndjson"])
    }
}
