import FireLite
import FireLiteSQLite
import FireLiteSamples
import Foundation

/// The import of an Apple export, beside the rows of its samples written by SQLite's C API; and heart rates by day, beside one statement over
/// the same index by the C API.
struct SampleWorkloads: Workload {
    static let imported = "import of an export.xml"
    static let byDay = "heart rates by day"
    /// Heart rates for each resource of the size: a million at 100,000.
    private static let ratesPerResource = 10
    private static let mostImported = 100_000

    var names: [String] { [Self.imported, Self.byDay] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 100_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.imported) { measurements.append(try imported(bench)) }
        if bench.wants(Self.byDay) { measurements.append(try byDay(bench)) }
        return measurements
    }

    // MARK: - Import

    private func imported(_ bench: Bench) throws -> Measurement {
        let count = min(bench.size, Self.mostImported)
        let file = bench.scratch.fresh("xml")
        try MadeExport.write(count, to: file)
        var stored = 0
        var inserted = 0
        return try bench.measure(
            Self.imported, operations: count,
            subject: { stopwatch in
                let path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                try stopwatch.measure { try MadeExport.load(file, into: store) }
                stored = try store.read { try $0.sampleTypes().reduce(0) { $0 + $1.count } }
                try store.close()
                bench.scratch.delete(path)
            },
            floor: { stopwatch in
                let path = bench.scratch.fresh()
                let raw = try RawDatabase(path)
                try stopwatch.measure { try Self.insert(count, raw) }
                inserted = try raw.integer("SELECT count(*) FROM samples")
                bench.scratch.delete(path)
            }, verify: { stored == count && inserted == count })
    }

    /// The facts of the samples, with the indexes that statistics and identity need, and each Observation as one text.
    private static func insert(_ count: Int, _ raw: RawDatabase) throws {
        try raw.execute(
            """
            CREATE TABLE samples(number INTEGER PRIMARY KEY, uuid BLOB, type INTEGER, start INTEGER, value REAL, observation TEXT);
            CREATE UNIQUE INDEX samples_uuid ON samples(uuid); CREATE INDEX samples_type ON samples(type, start, value); BEGIN
            """)
        let statement = try raw.prepare("INSERT INTO samples(uuid, type, start, value, observation) VALUES (randomblob(16), 1, ?, ?, ?)")
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        // As long as an Observation, and made once: the floor is what storing costs.
        let text =
            Array("{\"resourceType\":\"Observation\",\"status\":\"final\"}".utf8CString.dropLast()) + Array(repeating: 32, count: 620)
        for number in 0..<count {
            sqlite3_bind_int64(statement, 1, MadeExport.seconds(number) * 1_000)
            sqlite3_bind_double(statement, 2, Double(MadeExport.value(number)))
            sqlite3_bind_text(statement, 3, text, Int32(text.count), transient)
            guard sqlite3_step(statement) == SQLITE_DONE else { throw raw.failure("INSERT") }
            sqlite3_reset(statement)
        }
        try raw.execute("COMMIT")
    }

    // MARK: - Statistics

    private func byDay(_ bench: Bench) throws -> Measurement {
        let count = bench.size * Self.ratesPerResource
        let file = bench.scratch.fresh("xml")
        try MadeExport.write(count, to: file)
        let path = bench.scratch.fresh()
        let store = try bench.openStore(path)
        try MadeExport.load(file, into: store)
        try FileManager.default.removeItem(atPath: file)
        let raw = try RawDatabase(path)
        let statement = try raw.prepare(
            """
            SELECT start / 86400000, count(value), min(value), max(value), sum(value) FROM _samples
            WHERE type = (SELECT number FROM _samples_name WHERE kind = 'type') GROUP BY 1
            """)
        var (bySubject, byFloor) = ((0, 0.0), (0, 0.0))
        let measurement = try bench.measure(
            Self.byDay, operations: count,
            subject: { stopwatch in
                let days = try stopwatch.measure {
                    try store.read { try $0.sampleStatistics(of: .heartRate, by: .day, zone: .gmt) }
                }
                bySubject = days.reduce((0, 0.0)) { ($0.0 + $1.count, $0.1 + ($1.sum ?? 0)) }
            },
            floor: { stopwatch in
                byFloor = (0, 0)
                stopwatch.measure {
                    while sqlite3_step(statement) == SQLITE_ROW {
                        byFloor.0 += Int(sqlite3_column_int64(statement, 1))
                        byFloor.1 += sqlite3_column_double(statement, 4)
                    }
                    sqlite3_reset(statement)
                }
            }, verify: { bySubject == byFloor && bySubject.0 == count })
        try store.close()
        bench.scratch.delete(path)
        return measurement
    }
}

/// A made-up export with a heart rate every half minute.
private enum MadeExport {
    private static let distance = 30
    private static let first = 1_735_689_600

    static func seconds(_ number: Int) -> Int64 { Int64(first + number * distance) }

    static func value(_ number: Int) -> Int { 50 + number * 7_919 % 100 }

    static func write(_ count: Int, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path) else {
            throw BenchmarkFailure("cannot write \(path)")
        }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_US\">\n"
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd"
        var (day, name): (Int64, String) = (-1, "")
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for number in 0..<count {
            let time = seconds(number)
            if time / 86_400 != day {
                day = time / 86_400
                name = formatter.string(from: Date(timeIntervalSince1970: Double(time)))
            }
            let moment = "\(name) \(two(time / 3_600 % 24)):\(two(time / 60 % 60)):\(two(time % 60)) +0000"
            text += """
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" sourceVersion="9.1" device="&lt;&lt;HKDevice: 0x2825f1a40&gt;, \
                name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:8.1&gt;" unit="count/min" \
                creationDate="\(moment)" startDate="\(moment)" endDate="\(moment)" value="\(value(number))"/>\n
                """
            if text.utf8.count > 1 << 20 {
                try handle.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
        try handle.write(contentsOf: Data((text + "</HealthData>\n").utf8))
        try handle.close()
    }

    /// Imports a file, blocking this thread.
    static func load(_ path: String, into store: FHIRStore) throws {
        let engine = SampleEngine(store: store, source: try AppleExport(URL(fileURLWithPath: path)), destinations: [LocalStore(store)])
        let outcome = LoadOutcome()
        Task {
            do { try await engine.run() } catch { outcome.error = error }
            outcome.isDone.signal()
        }
        outcome.isDone.wait()
        if let error = outcome.error { throw error }
    }
}

/// `@unchecked Sendable`: the error is written before `isDone` is signalled, and read after it was waited for.
private final class LoadOutcome: @unchecked Sendable {
    var error: (any Error)?
    let isDone = DispatchSemaphore(value: 0)
}
