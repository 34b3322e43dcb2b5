import FireLite
import FireLiteR4
import Foundation
import SQLiteBridge
import Testing

/// Files of every format that a release of the library has written open and give what was stored.
///
/// `Fixtures/formatN.sql` is a file of format N as SQLite's shell dumps it, with its two numbers of the header; `formatN.ndjson` is its content.
@Suite struct FixtureTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    @Test(arguments: [1]) func everyFormatOpens(_ format: Int) throws {
        let sql = try String(contentsOf: Self.folder.appendingPathComponent("format\(format).sql"), encoding: .utf8)
        let lines = try String(contentsOf: Self.folder.appendingPathComponent("format\(format).ndjson"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let connection = try Connection(path: path)
                try connection.execute(sql)
                #expect(try connection.integer("PRAGMA user_version") == Int64(format))
            }
            let store = try FHIRStore(path: path, release: .r4)
            try expectSound(store)
            var stored: [String] = []
            try store.read { tx in
                for type in ["Patient", "Observation", "Questionnaire"] {
                    try tx.forEach(typeName: type) { stored.append(String(decoding: FHIRJSON.data($0), as: UTF8.self)) }
                }
            }
            #expect(stored == lines)
            // What is stored is known again, and changes.
            let resources = try lines.map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) }
            #expect(try store.write { tx in try tx.upsert(resources).unchanged } == lines.count)
            let patient = try #require(try store.resource(Patient.self, id: "p1"))
            try store.write { _ in patient.name[1].given = ["Changed"] }
            #expect(try store.resource(Patient.self, id: "p1") == patient)
            try expectSound(store)
        }
    }
}
