import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite

/// Whatever reads a type of which another program has dropped a table names that table: what is left never passes for all there is.
@Suite struct LostTableTests {
    static let tables = ["Patient", "Patient_name"]

    private static func patient(_ id: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = "Adams" }]
        }
    }

    /// A store with two patients and an organization.
    private func withStore(_ body: (FHIRStore, _ path: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let store = try FHIRStore(path: path, release: .r4)
            try store.track(.history)
            try store.write { tx in
                try tx.add(Self.patient("a"))
                try tx.add(Self.patient("b"))
                try tx.add(
                    Organization {
                        $0.id = "o"; $0.name = "Ward 7"
                    })
            }
            try body(store, path)
        }
    }

    private func drop(_ table: String, _ path: String) throws {
        try Connection(path: path, createsFile: false, isHardened: false).run("DROP TABLE \(table)")
    }

    private func message(_ body: () throws -> some Any) -> String {
        do {
            return "\(try body())"
        } catch {
            guard let error = error as? FHIRStoreError, error.code == .notAStore else { return "another error: \(error)" }
            return error.message
        }
    }

    /// What each way of reading or writing patients says.
    private func messages(_ store: FHIRStore) -> [String] {
        [
            message { try store.count(Patient.self) },
            message { try store.resource(Patient.self, id: "a") as Any },
            message { try store.query(Patient.self).ids() },
            message { try store.query(Patient.self).count() },
            message { try store.read { try $0.counts().count } },
            message { try store.read { try $0.history(typeName: "Patient", id: "a").count } },
            message { try store.write { try $0.add(Self.patient("c")) } },
            message { try store.write { try $0.delete(typeName: "Patient", id: "a") } },
        ]
    }

    @Test(arguments: tables, [false, true]) func eachUseOfTheTypeNamesTheTable(_ table: String, _ isOpenedAgain: Bool) throws {
        try withStore { store, path in
            // The open store has used the table before.
            #expect(try store.resource(Patient.self, id: "a")?.name.first?.family == "Adams")
            try drop(table, path)
            let store = isOpenedAgain ? try FHIRStore(path: path, release: .r4) : store
            for (number, text) in messages(store).enumerated() {
                #expect(text.contains("has lost the table \(table)") && text.contains("no Patient"), "\(number): \(text)")
                #expect(text.contains("firelite check") && text.contains("firelite recover"), "\(number): \(text)")
            }
            // Other types are read and written as before.
            #expect(try store.resource(Organization.self, id: "o")?.name == "Ward 7")
            try store.write {
                try $0.add(
                    Organization {
                        $0.id = "n"; $0.name = "Ward 8"
                    })
            }
            #expect(try store.query(Organization.self).count() == 2)
        }
    }

    @Test(arguments: tables) func checkNamesTheTableAndGoesOn(_ table: String) throws {
        try withStore { store, path in
            #expect(try store.check().isEmpty)
            try store.write {
                try $0.add(
                    Organization {
                        $0.id = "x"; $0.name = "Ward 9"
                    })
            }
            try drop(table, path)
            try store.withWritingConnection { try $0.run("UPDATE Organization SET name = 'Ward 1' WHERE id = 'x'") }
            let findings = try store.check()
            let lost = try #require(findings.first { $0.table == table && $0.kind == .unreadable })
            #expect(lost.typeName == "Patient")
            let start = "the table \(table) is missing, and with it rows of 2 resources of the type Patient"
            #expect(lost.text.hasPrefix(start), "\(lost.text)")
            // A fault of another type is found, too.
            #expect(findings.contains { $0.kind == .content && $0.typeName == "Organization" }, "\(findings)")
        }
    }

    /// A table that no resource needs any more is no loss.
    @Test(arguments: tables) func tablesWithoutRowsAreMadeAgain(_ table: String) throws {
        try withStore { store, path in
            try store.write { tx in for id in ["a", "b"] { _ = try tx.delete(typeName: "Patient", id: id) } }
            try drop(table, path)
            #expect(try store.check().isEmpty)
            #expect(try store.count(Patient.self) == 0)
            try store.write { try $0.add(Self.patient("c")) }
            #expect(try store.resource(Patient.self, id: "c")?.name.first?.family == "Adams")
            #expect(try store.check().isEmpty)
        }
    }

    @Test(arguments: tables) func recoveryGivesWhatIsLeft(_ table: String) throws {
        try withStore { store, path in
            try drop(table, path)
            let new = path + "-new"
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: new), release: .r4)
            #expect(report.recovered == 1 && !report.isComplete)
            #expect(report.lost.map(\.typeName) == ["Patient", "Patient"])
            #expect(
                report.lost.allSatisfy { $0.reason == "its rows in \(table) are missing with the table" }
                    || table == "Patient", "\(report.lost)")
            #expect(report.unreadable.contains { $0.hasPrefix("the table \(table) is missing") }, "\(report.unreadable)")
            let recovered = try FHIRStore(path: new, release: .r4)
            #expect(try recovered.check().isEmpty)
            #expect(try recovered.read { try $0.counts().map(\.typeName) } == ["Organization"])
        }
    }

    /// Readers that skip what they cannot read list each resource.
    @Test(arguments: tables) func tolerantReadersListWhatIsLost(_ table: String) throws {
        try withStore { store, path in
            try drop(table, path)
            var listed: [UnreadableResource] = []
            try store.read { tx in
                try tx.forEach(typeName: "Patient", unreadable: { listed.append($0) }) { _ in Issue.record("a patient was read") }
            }
            #expect(listed.map(\.typeName) == ["Patient", "Patient"])
            #expect(listed.allSatisfy { $0.reason.hasSuffix("another program has dropped: \(table)") }, "\(listed)")
        }
    }

    @Test func sqlNamesTheTable() throws {
        try withStore { store, path in
            try drop("Patient_name", path)
            let error = #expect(throws: FHIRStoreError.self) { try store.sql("SELECT family FROM Patient_name") }
            #expect(error?.message.contains("another program has dropped it") == true, "\(String(describing: error))")
        }
    }
}
