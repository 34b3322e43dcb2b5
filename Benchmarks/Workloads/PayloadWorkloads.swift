import FireLite
import FireLiteR4
import FireLiteRecords
import FireLiteSQLite
import Foundation

/// 100 MB of payloads, stored and read: beside blobs by SQLite's C API, and beside SHA-256 alone.
struct PayloadWorkloads: Workload {
    static let stored = "100 MB of payloads stored, against raw blobs"
    static let read = "100 MB of payloads read, against raw blobs"
    static let storedHash = "100 MB of payloads stored, against SHA-256"
    static let readHash = "100 MB of payloads read, against SHA-256"

    var names: [String] { [Self.stored, Self.read, Self.storedHash, Self.readHash] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.first }

    private static let count = 20
    private static let bytes = 5_000_000

    func run(_ bench: Bench) throws -> [Measurement] {
        guard names.contains(where: { bench.wants($0) }) else { return [] }
        let payloads = (0..<Self.count).map { Self.payload($0) }
        var measurements: [Measurement] = []
        for (name, isHash) in [(Self.stored, false), (Self.storedHash, true)] where bench.wants(name) {
            measurements.append(try storing(name, payloads, isHash, bench))
        }
        for (name, isHash) in [(Self.read, false), (Self.readHash, true)] where bench.wants(name) {
            measurements.append(try reading(name, payloads, isHash, bench))
        }
        return measurements
    }

    private func storing(_ name: String, _ payloads: [Data], _ isHash: Bool, _ bench: Bench) throws -> Measurement {
        var (path, rawPath) = ("", "")
        var (stored, raw) = (0, 0)
        defer {
            bench.scratch.delete(path)
            bench.scratch.delete(rawPath)
        }
        return try bench.measure(
            name, operations: Self.count,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                try store.attachments.keepApart()
                try stopwatch.measure { for payload in payloads { _ = try store.attachments.put(payload) } }
                stored = try store.attachments.list().reduce(0) { $0 + $1.byteCount }
            },
            floor: { stopwatch in
                guard !isHash else { return stopwatch.measure { raw = Self.hashed(payloads) } }
                bench.scratch.delete(rawPath)
                rawPath = bench.scratch.fresh()
                raw = try Self.storeRaw(payloads, rawPath, stopwatch)
            },
            verify: { stored == Self.count * Self.bytes && raw == stored })
    }

    private func reading(_ name: String, _ payloads: [Data], _ isHash: Bool, _ bench: Bench) throws -> Measurement {
        let (path, rawPath) = (bench.scratch.fresh(), bench.scratch.fresh())
        defer {
            bench.scratch.delete(path)
            bench.scratch.delete(rawPath)
        }
        let store = try bench.openStore(path)
        try store.attachments.keepApart()
        let references = try payloads.map { try store.attachments.put($0) }
        _ = try Self.storeRaw(payloads, rawPath, Stopwatch())
        let database = try RawDatabase(rawPath)
        var (read, raw) = (0, 0)
        return try bench.measure(
            name, operations: Self.count,
            subject: { stopwatch in
                read = try stopwatch.measure { try references.reduce(0) { try $0 + store.attachments.data($1).count } }
            },
            floor: { stopwatch in
                raw = try stopwatch.measure { isHash ? Self.hashed(payloads) : try Self.readRaw(database) }
            },
            verify: { read == Self.count * Self.bytes && raw == read })
    }

    // MARK: - Floors

    private static func payload(_ number: Int) -> Data {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        var words = [UInt64](repeating: 0, count: bytes / 8)
        for index in words.indices {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            words[index] = state
        }
        return words.withUnsafeBytes { Data($0) }
    }

    private static func hashed(_ payloads: [Data]) -> Int {
        payloads.reduce(0) { $0 + (PayloadReference.hash(of: $1).isEmpty ? 0 : $1.count) }
    }

    /// One row for each payload, in a transaction of its own as `put` has.
    private static func storeRaw(_ payloads: [Data], _ path: String, _ stopwatch: Stopwatch) throws -> Int {
        let database = try RawDatabase(path)
        try database.execute("CREATE TABLE payload(number INTEGER PRIMARY KEY, content BLOB)")
        let insert = try database.prepare("INSERT INTO payload(content) VALUES (?)")
        try stopwatch.measure {
            for payload in payloads {
                let code = payload.withUnsafeBytes { bytes in
                    sqlite3_bind_blob64(insert, 1, bytes.baseAddress, UInt64(bytes.count), nil)
                    return sqlite3_step(insert)
                }
                guard code == SQLITE_DONE else { throw database.failure("INSERT") }
                sqlite3_reset(insert)
            }
        }
        return try database.integer("SELECT sum(length(content)) FROM payload")
    }

    private static func readRaw(_ database: RawDatabase) throws -> Int {
        let select = try database.prepare("SELECT content FROM payload WHERE number = ?")
        var count = 0
        for number in 1...Int64(Self.count) {
            sqlite3_bind_int64(select, 1, number)
            guard sqlite3_step(select) == SQLITE_ROW, let content = sqlite3_column_blob(select, 0) else { throw database.failure("SELECT") }
            count += Data(bytes: content, count: Int(sqlite3_column_bytes(select, 0))).count
            sqlite3_reset(select)
        }
        return count
    }
}
