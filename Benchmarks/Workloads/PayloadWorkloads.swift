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
    static let storedFiles = "100 MB of payloads stored in files, against raw blobs"
    static let readFiles = "100 MB of payloads read from files, against raw blobs"
    static let storedSmall = "payloads of 50 KB stored in files, against in the database"
    static let readSmall = "payloads of 50 KB read from files, against from the database"
    static let readSealed = "100 MB of sealed payloads read, against raw blobs"

    var names: [String] {
        [
            Self.stored, Self.read, Self.storedHash, Self.readHash, Self.storedFiles, Self.readFiles, Self.storedSmall, Self.readSmall,
            Self.readSealed,
        ]
    }

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
        if bench.wants(Self.storedFiles) { measurements.append(try storing(Self.storedFiles, payloads, false, bench, fileBytes: 1)) }
        for (name, isHash) in [(Self.read, false), (Self.readHash, true)] where bench.wants(name) {
            measurements.append(try reading(name, payloads, isHash, bench))
        }
        if bench.wants(Self.readFiles) { measurements.append(try reading(Self.readFiles, payloads, false, bench, fileBytes: 1)) }
        if bench.wants(Self.readSealed) { measurements.append(try reading(Self.readSealed, payloads, false, bench, isSealed: true)) }
        let small = (0..<Self.smallCount).map { Self.payload($0, Self.smallBytes) }
        if bench.wants(Self.storedSmall) { measurements.append(try storingSmall(small, bench)) }
        if bench.wants(Self.readSmall) { measurements.append(try readingSmall(small, bench)) }
        return measurements
    }

    // MARK: - Files against the database

    private static let smallCount = 200
    private static let smallBytes = 50_000

    private func storingSmall(_ payloads: [Data], _ bench: Bench) throws -> Measurement {
        var paths = ["", ""]
        var counts = [0, 0]
        defer { for path in paths { Self.delete(path, bench) } }
        func store(_ place: Int, _ stopwatch: Stopwatch) throws {
            Self.delete(paths[place], bench)
            paths[place] = bench.scratch.fresh()
            let store = try bench.openStore(paths[place])
            try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: place == 0 ? 1 : nil))
            try stopwatch.measure { for payload in payloads { _ = try store.attachments.put(payload) } }
            counts[place] = try store.attachments.list().count
        }
        return try bench.measure(
            Self.storedSmall, operations: Self.smallCount, subject: { try store(0, $0) }, floor: { try store(1, $0) },
            verify: { counts == [Self.smallCount, Self.smallCount] })
    }

    private func readingSmall(_ payloads: [Data], _ bench: Bench) throws -> Measurement {
        let paths = [bench.scratch.fresh(), bench.scratch.fresh()]
        defer { for path in paths { Self.delete(path, bench) } }
        let stores = try paths.enumerated().map { place, path in
            let store = try bench.openStore(path)
            try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: place == 0 ? 1 : nil))
            return store
        }
        let references = try stores.map { store in try payloads.map { try store.attachments.put($0) } }
        var counts = [0, 0]
        func read(_ place: Int, _ stopwatch: Stopwatch) throws {
            counts[place] = try stopwatch.measure { try references[place].reduce(0) { try $0 + stores[place].attachments.data($1).count } }
        }
        return try bench.measure(
            Self.readSmall, operations: Self.smallCount, subject: { try read(0, $0) }, floor: { try read(1, $0) },
            verify: { counts.allSatisfy { $0 == Self.smallCount * Self.smallBytes } })
    }

    private static func delete(_ path: String, _ bench: Bench) {
        guard !path.isEmpty else { return }
        bench.scratch.delete(path)
        try? FileManager.default.removeItem(atPath: path + "-payloads")
    }

    private func storing(
        _ name: String, _ payloads: [Data], _ isHash: Bool, _ bench: Bench, fileBytes: Int? = nil
    ) throws -> Measurement {
        var (path, rawPath) = ("", "")
        var (stored, raw) = (0, 0)
        defer {
            Self.delete(path, bench)
            bench.scratch.delete(rawPath)
        }
        return try bench.measure(
            name, operations: Self.count,
            subject: { stopwatch in
                Self.delete(path, bench)
                path = bench.scratch.fresh()
                let store = try bench.openStore(path)
                try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: fileBytes))
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

    private func reading(
        _ name: String, _ payloads: [Data], _ isHash: Bool, _ bench: Bench, fileBytes: Int? = nil, isSealed: Bool = false
    ) throws -> Measurement {
        let (path, rawPath) = (bench.scratch.fresh(), bench.scratch.fresh())
        defer {
            Self.delete(path, bench)
            bench.scratch.delete(rawPath)
        }
        let store = try bench.openStore(path)
        if isSealed { store.records.encryption = .perRecord(try RecordKeyring()) }
        try store.attachments.externalizeNewPayloads(AttachmentPolicy(fileThreshold: fileBytes))
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

    private static func payload(_ number: Int, _ bytes: Int = bytes) -> Data {
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
