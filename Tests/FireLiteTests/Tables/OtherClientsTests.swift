import FireLite
import FireLiteR4
import Foundation
import Testing

/// The file is read by other clients as Sources/FireLite/FireLite.docc/FileFormat.md says.
@Suite struct OtherClientsTests {
    private static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func run(_ shell: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(.enabled(if: shell != nil, "the sqlite3 shell is not installed"))
    func theShellReadsWhatTheFormatSays() throws {
        let shell = try #require(Self.shell)
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let store = try FHIRStore(path: path, release: .r4)
            let patient = Patient {
                $0.id = "123"
                $0.active = true
                $0.birthDate = "1970-03"
                $0.name = [
                    HumanName { $0.family = "Chalmers" },
                    HumanName {
                        $0.family = "Windsor"
                        $0.given = ["Peter", "James"]
                    },
                ]
            }
            let observation = try Observation(
                json: #"{"resourceType":"Observation","id":"o","status":"final","issued":"2015-02-07T13:28:17.239+02:00","#
                    + #""subject":{"reference":"Patient/123"},"valueQuantity":{"value":1.50,"unit":"kg"}}"#)
            try store.write { tx in
                try tx.add(patient)
                try tx.add(observation)
            }
            let names = """
                SELECT p.id, p.active, p.birthDate, n._ord, n.family, g._ord, g.value FROM Patient_name_given g
                JOIN Patient_name n ON n._k = (g._k & ~16777215) + g._parent JOIN Patient p ON p._k = g._k & ~16777215
                WHERE p._parent IS NULL ORDER BY g._k
                """
            #expect(try run(shell, ["-readonly", path, names]) == "123|1|1970-03|1|Windsor|0|Peter\n123|1|1970-03|1|Windsor|1|James\n")
            let value = """
                SELECT issued, issued_offset, subject_reference, valueQuantity_value, valueQuantity_value_literal, valueQuantity_unit
                FROM Observation
                """
            #expect(try run(shell, ["-readonly", path, value]) == "2015-02-07T11:28:17.239|120|Patient/123|1.5|1.50|kg\n")
            #expect(
                try run(shell, ["-readonly", path, "SELECT type, count(*) FROM _resource JOIN _shape USING (shape) GROUP BY type"])
                    == "Observation|1\nPatient|1\n")
            #expect(try run(shell, ["-readonly", path, "PRAGMA application_id; PRAGMA user_version"]) == "1179142482\n2\n")
        }
    }
}
