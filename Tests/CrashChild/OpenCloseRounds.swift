import FireLite
import FireLiteR4
import Foundation

/// Opens, uses and closes a store many times; what is held after a round and was not before is a leak.
struct OpenCloseRounds {
    let folder: String

    package struct Report: Codable {
        package var rounds = 0
        package var seconds = 0.0
        package var descriptors = 0
        package var sqliteBytes: Int64 = 0
        /// What an open store takes: that it is seen.
        package var openDescriptors = 0
        package var openSQLiteBytes: Int64 = 0
        /// The memory in use after each tenth of the rounds.
        package var megabytes: [Int] = []
    }

    private struct Stop: Error {}

    private struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes the folder and goes some rounds, so that the process has what it takes once: queues, caches, the classes.
    ///
    /// - Returns: what it holds then, with nothing open.
    func warmUp() throws -> Holdings {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<10 { try round(number) }
        // The last task may not have let go yet: what it holds is never less than nothing.
        var least = try Holdings.now()
        let limit = Date(timeIntervalSinceNow: 0.5)
        while Date() < limit {
            let holdings = try Holdings.now()
            if holdings.sqliteBytes < least.sqliteBytes || holdings.descriptors < least.descriptors { least = holdings }
        }
        return least
    }

    func run(_ rounds: Int) throws -> Report {
        let baseline = try warmUp()
        var report = Report()
        do {
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let open = try store.read { _ in try Holdings.now() }
            (report.openDescriptors, report.openSQLiteBytes) = (open.descriptors, open.sqliteBytes)
        }
        let start = Date()
        for number in 0..<rounds {
            try round(number)
            let holdings = try Holdings.settled(at: baseline)
            guard holdings == baseline else { throw Wrong(description: "round \(number) left \(holdings), before it were \(baseline)") }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            guard files == ["store.sqlite"] else { throw Wrong(description: "round \(number) left \(files)") }
            if (number + 1) * 10 / rounds > number * 10 / rounds { report.megabytes.append(Holdings.residentMegabytes) }
        }
        report.rounds = rounds
        report.seconds = Date().timeIntervalSince(start)
        report.descriptors = baseline.descriptors
        report.sqliteBytes = baseline.sqliteBytes
        return report
    }

    private static func patient(_ number: Int) -> Patient {
        Patient {
            $0.id = "\(number % 50)"
            $0.active = number % 50 == 0
            $0.multipleBirth = .integer(number)
            $0.name = [HumanName { $0.given = ["\(number)"] }]
        }
    }

    private static func observation(_ number: Int) -> Observation {
        Observation {
            $0.id = "\(number % 50)"
            $0.valueString = "\(number)"
        }
    }

    /// Every way to use a store and to leave off in the middle.
    private func round(_ number: Int) throws {
        let isInMemory = number % 10 == 9
        let store = try FHIRStore(path: isInMemory ? ":memory:" : folder + "/store.sqlite", release: .r4)
        try store.write { tx in _ = try tx.upsert([Self.patient(number), Self.observation(number)]) }
        guard let patient = try store.resource(Patient.self, id: "\(number % 50)") else { throw Wrong(description: "the patient is gone") }
        try store.write { _ in patient.name.append(HumanName { $0.text = "\(number)" }) }
        try stopping {
            try store.write { _ in
                patient.active = false
                throw Stop()
            }
        }
        try stopping { try store.read { try $0.forEach(Patient.self) { _ in throw Stop() } } }
        try stopping { try store.query(Patient.self).forEach(batch: 2) { _ in throw Stop() } }
        try stopping { try store.forEachRow("SELECT root FROM _resource") { _ in throw Stop() } }
        try refused { _ = try store.sql("SELECT nothing FROM nowhere") }
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        try refused { _ = try store.sql(endless, isCancelled: { true }) }
        try refused { _ = try FHIRStore(path: folder + "/no folder/store.sqlite", release: .r4) }
        let expected = try store.count(Patient.self)
        if !isInMemory {
            // Two snapshots at once take two connections.
            let counted = try store.read { transaction in
                try (transaction.count(Patient.self), waitFor { try await store.query(Patient.self).where { $0.active == true }.count() })
            }
            guard counted == (expected, 1) else { throw Wrong(description: "round \(number) counted \(counted)") }
        }
        let isCancelled = try waitFor {
            let task = _Concurrency.Task<Int, any Error> { try await store.query(Patient.self).all().count }
            task.cancel()
            switch await task.result {
            case .success(let count): return count == expected
            case .failure(let error): return error is CancellationError
            }
        }
        guard isCancelled else { throw Wrong(description: "round \(number): a cancelled query did not end as one") }
        if number % 100 == 50 {
            guard try store.check().isEmpty else { throw Wrong(description: "round \(number): not sound") }
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
            try FileManager.default.removeItem(atPath: folder + "/copy.sqlite")
        }
    }

    private func stopping(_ body: () throws -> Void) throws {
        do { try body() } catch is Stop { return }
        throw Wrong(description: "a body that throws was not left")
    }

    private func refused(_ body: () throws -> Void) throws {
        do { try body() } catch is FHIRStoreError { return }
        throw Wrong(description: "what must fail did not")
    }
}
