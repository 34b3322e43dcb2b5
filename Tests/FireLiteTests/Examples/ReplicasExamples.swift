import FireLite
import FireLiteR4
import Foundation
import Testing

/// The example of Replicas.md.
@Suite struct ReplicasExamples {
    @Test(.enabled(if: Library.hasPageChecksums, "needs SQLite 3.32 or newer")) func reseal() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/restored.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            }
            // example Replicas.md
            let report = try FHIRStore.reseal(URL(fileURLWithPath: path), release: .r4)
            // end
            #expect(report.resources == 1 && report.pages > 1)
            #expect(try FHIRStore(path: path, release: .r4).count(Patient.self) == 1)
        }
    }
}
