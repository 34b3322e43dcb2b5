import FireLite
import FireLiteR4
import Foundation
import Testing

/// Vacuum, checkpoints, statistics for the planner, secure deletion.
@Suite struct UpkeepTests {
    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func patients(_ count: Int, _ text: String) -> [Patient] {
        (1...count).map { index in
            Patient {
                $0.id = "\(index)"
                $0.name = [HumanName { $0.family = text }]
            }
        }
    }

    @Test func vacuumGivesBackFreePages() throws {
        try withStore { store in
            try store.write { tx in try tx.upsert(patients(2_000, String(repeating: "x", count: 500))) }
            try store.write { tx in for index in 11...2_000 { try tx.delete(Patient.self, id: "\(index)") } }
            let before = try store.statistics().fileBytes
            try store.vacuum()
            let after = try store.statistics().fileBytes
            #expect(after * 5 < before)
            #expect(try store.count(Patient.self) == 10)
        }
    }

    @Test func checkpointEmptiesTheLog() throws {
        try withStore { store in
            try store.write { tx in try tx.upsert(patients(50, "x")) }
            #expect(try size(store.path + "-wal") > 0)
            let passive = try store.checkpoint()
            #expect(passive.isComplete && passive.logPages > 0)
            try store.checkpoint(.truncate)
            #expect(try size(store.path + "-wal") == 0)
            #expect(try store.count(Patient.self) == 50)
        }
    }

    @Test func aCheckpointThatReadersKeepFromEndingSaysSo() throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(1)
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            try store.write { tx in try tx.upsert(patients(5, "x")) }
            let (isReading, isDone) = (Gate(), Gate())
            let threads = Threads()
            threads.start {
                try store.read { tx in
                    _ = try tx.count(Patient.self)
                    isReading.open()
                    isDone.wait()
                }
            }
            #expect(isReading.wait())
            try store.write { tx in try tx.upsert(patients(6, "y")) }
            let error = #expect(throws: FHIRStoreError.self) { try store.checkpoint(.truncate) }
            #expect(error?.code == .busy)
            isDone.open()
            try threads.finish()
            #expect(try store.checkpoint(.truncate).isComplete)
        }
    }

    @Test func optimizeLeavesASoundStore() throws {
        try withStore { store in
            try store.write { tx in try tx.upsert(patients(500, "x")) }
            try store.optimize()
            #expect(try store.resource(Patient.self, id: "250")?.name[0].family == "x")
        }
    }

    @Test func secureDeletionLeavesNothingInTheFile() throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.secureDelete = true
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            let marker = "a-marker-that-is-nowhere-else"
            try store.write { tx in try tx.upsert(patients(200, marker)) }
            try store.checkpoint(.truncate)
            #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)).range(of: Data(marker.utf8)) != nil)
            try store.write { tx in for index in 1...200 { try tx.delete(Patient.self, id: "\(index)") } }
            try store.checkpoint(.truncate)
            for suffix in ["", "-wal"] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: store.path + suffix)).range(of: Data(marker.utf8)) == nil)
            }
        }
    }
}
