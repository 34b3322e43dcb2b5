import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI
@testable import FireLiteClient
@testable import FireLiteSync

/// A database in which Patient/1 is in conflict with a server.
private struct ConflictedDatabase {
    let database: ToolDatabase
    static let server = "https://fhir.example.org/r4"

    static let base = #"{"resourceType":"Patient","id":"1","active":true,"birthDate":"1970-01-01","name":[{"family":"A"}]}"#
    static let clashing = base.replacing("\"A\"", with: "\"C\"")

    /// The family name was A, and is B here.
    ///
    /// - Parameter remote: the server's state; nil if it has deleted the resource.
    init(remote: String?) async throws {
        database = try ToolDatabase(Self.base.replacing("\"A\"", with: "\"B\""))
        let store = try FHIRStore(path: database.path, release: .r4)
        let client = try FHIRClient(base: #require(URL(string: Self.server)), release: .r4)
        let synchronizer = Synchronizer(store, client)
        let base = Self.base
        try await synchronizer.journal { journal in
            try journal.begin()
            try journal.remember(SyncKey(typeName: "Patient", id: "1"), version: "1")
            try journal.run(
                "UPDATE _sync_change SET state = 2, base = ?, remote = ?, remoteVersion = '2'", [.text(base), .optional(remote)])
        }
        try await store.close()
    }

    func run(_ arguments: String...) throws -> ToolRun { try ToolRun.process(["conflicts", "--database", database.path] + arguments) }

    func object(_ run: ToolRun) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.error)")
    }

    var patient: String { get throws { try ToolRun("get", "--database", database.path, "Patient/1").output } }

    /// The changes that wait for the server: their states and what both sides began with.
    func waiting() async throws -> [String] {
        let store = try FHIRStore(path: database.path, release: .r4)
        let client = try FHIRClient(base: #require(URL(string: Self.server)), release: .r4)
        return try await Synchronizer(store, client).changes().map { "\($0.typeName)/\($0.id) \($0.state.rawValue)" }
    }
}

/// `firelite conflicts`.
struct ConflictsCommandTests {
    private static let server = ConflictedDatabase.server
    private static let base = ConflictedDatabase.base
    private static let clashing = ConflictedDatabase.clashing

    @Test func aDecisionThatIsNeitherAWordNorAFileIsRefused() async throws {
        let run = try await ConflictedDatabase(remote: Self.clashing).run("resolve", "--keep", "servur", "Patient/1")
        #expect(run.status == .usage && run.output.isEmpty)
        #expect(run.error.contains("--keep takes client, server, merge or a file, and there is no file 'servur': did you mean 'server'?"))
    }

    @Test func aDatabaseThatWasNeverSynchronizedHasNone() throws {
        let plain = try ToolDatabase(Self.base)
        let run = try ToolRun.process(["conflicts", "--database", plain.path])
        #expect(run.status == .done && run.output == "no conflicts\n", "\(run.error)")
        #expect(
            try ToolRun.process(["conflicts", "--database", plain.path, "resolve", "Patient/1", "--keep", "client"]).status == .incomplete)
        #expect(try ToolRun.process(["conflicts", "--database", plain.path, "--server", Self.server]).status == .incomplete)
    }

    @Test func conflictsAreListed() async throws {
        let tests = try await ConflictedDatabase(remote: Self.clashing)
        let run = try tests.run("--json")
        #expect(run.status == .incomplete)
        let conflict = try #require((try tests.object(run)["conflicts"] as? [[String: Any]])?.first)
        #expect(
            conflict["type"] as? String == "Patient" && conflict["id"] as? String == "1" && conflict["server"] as? String == Self.server)
        #expect(conflict["client"] as? String == "changed" && conflict["remote"] as? String == "changed")
        #expect(conflict["clash"] as? [String] == ["name[0].family"])
        #expect(try tests.run("list", "--server", Self.server + "/").output.contains("name[0].family"))
        #expect(try tests.run("--server", "https://other.example").status == .incomplete)
    }

    @Test func listingAndShowingOnlyRead() async throws {
        let tests = try await ConflictedDatabase(remote: Self.clashing)
        let file = URL(fileURLWithPath: tests.database.path)
        let before = try Data(contentsOf: file)
        var configuration = FHIRStore.Configuration()
        configuration.access = .readOnly
        let store = try FHIRStore(path: tests.database.path, release: .r4, configuration: configuration)
        let client = try FHIRClient(base: #require(URL(string: Self.server)), release: .r4)
        #expect(try await Synchronizer(store, client).conflicts().map(\.paths) == [["name[0].family"]])
        try await store.close()
        #expect(try tests.run().status == .incomplete)
        #expect(try tests.run("show", "Patient/1").status == .done)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func bothSidesAndTheMergeAreShownByElement() async throws {
        let remote = Self.clashing.replacing("true", with: "false").replacing("}]}", with: "}],\"gender\":\"female\"}")
        let tests = try await ConflictedDatabase(remote: remote)
        let object = try tests.object(try tests.run("show", "Patient/1", "--json"))
        let elements = try #require(object["elements"] as? [[String: Any]])
        func value(_ path: String, _ key: String) -> String {
            elements.first { $0["path"] as? String == path }.map { "\($0[key] ?? "–")" } ?? "missing"
        }
        #expect(elements.map { $0["path"] as? String } == ["active", "gender", "name[0].family"])
        #expect(
            value("name[0].family", "base") == "A" && value("name[0].family", "client") == "B" && value("name[0].family", "server") == "C")
        #expect(elements.map { $0["clash"] as? Bool } == [false, false, true])
        #expect(value("gender", "merge") == "female" && value("name[0].family", "merge") == "<null>")
        #expect((object["client"] as? [String: Any])?["active"] as? Bool == true && object["merge"] is NSNull)
        #expect((object["remote"] as? [String: Any])?["active"] as? Bool == false)
        let table = try tests.run("Patient/1")
        #expect(
            table.status == .done && table.lines.contains { $0.hasPrefix("name[0].family") && $0.hasSuffix("clash") }, "\(table.output)")
        let rows = try tests.run("show", "Patient/1", "--format", "csv").output.components(separatedBy: "\r\n")
        #expect(rows.first == "path,base,client,server,merge,clash" && rows.count == 5, "\(rows)")
        let rest = try tests.run("show", "Patient/1", "--format", "ndjson", "--after", "gender")
        #expect(rest.lines.count == 1 && rest.output.hasPrefix(#"{"path":"name[0].family""#), "\(rest.error)")
        #expect(try tests.run("show", "Patient/2").status == .incomplete)
    }

    @Test func oneIsResolvedByKeepingASide() async throws {
        var tests = try await ConflictedDatabase(remote: Self.clashing)
        let client = try tests.run("resolve", "Patient/1", "--keep", "client")
        #expect(client.status == .done && client.output.hasPrefix("resolved Patient/1: "), "\(client.error)")
        #expect(try tests.patient.contains("\"B\""))
        #expect(try await tests.waiting() == ["Patient/1 pending"])
        #expect(try tests.run().status == .done)
        tests = try await ConflictedDatabase(remote: Self.clashing)
        #expect(try tests.run("resolve", "Patient/1", "--keep", "server").status == .done)
        #expect(try tests.patient.contains("\"C\""))
        #expect(try await tests.waiting().isEmpty)
        tests = try await ConflictedDatabase(remote: nil)
        #expect(try tests.run("resolve", "Patient/1", "--keep", "merge").status == .incomplete)
        #expect(try tests.run("resolve", "Patient/1", "--keep", "server").status == .done)
        #expect(try ToolRun("get", "--database", tests.database.path, "Patient/1").status == .incomplete)
    }

    @Test func oneIsResolvedByMergingOrByAFile() async throws {
        var tests = try await ConflictedDatabase(remote: Self.clashing)
        let clash = try tests.run("resolve", "Patient/1", "--keep", "merge")
        #expect(clash.status == .incomplete && clash.error.contains("name[0].family") && clash.error.contains("--keep"), "\(clash.error)")
        #expect(try await tests.waiting() == ["Patient/1 conflict"])
        let other = try tests.database.folder.write("other.json", Self.base.replacing("\"1\"", with: "\"2\""))
        #expect(try tests.run("resolve", "Patient/1", "--keep", other).status == .incomplete)
        let file = try tests.database.folder.write("state.json", Self.base.replacing("\"A\"", with: "\"D\""))
        #expect(try tests.run("resolve", "Patient/1", "--keep", file).status == .done)
        #expect(try tests.patient.contains("\"D\""))
        #expect(try await tests.waiting() == ["Patient/1 pending"])
        tests = try await ConflictedDatabase(remote: Self.base.replacing("true", with: "false"))
        #expect(try tests.run("resolve", "Patient/1", "--keep", "merge").status == .done)
        #expect(try tests.patient.contains("\"B\"") && tests.patient.contains("false"))
    }

    /// Formats of lines have both lists, and a resource that is here is not said to be missing.
    @Test func undecidedResourcesAreInEveryFormat() async throws {
        let tests = try await ConflictedDatabase(remote: Self.clashing)
        let store = try FHIRStore(path: tests.database.path, release: .r4)
        let here = try FHIRJSON.resource(from: Data(Self.base.replacing("\"1\"", with: "\"here\"").utf8), release: .r4)
        try await store.write { _ = try $0.store([here]) }
        try await store.close()
        do {
            let connection = try Connection(path: tests.database.path)
            for (id, state) in [("gone", 3), ("here", 99)] {
                try connection.run(
                    """
                    INSERT INTO _sync_change (server, type, id, seq, isEach, sent, state, attempts)
                      SELECT server, type, '\(id)', seq, isEach, sent, \(state), attempts FROM _sync_change LIMIT 1
                    """)
            }
        }
        let text = try tests.run()
        #expect(text.status == .incomplete)
        #expect(text.output.contains("undecided Patient/gone at \(Self.server): it is missing here, "), "\(text.output)\(text.error)")
        #expect(text.output.contains("undecided Patient/here at \(Self.server): it is here, "), "\(text.output)")
        let csv = try tests.run("--format", "csv").output.components(separatedBy: "\r\n")
        #expect(
            csv == [
                "list,type,id,server,client,remote,clash", "conflicts,Patient,1,\(Self.server),changed,changed,name[0].family",
                "undecided,Patient,gone,\(Self.server),,,", "undecided,Patient,here,\(Self.server),,,", "",
            ])
        // What --after names is in the list of both.
        let ndjson = try tests.run("list", "--format", "ndjson", "--after", "Patient/1").lines
        #expect(ndjson.count == 2 && ndjson.allSatisfy { $0.hasPrefix(#"{"list":"undecided","type":"Patient","#) }, "\(ndjson)")
        let resolved = try tests.run("resolve", "Patient/here", "--keep", "client")
        #expect(resolved.output == "resolved Patient/here: the next push sends the database's state\n", "\(resolved.error)")
    }

    @Test func wrongUseIsRefused() async throws {
        let tests = try await ConflictedDatabase(remote: Self.clashing)
        for arguments in [
            ["frobnicate"], ["show"], ["resolve", "Patient/1"], ["list", "Patient/1"], ["--keep", "client"], ["show", "Human/1"],
        ] {
            #expect(try ToolRun.process(["conflicts", "--database", tests.database.path] + arguments).status == .usage, "\(arguments)")
        }
    }
}
