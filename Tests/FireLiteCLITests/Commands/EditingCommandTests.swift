import Foundation
import Testing

@testable import FireLiteCLI

/// `put`, `patch`, `edit` and `diff`.
struct EditingCommandTests {
    private let database: ToolDatabase
    private var folder: TemporaryFolder { database.folder }

    init() throws {
        database = try ToolDatabase(
            #"{"resourceType":"Patient","id":"1","gender":"male","name":[{"family":"Miller","given":["A","B"],"_given":[null,{"id":"x"}]},{"text":"T"}],"deceasedBoolean":false}"#
        )
        #expect(try ToolRun("track", "--database", database.path, "on", "history").status == .done)
    }

    private func patch(_ changes: String...) throws -> ToolRun { try ToolRun(["patch", database.path, "Patient/1"] + changes) }

    private func stored() throws -> String { try ToolRun("get", database.path, "Patient/1").output }

    // MARK: - Put

    @Test func putChecksAndStores() throws {
        let good = try folder.write("good.json", #"{"resourceType":"Patient","id":"2","gender":"female"}"#)
        #expect(try database.run("put", [good]).output == "added Patient/2, version 1\n")
        #expect(try database.run("put", [good]).output == "unchanged Patient/2, version 1\n")
        let xml = try folder.write("good.xml", #"<Patient xmlns="http://hl7.org/fhir"><id value="2"/><gender value="other"/></Patient>"#)
        #expect(try database.run("put", [xml]).output == "updated Patient/2, version 2\n")
        let bad = try folder.write("bad.json", #"{"resourceType":"Patient","id":"3","gender":"SECRET"}"#)
        let refused = try database.run("put", [bad])
        #expect(refused.status == .incomplete && refused.error.contains("Patient.gender") && !refused.error.contains("SECRET"))
        #expect(try database.run("get", ["Patient/3"]).status == .incomplete)
        #expect(try database.run("put", [bad, "--unchecked"]).status == .done)
        let unnamed = try folder.write("unnamed.json", #"{"resourceType":"Patient"}"#)
        #expect(try database.run("put", [unnamed]).status == .incomplete)
    }

    /// A text is corrected in one round: each misspelt element is named, with the nearest one.
    @Test(arguments: [2, 20, 23]) func putNamesAllMistakes(_ count: Int) throws {
        let names = (0..<count).map { #"{"text":"T","famly":"A\#($0)"}"# }.joined(separator: ",")
        let bad = try folder.write("bad.json", #"{"resourceType":"Patient","id":"3","name":[\#(names)]}"#)
        let refused = try database.run("put", [bad])
        #expect(refused.status == .incomplete && refused.output.isEmpty)
        let lines = refused.error.split(separator: "\n").filter { $0.contains("famly") }
        #expect(lines.count == min(count, 20), "\(refused.error)")
        #expect(lines.allSatisfy { $0.contains("family") }, "\(refused.error)")
        #expect(refused.error.contains("and 3 more") == (count == 23), "\(refused.error)")
        #expect(try database.run("get", ["Patient/3"]).status == .incomplete)
    }

    @Test func putRefusesAnotherVersion() throws {
        let file = try folder.write("new.json", #"{"resourceType":"Patient","id":"1","gender":"other"}"#)
        let refused = try database.run("put", [file, "--if-version", "2"])
        #expect(refused.status == .incomplete && refused.error.contains("has version 1, not 2"))
        #expect(try database.run("put", [file, "--if-version", "1"]).output == "updated Patient/1, version 2\n")
        let new = try folder.write("other.json", #"{"resourceType":"Patient","id":"7"}"#)
        #expect(try database.run("put", [new, "--if-version", "0"]).status == .done)
        #expect(try database.run("put", [new, "--if-version", "0"]).status == .incomplete)
    }

    // MARK: - Patch

    @Test func elementsAreSetAndRemoved() throws {
        #expect(try patch("gender=female", "birthDate=1970-01-01", "name[0].family=Jones").output == "updated Patient/1, version 2\n")
        var text = try stored()
        #expect(text.contains(#""gender":"female""#) && text.contains(#""birthDate":"1970-01-01""#) && text.contains(#""family":"Jones""#))
        #expect(try patch("name[0].given[0]=", "name[1]=").status == .done)
        text = try stored()
        #expect(text.contains(#""given":["B"],"_given":[{"id":"x"}]"#) && !text.contains(#""text":"T""#))
        // An element with a choice of types has one of them.
        #expect(try patch("deceasedDateTime=2020").status == .done)
        text = try stored()
        #expect(text.contains(#""deceasedDateTime":"2020""#) && !text.contains("deceasedBoolean"))
        #expect(
            try patch(#"telecom={"system":"phone","value":"1"}"#, #"telecom[1]={"system":"email","value":"2"}"#, "multipleBirthInteger=2")
                .status == .done)
        #expect(try stored().contains(#""telecom":[{"system":"phone","value":"1"},{"system":"email","value":"2"}]"#))
        #expect(try patch("telecom=").status == .done)
        #expect(try !stored().contains("telecom"))
    }

    @Test(arguments: [
        "gender", "nothing=1", "name.family=x", "name[7].family=x", "gender[0]=male", "gender.x=1", "deceased=1", "name[0]=text", "id=2",
        "contained.id=1", "name[x]=1", ".=1", "resourceType=Group", "name[1].period.start[0]=1970", "contact={",
    ])
    func aWrongChangeChangesNothing(_ change: String) throws {
        let before = try stored()
        let run = try patch("birthDate=1970", change)
        #expect(run.status == .usage || run.status == .incomplete, "\(run.error)")
        #expect(run.output.isEmpty && run.error.split(separator: "\n").count == 1)
        #expect(try stored() == before)
    }

    @Test func aPatchIsValidated() throws {
        let spaced = try patch("gender =female")
        #expect(spaced.status == .usage && spaced.error == "firelite patch: leave out the spaces in 'gender =': write PATH=VALUE\n")
        let run = try patch("gender=sometimes")
        #expect(run.status == .incomplete && run.error.contains("Patient.gender") && !run.error.contains("sometimes"))
        let unreadable = try patch("gender=female", "birthDate=SECRET")
        #expect(unreadable.status == .incomplete && !unreadable.error.contains("SECRET") && !unreadable.error.contains("column"))
        #expect(unreadable.error.hasPrefix("firelite patch: nothing is stored: birthDate=…: Patient.birthDate: expected "))
        let early = try patch("active=yes", "gender=female")
        #expect(early.error.hasPrefix("firelite patch: nothing is stored: active=…: Patient.active: expected "), "\(early.error)")
        #expect(try patch("gender=sometimes", "--unchecked").status == .done)
    }

    // MARK: - Edit

    private func edit(_ script: String, _ options: String...) throws -> ToolRun {
        let path = try folder.write("editor.sh", script)
        var environment = ["EDITOR": "sh \(path)", "PATH": "/usr/bin:/bin"]
        // For a tool that the editor runs under the address sanitizer.
        environment["LSAN_OPTIONS"] = ProcessInfo.processInfo.environment["LSAN_OPTIONS"]
        return try ToolRun(["edit", database.path, "Patient/1"] + options, environment: environment)
    }

    private func keptText(_ run: ToolRun) throws -> String {
        let path = try #require(
            run.error.components(separatedBy: "your text is in ").dropFirst().first?.components(separatedBy: ": ").first)
        defer { try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test func theEditorsTextIsStored() throws {
        let run = try edit(#"sed 's/"male"/"female"/' "$1" >"$1.new" && mv "$1.new" "$1""#)
        #expect(run.status == .done && run.output == "updated Patient/1, version 2\n", "\(run.error)")
        #expect(try stored().contains(#""gender":"female""#))
        #expect(try edit("true").output == "unchanged Patient/1\n")
        let json = try edit("true", "--json").output
        #expect(json == #"{"resource":"Patient/1","outcome":"unchanged","version":2,"clashes":[]}"# + "\n")
    }

    @Test func aFailedEditorStoresNothing() throws {
        #expect(try edit("exit 3").status == .failed)
        #expect(try ToolRun("edit", database.path, "Patient/1").error.contains("name one in EDITOR"))
        #expect(try stored().contains(#""gender":"male""#))
    }

    @Test func aTextThatIsNotValidIsKept() throws {
        let broken = try edit(#"echo '{' >"$1""#)
        #expect(broken.status == .incomplete && broken.output.isEmpty)
        #expect(try keptText(broken) == "{\n")
        let wrong = try edit(#"sed 's/"male"/"sometimes"/' "$1" >"$1.new" && cat "$1.new" >"$1""#)
        #expect(wrong.status == .incomplete && wrong.error.contains("Patient.gender"))
        #expect(try keptText(wrong).contains("sometimes"))
        #expect(try stored().contains(#""gender":"male""#))
    }

    @Test func aConflictShowsBothValuesAndKeepsTheText() throws {
        let tool = try ToolProcess.path()
        let run = try edit(
            """
            \(tool) patch \(database.path) Patient/1 gender=other birthDate=1980 >/dev/null || exit 1
            sed 's/"male"/"female"/' "$1" >"$1.new" && cat "$1.new" >"$1"
            """)
        #expect(run.status == .incomplete, "\(run.error)")
        #expect(run.lines.contains { $0.hasPrefix("gender") && $0.contains("female") && $0.contains("other") && $0.contains("male") })
        #expect(try keptText(run).contains("female"))
        #expect(try stored().contains(#""gender":"other""#))
        // What others have changed elsewhere is merged.
        let merged = try edit(
            """
            \(tool) patch \(database.path) Patient/1 birthDate=1990 >/dev/null || exit 1
            sed 's/"other"/"female"/' "$1" >"$1.new" && cat "$1.new" >"$1"
            """)
        #expect(merged.status == .done, "\(merged.error)")
        let text = try stored()
        #expect(text.contains(#""gender":"female""#) && text.contains(#""birthDate":"1990""#))
    }

    // MARK: - Diff

    @Test func versionsAreComparedByElements() throws {
        #expect(try patch("gender=female").status == .done)
        #expect(try patch("gender=other", "birthDate=1970").status == .done)
        let last = try database.run("diff", ["Patient/1"])
        #expect(
            last.status == .incomplete
                && last.lines.dropFirst().map { $0.split(separator: " ").map(String.init) } == [
                    ["gender", "\"female\"", "\"other\""], ["birthDate", "\"1970\""],
                ])
        let first = try database.run("diff", ["Patient/1", "--from", "1", "--to", "2", "--json"])
        #expect(first.output == #"{"elements":[{"path":"gender","old":"male","new":"female"}]}"# + "\n")
        #expect(try database.run("diff", ["Patient/1", "--from", "3", "--to", "3"]).output == "no difference\n")
        #expect(try database.run("diff", ["Patient/1", "--from", "9"]).status == .incomplete)
        #expect(try database.run("diff", ["a", "b"]).status == .usage)
    }

    @Test func filesAndDatabasesAreCompared() throws {
        let old = try folder.write(
            "old.ndjson", #"{"resourceType":"Patient","id":"1","gender":"male"}"# + "\n" + #"{"resourceType":"Patient","id":"2"}"#)
        let new = try folder.write(
            "new.ndjson",
            #"{"resourceType":"Patient","id":"1","gender":"other"}"# + "\n" + #"{"resourceType":"Group","id":"2"}"# + "\n"
                + #"{"resourceType":"Group"}"#)
        let run = try ToolRun("diff", old, new, "--format", "csv", "--values")
        #expect(run.status == .incomplete)
        #expect(
            run.output
                == "kind,type,id,elements\r\nadded,Group,2,[]\r\nupdated,Patient,1,\"[{\"\"path\"\":\"\"gender\"\",\"\"old\"\":\"\"male\"\",\"\"new\"\":\"\"other\"\"}]\"\r\ndeleted,Patient,2,[]\r\n"
        )
        #expect(run.error.contains("as they have no id: 1"))
        #expect(try !ToolRun("diff", old, new).output.contains("male"))
        let copy = folder.file("copy.sqlite")
        #expect(try ToolRun("import", "--database", copy, old).status == .done)
        let same = try ToolRun("diff", old, copy)
        #expect(same.status == .done && same.output == "no difference\n", "\(same.error)")
        #expect(try ToolRun("diff", old, folder.file("none")).status == .failed)
    }
}
