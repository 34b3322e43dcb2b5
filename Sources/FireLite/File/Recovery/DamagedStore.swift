import FireLiteCore
import FireLiteSQLiteBridge

/// A store's file that may be damaged anywhere, opened read-only.
///
/// No index is used: rows are read by key.
final class DamagedStore {
    let access: StoreConnection
    /// The same file, whose pages are read only if they match their checksums; nil if that way nothing can be read.
    let verified: (connection: Connection, budget: TolerantScan.Budget)?
    /// The store's numbers; nil if they cannot be read.
    let identity: (high: Int64, digestKey: Int64)?
    let nextRoot: Int64?
    /// The base addresses under which references are to the store's own resources.
    let bases: [String]
    /// Whether the store kept ids unique.
    let keepsIDsUnique: Bool
    /// How many rows tables of modules have had.
    let notedRows: [String: Int64]
    /// What modules note of their rows in `_meta`, by key.
    let moduleNotes: [String: String]
    private let format: Int64
    /// The number of ranges that may be tried around damage.
    let budget: TolerantScan.Budget
    private let hasComparableDigests: Bool
    private(set) var unreadable: [String] = []
    /// The tables of the store's own with rows that were read from pages which do not match their checksums.
    private(set) var doubtful: [String: Int] = [:]
    /// The readable part of the registry.
    private(set) var registrations: [Int64: Registration] = [:]
    /// The readable resources of the types' tables.
    private(set) var found: [Int64: (table: TablePlan, id: String?)] = [:]

    private lazy var nextRows = NextRows(access.connection)

    private var connection: Connection { access.connection }

    /// - Throws: `FHIRStoreError`: `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `wrongRelease`, `newerFormat`; `SQLiteError`.
    static func open(path: String, release: FHIRRelease, key: Secret?) throws -> DamagedStore {
        let header = key == nil ? DamagedHeader(path: path) : nil
        // The rest of a damaged page may be useful: digests decide. Of the first page the numbers in front may be wrong.
        let file = ReadOnlyFile(path: path, key: key, pageChecksums: .mended, isNeverOpenedForWriting: true)
        let (connection, still) = try file.open()
        return try connection.explaining(path, key: key) {
            let verified = header?.faults.isEmpty ?? true ? try verified(path, key) : nil
            let store = try DamagedStore(connection, verified: verified, header: header, path: path, release: release)
            store.access.stillFile = still
            return store
        }
    }

    /// - Throws: `SQLiteError` that is not damage.
    private static func verified(_ path: String, _ key: Secret?) throws -> Connection? {
        let file = ReadOnlyFile(path: path, key: key, pageChecksums: .verified, isNeverOpenedForWriting: true)
        do {
            let (connection, _) = try file.open()
            try prepare(connection)
            _ = try connection.integer("SELECT count(*) FROM sqlite_master")
            return connection
        } catch let error as SQLiteError where error.isDamage {
            return nil
        } catch is FHIRStoreError {
            // The other connection says what is wrong.
            return nil
        }
    }

    private static func prepare(_ connection: Connection) throws {
        connection.setBusyTimeout(milliseconds: 5_000)
        // Reads a catalog with faults, and a truncated file (https://www.sqlite.org/pragma.html#pragma_writable_schema).
        // With DEFENSIVE it would read neither; the connection is read-only.
        connection.setDefensive(false)
        try connection.execute("PRAGMA writable_schema = ON; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")
    }

    /// - Parameter header: what is wrong with the file's header; nil for an encrypted file.
    private init(_ connection: Connection, verified: Connection?, header: DamagedHeader?, path: String, release: FHIRRelease) throws {
        try Self.prepare(connection)
        self.verified = try verified.map { ($0, try TolerantScan.Budget($0)) }
        access = try StoreConnection(connection, release: release)
        budget = try TolerantScan.Budget(connection)
        // After a page that it cannot decrypt, SQLCipher reads no more until the transaction ends, so each statement is a transaction of its own.
        if header != nil { try connection.execute("BEGIN") }
        let catalog = try access.schema.salvage(connection)
        if !catalog.isWhole { unreadable.append("the list of tables cannot be read completely") }
        let settings = try Self.read(verified, connection) { try Self.settings($0) }
        let isKnown = catalog.newer == nil && access.schema.unknownTables.isEmpty
        var mended = try Self.verifyMark(connection, path, verified: verified, header: header, isKnown: isKnown)
        let tracks = settings.value.map { $0["track.next"] != nil }
        format = try Self.format(connection, path, verified: verified, header: &mended, isKnown: isKnown, tracks: tracks)
        func meta(_ key: String) throws -> String? {
            if let known = settings.value { return known[key] }
            do {
                return try connection.text("SELECT value FROM _meta WHERE key = '\(key)'")
            } catch let error as SQLiteError where error.isDamage {
                return nil
            }
        }
        // If these classes were the last to extend the file, it has no column that they do not know, and the release's name is damaged if it is another.
        let model = try meta("model")
        let isOfThisModel = model == release.fingerprint
        if let newer = catalog.newer, !isOfThisModel { throw newer }
        if let stored = try meta("release"), stored != release.name, !isOfThisModel {
            throw FHIRStoreError(.wrongRelease, "\(path) holds FHIR \(stored), not \(release.name): recover it with that release")
        }
        // Digests of format 1 can be compared only with the classes that the file was last extended with.
        hasComparableDigests = format > 1 || model == nil || isOfThisModel
        keepsIDsUnique = try meta("uniqueIDs") == "1"
        notedRows = NotedRows.all(settings.value ?? [:])
        moduleNotes = (settings.value ?? [:]).filter { LibraryModules.isNote($0.key) }
        bases = try meta("bases")?.split(separator: " ").map(String.init) ?? []
        nextRoot = try meta("nextRoot").flatMap { Int64($0) }.flatMap { (1...RootNumbers.maximum).contains($0) ? $0 : nil }
        if let high = try meta("identity").flatMap({ Int64($0) }), let key = try meta("digestKey").flatMap({ Int64($0) }) {
            identity = (high, key)
        } else {
            identity = nil
            unreadable.append("_meta: the store's own numbers cannot be read, so pks that were not stored have changed")
        }
        unreadable += mended?.faults ?? []
        if verified == nil {
            let place =
                mended?.faults.isEmpty ?? true
                ? "the first page or the list of tables does not match its checksum" : "the first page is damaged"
            unreadable.append(
                "\(place), so what has no digests was copied without comparing pages: "
                    + "settings, indexes, numbers of versions, pks, the change log and what modules keep")
        } else if !settings.isVerified {
            unreadable.append(
                "_meta: the store's settings were on pages that do not match their checksums, so bases, what is tracked and other settings may have changed"
            )
        }
        try readResources()
    }

    /// Whether a number of the header may be damaged: an intact page has the right checksum, and an encrypted one its own.
    private static func isDoubtful(_ connection: Connection, _ verified: Connection?, _ header: DamagedHeader?) -> Bool {
        header != nil && (verified == nil || !connection.hasPageChecksums)
    }

    /// Refuses a file that is no store. One with a store's tables, whose mark may be damaged, is one.
    ///
    /// - Returns: the header with what was found.
    private static func verifyMark(
        _ connection: Connection, _ path: String, verified: Connection?, header: DamagedHeader?, isKnown: Bool
    ) throws -> DamagedHeader? {
        if try connection.integer("PRAGMA application_id") == StoreOpener.applicationID { return header }
        let own = try read(nil, connection) {
            try $0.integer(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('_meta', '_resource', '_shape') AND sql LIKE 'CREATE TABLE %'")
        }
        guard var header, own.value == 3, isKnown, isDoubtful(connection, verified, header) else {
            throw FHIRStoreError(.notAStore, "\(path) is not a FireLite store, or its first page is lost: restore a backup")
        }
        header.addMark()
        return header
    }

    /// The format of the file: that of its tables, if the number in the header may be damaged.
    ///
    /// - Parameters:
    ///   - isKnown: whether this version knows all tables.
    ///   - tracks: whether the file has settings of a change log; nil if that cannot be read.
    private static func format(
        _ connection: Connection, _ path: String, verified: Connection?, header: inout DamagedHeader?, isKnown: Bool, tracks: Bool?
    ) throws -> Int64 {
        let stored = try connection.integer("PRAGMA user_version") ?? 0
        let isDoubtful = isDoubtful(connection, verified, header)
        guard stored <= StoreOpener.trackingFormat || isDoubtful && isKnown else {
            throw FHIRStoreError(
                .newerFormat, "\(path) has format \(stored) and this version knows up to \(StoreOpener.trackingFormat): update FireLite")
        }
        guard isDoubtful else { return stored }
        let hasChanges = try read(verified, connection) { _ = try $0.integer("SELECT 1 FROM _change LIMIT 0") }.value != nil
        // Files of the first format have no change log, and what tracks has notes in `_meta`.
        let format =
            hasChanges || tracks == true
            ? StoreOpener.trackingFormat
            : stored == StoreOpener.trackingFormat && tracks == nil || stored == 1 ? stored : StoreOpener.format
        if format != stored { header?.addFormat() }
        return format
    }

    /// Every row of `_meta`, by its key.
    private static func settings(_ connection: Connection) throws -> [String: String] {
        let statement = try connection.prepare("SELECT key, value FROM _meta")
        var settings: [String: String] = [:]
        while try statement.step() { settings[statement.text(0) ?? ""] = statement.text(1) ?? "" }
        return settings
    }

    /// A text about pages without a checksum that have been read so far; nil if there are none.
    var uncheckedPages: String? {
        UncheckedPages.text(connection, verified?.connection ?? connection)
            .map { "\($0), so what is there and has no digests was copied without comparing it" }
    }

    // MARK: - What has no digests

    /// Reads something from pages that match their checksums, or else from the pages as they are.
    ///
    /// - Returns: the value, nil if it cannot be read at all, and whether the pages matched.
    /// - Throws: `SQLiteError` that is not damage.
    private static func read<Value>(
        _ verified: Connection?, _ connection: Connection, _ body: (Connection) throws -> Value
    ) throws -> (value: Value?, isVerified: Bool) {
        for (connection, isVerified) in [(verified, true), (connection, false)] {
            guard let connection else { continue }
            do { return (try body(connection), isVerified) } catch let error as SQLiteError where error.isDamage {}
        }
        return (nil, false)
    }

    /// Reads a small table of the store's own, which has no digests: see `doubtful`.
    ///
    /// - Returns: nil if it cannot be read.
    func read<Value>(_ table: String, _ body: (Connection) throws -> Value) throws -> Value? {
        let (value, isVerified) = try Self.read(verified?.connection, connection, body)
        if value != nil, !isVerified, verified != nil { doubtful[table, default: 0] += 1 }
        return value
    }

    /// Reads rows without digests: first those on pages that match their checksums, then what is left of the other pages.
    ///
    /// - Parameter scan: reads the rows with keys of a range, and returns their number and the keys that cannot be read.
    /// - Returns: the keys that cannot be read, and the number of rows on pages that do not match their checksums; nil if there are no such pages.
    func scanRows(
        _ keys: ClosedRange<Int64>,
        _ scan: (Connection, TolerantScan.Budget, ClosedRange<Int64>) throws -> (rows: Int, gaps: [ClosedRange<Int64>])
    ) throws -> (gaps: [ClosedRange<Int64>], doubtful: Int?) {
        var rest = [keys]
        if let verified { rest = try scan(verified.connection, verified.budget, keys).gaps }
        var (gaps, doubtful): ([ClosedRange<Int64>], Int) = ([], 0)
        for keys in rest {
            let part = try scan(connection, budget, keys)
            gaps += part.gaps
            doubtful += part.rows
        }
        // Of a page that does not match, rows may also be missing without an error.
        let isSaid = verified == nil || rest.isEmpty || doubtful == 0 && !gaps.isEmpty
        return (gaps, isSaid ? nil : doubtful)
    }

    /// Every table of the file that the release knows.
    var tables: [TablePlan] { access.schema.storedTables }

    // MARK: - What is there

    private func readResources() throws {
        let last = try lastRoot()
        guard last > 0 else { return }
        let registry = try scanRows(1...last) { connection, budget, numbers in
            var rows = 0
            let scan = try Registry.scan(connection, numbers: numbers, budget: budget) {
                rows += 1
                registrations[$0.root] = $0
            }
            return (rows, scan.gaps)
        }
        note("_resource", registry.gaps)
        doubtful["_resource"] = registry.doubtful
        for table in tables where table.isResource {
            let id = table.hasInFile(["id"]) ? "id" : "NULL"
            var rows = TolerantScan(
                connection, "SELECT _k, \(id) FROM \(table.quotedName) NOT INDEXED", key: "_k", condition: "AND _parent IS NULL",
                granule: RowKey.width, budget: budget)
            try rows.run(RowKey.range(1...last)) { row in found[RowKey.root(row.int(0))] = (table, row.text(1)) }
            note(table.name, rows.gaps.map { RowKey.root($0.lowerBound)...RowKey.root($0.upperBound) })
        }
    }

    private func note(_ table: String, _ gaps: [ClosedRange<Int64>]) {
        for gap in gaps {
            let numbers = gap.count == 1 ? "resource \(gap.lowerBound)" : "resources \(gap.lowerBound) to \(gap.upperBound)"
            unreadable.append("\(table): the rows of \(numbers), if there are any, cannot be read")
        }
    }

    /// The highest number a resource can have.
    private func lastRoot() throws -> Int64 {
        var last: Int64 = 0
        var isSure = true
        func look(_ key: String, _ table: String, _ shift: Int64) throws {
            do {
                last = max(
                    last,
                    (try connection.integer("SELECT \(key) FROM \(quoted(table)) NOT INDEXED ORDER BY \(key) DESC LIMIT 1") ?? 0) >> shift
                )
            } catch let error as SQLiteError where error.isDamage {
                isSure = false
            }
        }
        try look("root", "_resource", 0)
        // Every resource is registered, so a number above the last registered one is no resource's.
        let isRegistrySure = isSure
        for table in tables where table.isResource { try look("_k", table.name, 24) }
        if !isRegistrySure, !isSure, let nextRoot { last = max(last, nextRoot - 1) }
        // A key has 39 bits for the number.
        return min(last, RootNumbers.maximum)
    }

    // MARK: - Tracked changes

    /// Whether the store has ever tracked anything.
    var hasTracked: Bool { get throws { try format == StoreOpener.trackingFormat || hasChanges } }

    /// Whether the table of changes can be read.
    var hasChanges: Bool {
        get throws { try Self.read(verified?.connection, connection) { _ = try $0.integer("SELECT 1 FROM _change LIMIT 0") }.value != nil }
    }

    /// What the store tracks; nil if that is lost.
    var trackingSettings: TrackingSettings? {
        get throws {
            // `_meta` has all four rows once anything was tracked.
            try Self.read(verified?.connection, connection) {
                guard try TrackingSettings.isStored($0) else { return nil }
                var settings = try TrackingSettings.readTolerantly($0).settings
                settings.mark = settings.mark?.taken(from: $0)
                return settings
            }.value ?? nil
        }
    }

    /// The highest number of a change; nil if it cannot be read.
    var lastChange: Int64? {
        get throws {
            try Self.read(verified?.connection, connection) {
                try $0.integer("SELECT seq FROM _change NOT INDEXED ORDER BY seq DESC LIMIT 1") ?? 0
            }.value
        }
    }

    /// The readable changes, the numbers of those that are not, and how many are on pages that do not match their checksums.
    func changes(before next: Int64) throws -> (rows: [ChangeTable.Row], gaps: [ClosedRange<Int64>], doubtful: Int?) {
        var rows: [ChangeTable.Row] = []
        guard next > 1 else { return ([], [], nil) }
        let (gaps, doubtful) = try scanRows(1...next - 1) { connection, budget, numbers in
            var count = 0
            var scan = TolerantScan(connection, "SELECT \(ChangeTable.columns) FROM _change NOT INDEXED", key: "seq", budget: budget)
            try scan.run(numbers) {
                count += 1
                rows.append(ChangeTable.row($0))
            }
            return (count, scan.gaps)
        }
        return (rows.sorted { $0.sequence < $1.sequence }, gaps, doubtful)
    }

    /// - Returns: nil if they cannot be read.
    func changeReaders() throws -> [(name: String, sequence: Int64)]? {
        try read("_change_reader") { try ChangeTable(connection: $0).readers() }
    }

    // MARK: - One resource

    /// The tables that a resource has rows in, by its registration or else by searching; nil if neither works.
    ///
    /// - Returns: also the tables of other types that may have rows of resources it contains.
    func shape(of root: Int64) throws -> (shape: Shape, doubtful: [String])? {
        if let registration = registrations[root] {
            do {
                if let shape = try access.registry.shape(registration.shape, evenIfLost: true) { return (shape, []) }
            } catch let error as SQLiteError where error.isDamage {
            } catch is FHIRStoreError {
                // The list of tables exists but is damaged.
            }
        }
        guard let own = found[root] else { return nil }
        var (filled, doubtful): ([TablePlan], [String]) = ([own.table], [])
        for table in tables where table !== own.table {
            if let isFilled = try nextRows.hasRows(of: root, in: table) {
                if isFilled { filled.append(table) }
                continue
            }
            var hasRows = false
            let isReadable = try access.reader.readTolerantly(table, root) { _ in hasRows = true }
            if hasRows || !isReadable && table.resourceName == own.table.name {
                filled.append(table)
            } else if !isReadable {
                doubtful.append(table.name)
            }
        }
        return (Shape(number: -1, tables: filled), doubtful)
    }

    /// Whether a resource matches its digest; nil if there is no digest.
    func isWhatWasStored(_ root: Int64, _ resource: FHIRResource) -> Bool? {
        guard hasComparableDigests, let identity, let registration = registrations[root] else { return nil }
        let key = UInt64(bitPattern: identity.digestKey)
        return ContentDigest.digest(of: resource, key: key, usesSlots: format == 1) == registration.digest
    }
}
