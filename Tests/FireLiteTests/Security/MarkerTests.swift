import CFaultVFS
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// No value of a record is in an error of a store: each code is provoked with records that hold a marker.
@Suite struct StoreMarkerTests {
    static let marker = "MARKER"

    private func marked(_ id: String = "1") -> Patient {
        Patient {
            $0.id = id
            $0.language = Self.marker
            $0.name = [
                HumanName {
                    $0.family = Self.marker; $0.given = [Self.marker]
                }
            ]
        }
    }

    private func error(_ body: () throws -> Void) -> FHIRStoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FHIRStoreError
        }
    }

    /// Provokes one code; what it needs beside a folder it makes itself.
    private func provoke(_ code: FHIRStoreError.Code, _ folder: String) throws -> FHIRStoreError? {
        let path = folder + "/store.sqlite"
        func store() throws -> FHIRStore { try FHIRStore(path: path, release: .r4) }
        try store().write { tx in try tx.add(marked()) }
        switch code {
        case .cannotOpen: return error { _ = try FHIRStore(path: folder + "/no/store.sqlite", release: .r4) }
        case .notAStore:
            try Data("MARKER is no database, and long enough to be read as a header of one, which has a hundred bytes; so it goes on.".utf8)
                .write(to: URL(fileURLWithPath: folder + "/text"))
            return error { _ = try FHIRStore(path: folder + "/text", release: .r4) }
        case .missingKey:
            try Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167) }).write(to: URL(fileURLWithPath: folder + "/random"))
            return error { _ = try FHIRStore(path: folder + "/random", release: .r4) }
        case .notEncrypted: return error { try store().rekey(to: Secret(Self.marker.utf8)) }
        case .wrongKey, .noEncryption:
            let (secret, key) = (folder + "/secret.sqlite", Secret(Self.marker.utf8))
            if code == .wrongKey { try EncryptedStores.make(secret, EncryptedStores.raw) }
            return error { _ = try EncryptedStores.open(secret, key) }
        case .wrongRelease:
            try Connection(path: path).execute("UPDATE _meta SET value = 'R5' WHERE key = 'release'")
            return error { _ = try store() }
        case .newerFormat:
            try Connection(path: path).execute("PRAGMA user_version = 99")
            return error { _ = try store() }
        case .conflict:
            let (one, two) = (try store(), try store())
            let patient = try #require(try one.resource(Patient.self, id: "1"))
            try two.write { tx in
                _ = try tx.upsert(
                    Patient {
                        $0.id = "1"; $0.language = "MARKER 2"
                    })
            }
            return error { try one.write { _ in patient.language = "MARKER 3" } }
        case .busy:
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(0)
            let waiting = try FHIRStore(path: path, release: .r4, configuration: configuration)
            return try store().write { tx in
                try tx.add(marked("2"))
                return error { try waiting.write { tx in try tx.add(marked("3")) } }
            }
        case .diskFull:
            return error {
                try store().write { tx in
                    try tx.access.connection.execute("PRAGMA max_page_count = 1")
                    try tx.add(Patient { $0.language = String(repeating: Self.marker, count: 100_000) })
                }
            }
        case .readOnly:
            return error {
                try store().write { tx in
                    try tx.access.connection.execute("PRAGMA query_only = 1")
                    try tx.add(marked("2"))
                }
            }
        case .duplicateID:
            var configuration = FHIRStore.Configuration()
            configuration.uniqueIDs = true
            let unique = try FHIRStore(path: folder + "/unique.sqlite", release: .r4, configuration: configuration)
            return error { try unique.write { tx in for _ in 0..<2 { try tx.add(marked(Self.marker)) } } }
        case .olderFormat:
            try store().write { tx in try tx.access.connection.execute("PRAGMA user_version = 1") }
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            return error { _ = try FHIRStore(path: path, release: .r4, configuration: configuration) }
        case .fileHasMoved:
            let moved = try store()
            try moved.write { tx in try tx.add(marked("3")) }
            rename(path, folder + "/elsewhere.sqlite")
            return error { try moved.write { tx in try tx.add(marked("2")) } }
        case .alreadyExists: return error { try store().backup(to: URL(fileURLWithPath: path)) }
        case .disk:
            let disk = FaultDisk(folder: folder)
            let store = try store()
            disk.fail(FIRELITE_WRITE, at: 1, code: 10 | 3 << 8, lasting: true)
            return error { try store.write { tx in try tx.add(marked("2")) } }
        case .outOfMemory:
            // Memory is the whole process's, so `LimitsTests` takes it away in a child; here SQLite's error is made.
            let refusal = SQLiteError(code: 7, message: "out of memory", sql: "INSERT INTO Patient(language) VALUES (?)")
            return FHIRStoreError(refusal, path: path)
        case .tooLarge:
            return error {
                try store().write { tx in
                    tx.access.connection.setMaximumLength(1_000)
                    try tx.add(Patient { $0.language = String(repeating: Self.marker, count: 1_000) })
                }
            }
        case .invalidArgument:
            return error { _ = try store().sql("DELETE FROM Patient WHERE language = ?", arguments: [.text(Self.marker)]) }
        case .resyncRequired:
            let store = try store()
            try store.track(.changes)
            try store.write { tx in _ = try tx.upsert(marked("2")) }
            let reader = try store.changeReader(named: "reader")
            try store.removeChangeReader(named: "reader")
            #expect(error { _ = try reader.changes() }?.code == .resyncRequired)
            return error { _ = try store.changes(since: 0) }
        case .interrupted:
            return error {
                _ = try store().sql(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, Patient_name WHERE family = ?",
                    arguments: [.text(Self.marker)], isCancelled: { true })
            }
        case .closed:
            let store = try store()
            try store.close()
            return error { _ = try store.counts() }
        case .sqlite: return error { _ = try store().sql("SELECT json_extract(family, '$.a') FROM Patient_name") }
        default: return nil
        }
    }

    @Test func noCodeShowsAValue() throws {
        let source = try PackageFolder.text(of: "Sources/FireLite/Store/FHIRStoreError.swift")
        let codes = source.matches(of: /Code\(rawValue: "(\w+)"\)/).map { FHIRStoreError.Code(rawValue: String($0.1)) }
        #expect(codes.count >= 12)
        // What only the other build of the package can come to.
        let others: Set<FHIRStoreError.Code> = [EncryptedStores.areThere ? .noEncryption : .wrongKey]
        for code in codes where !others.contains(code) {
            try withTemporaryFolder { folder in
                let error = try #require(try provoke(code, folder), "no case provokes \(code.rawValue): add one")
                #expect(error.code == code)
                let texts = ["\(error)", String(reflecting: error), error.localizedDescription, error.message, error.sql ?? ""]
                for text in texts { #expect(!text.contains(Self.marker), "\(code.rawValue): \(text)") }
            }
        }
    }

    /// A constraint of SQLite that is broken names the column, not the value.
    @Test func aRepeatedPKIsReportedWithoutItsValue() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient { $0.pk = "pk \(Self.marker)" }) }
            let error = try #require(throws: FHIRStoreError.self) {
                try store.write { tx in try tx.add(Patient { $0.pk = "pk \(Self.marker)" }) }
            }
            #expect(error.message.contains("_resource.pk") && !"\(error) \(error.sql ?? "")".contains(Self.marker))
        }
    }

    /// A Bundle's entries are stored by the same code, with their ids and references rewritten: its errors name none of them.
    @Test func errorsOfBundlesShowNoValue() throws {
        func bundle(_ text: String) -> FireLiteR4.Bundle {
            FireLiteR4.Bundle {
                $0.type = .transaction
                $0.entry = ["1", "2"].map { number in
                    BundleEntry {
                        $0.fullUrl = "http://\(Self.marker).example/Patient/\(Self.marker)-\(number)"
                        $0.resource = marked("\(Self.marker)-\(number)")
                        ($0.resource as? Patient)?.name[0].text = text
                        ($0.resource as? Patient)?.link = [
                            PatientLink { $0.other = Reference { $0.reference = "Patient/\(Self.marker)-1" } }
                        ]
                    }
                }
            }
        }
        let cases: [(FHIRStoreError.Code, String, (Connection) throws -> Void)] = [
            (.tooLarge, String(repeating: Self.marker, count: 1_000), { $0.setMaximumLength(1_000) }),
            (.diskFull, String(repeating: Self.marker, count: 100_000), { try $0.execute("PRAGMA max_page_count = 1") }),
            (.readOnly, "short", { try $0.execute("PRAGMA query_only = 1") }),
            (.sqlite, "short", { try $0.execute("DROP TABLE Patient") }),
        ]
        for (code, text, prepare) in cases {
            try withTemporaryFolder { folder in
                let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
                try store.write { tx in try tx.add(marked()) }
                let error = try #require(throws: FHIRStoreError.self) {
                    try store.write { tx in
                        try prepare(tx.access.connection)
                        _ = try tx.upsert(bundle: bundle(text))
                    }
                }
                #expect(error.code == code, "\(error)")
                for text in ["\(error)", String(reflecting: error), error.message, error.sql ?? ""] {
                    #expect(!text.contains(Self.marker), "\(code.rawValue): \(text)")
                }
            }
        }
        // Neither does one that another write has overtaken.
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let (one, two) = (try FHIRStore(path: path, release: .r4), try FHIRStore(path: path, release: .r4))
            try one.write { tx in _ = try tx.upsert(bundle: bundle("first")) }
            let patient = try #require(try one.resource(Patient.self, id: "\(Self.marker)-1"))
            try two.write { tx in _ = try tx.upsert(bundle: bundle("second")) }
            let error = try #require(throws: FHIRStoreError.self) {
                try one.write { tx in
                    patient.language = "\(Self.marker) 3"
                    _ = try tx.upsert(bundle: bundle("third"))
                }
            }
            #expect(error.code == .conflict && !"\(error) \(error.sql ?? "")".contains(Self.marker), "\(error)")
        }
    }

    /// What `check()` finds names tables and counts.
    @Test func findingsOfTheCheckShowNoValue() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try FHIRStore(path: path, release: .r4).write { tx in
                try tx.add(marked())
                try tx.add(marked("2"))
            }
            try Connection(path: path).execute(
                """
                DELETE FROM _resource WHERE root = 1; UPDATE Patient_name SET _parent = 77 WHERE _k >> 24 = 2;
                DELETE FROM Patient_name_given WHERE _k >> 24 = 2
                """)
            let findings = try FHIRStore(path: path, release: .r4).check().map(\.text)
            #expect(findings.count >= 3)
            for finding in findings { #expect(!finding.contains(Self.marker)) }
        }
    }
}
