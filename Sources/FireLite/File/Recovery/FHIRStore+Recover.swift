import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Writes the readable part of a damaged store to a new one, and reports the rest.
    ///
    /// The damaged file is not changed, and nothing is left beside it. A resource is copied as a whole, with its pk, if all of its rows can be read and match its
    /// digest; if some of its rows cannot be read, or have changed, it is skipped and listed. A resource whose digest is
    /// lost is copied if all of its rows can be read, and listed as not verified. Indexes are rebuilt from the recovered
    /// resources. A wrong number in the file's header is listed, and replaced by what this library writes. A file whose first page is lost cannot be
    /// recovered.
    /// - Parameters:
    ///   - damagedFile: the damaged store.
    ///   - newFile: the new store, which must not exist. The file appears when it is complete.
    ///   - release: the FHIR release of its resources.
    ///   - key: the key of an encrypted store, also used for the new one.
    ///   - progress: receives the number of resources read so far, and then the progress of checking the new store. Default: none.
    /// - Throws: errors of `progress`; `FHIRStoreError`: `alreadyExists`, `cannotOpen`, `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `noEncryption`,
    ///   `wrongRelease`, `diskFull`; `busy` if another program writes to the damaged file meanwhile.
    @discardableResult
    public static func recover(
        from damagedFile: URL, to newFile: URL, release: FHIRRelease, key: Secret? = nil, progress: StoreProgressHandler? = nil
    ) throws -> RecoveryReport {
        let (damaged, target) = (damagedFile.filePath, newFile.filePath)
        try key?.verify(for: damaged)
        let file = try PendingFile(.database, path: target, replaces: false, database: damaged)
        do {
            let source = try open(damaged, release, key)
            var configuration = Configuration()
            configuration.durability = .bulk
            configuration.key = key
            // Creates the tables of an empty store.
            _ = try FHIRStore(path: file.temporaryPath, release: release, configuration: configuration)
            let report = try source.access.connection.untilCancelled {
                try Recovery(source: source, release: release, progress).run(
                    path: file.temporaryPath, key: key, payloads: (PayloadFolder(database: damaged), PayloadFolder(database: target)))
            }
            try source.access.stillFile?.verify()
            try checkRecovered(file.temporaryPath, release: release, configuration: configuration, progress: progress)
            try file.finish()
            return report
        } catch let error as SQLiteError where error.isNoDatabase {
            throw FHIRStoreError(
                .notAStore,
                "\(damaged) has lost its first page, without which the others cannot be identified, or is not an SQLite database: restore a backup"
                    + logNote(damaged),
                sqliteCode: error.code)
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: damaged)
        }
    }

    private static func open(_ path: String, _ release: FHIRRelease, _ key: Secret?) throws -> DamagedStore {
        do {
            return try DamagedStore.open(path: path, release: release, key: key)
        } catch let error as FHIRStoreError where error.code == .notAStore && !error.message.contains("-wal") {
            throw FHIRStoreError(.notAStore, error.message + logNote(path), sqliteCode: error.sqliteCode)
        }
    }

    /// What is said of a write-ahead log beside a file that is not recognized; empty if there is none.
    private static func logNote(_ path: String) -> String {
        guard let bytes = ReadOnlyFile.size(path + "-wal"), bytes > 0 else { return "" }
        return "; its write-ahead log \(path)-wal has \(bytes) bytes: keep it with the file"
    }

    private static func checkRecovered(
        _ path: String, release: FHIRRelease, configuration: Configuration, progress: StoreProgressHandler?
    ) throws {
        let store = try FHIRStore(path: path, release: release, configuration: configuration)
        // The report lists missing payloads and lost tables of modules.
        guard let fault = try store.check(progress: progress).first(where: { ![.payload, .module].contains($0.kind) }) else { return }
        throw FHIRStoreError(.sqlite, "the recovered part is not a sound store (\(fault)): restore a backup")
    }
}

/// Copies the readable part of a damaged store.
private struct Recovery {
    let source: DamagedStore
    let release: FHIRRelease
    private let meter: ProgressMeter
    private var report = RecoveryReport()
    /// The tables that resources have lost, by the numbers of their shapes.
    private var lost: [Int64: LostTables.Loss] = [:]

    init(source: DamagedStore, release: FHIRRelease, _ progress: StoreProgressHandler?) {
        meter = ProgressMeter(progress)
        self.source = source
        self.release = release
    }

    /// - Parameter payloads: the folders with the payloads in files of the damaged store and of the new one.
    func run(path: String, key: Secret?, payloads: (source: PayloadFolder, target: PayloadFolder)) throws -> RecoveryReport {
        var copy = self
        try copy.copy(to: path, key, payloads)
        return copy.report
    }

    private mutating func copy(
        to path: String, _ key: Secret?, _ payloads: (source: PayloadFolder, target: PayloadFolder)
    ) throws {
        report.unreadable = source.unreadable
        report.unreadable += source.access.schema.unknownTables.map {
            "the definition of the table \($0) is not one of FHIR \(release.name)'s, so its rows cannot be read"
        }
        // Those with a definition that is not known are listed already.
        let unknown = source.access.schema.unknownTables
        lost = try source.access.schema.lostTables(source.access.connection).shapes.compactMapValues { loss in
            let tables = loss.tables.filter { !unknown.contains($0) }
            return tables.isEmpty ? nil : LostTables.Loss(type: loss.type, tables: tables)
        }
        report.unreadable += Set(lost.values.flatMap(\.tables)).sorted().map {
            "the table \($0) is missing, and with it all of its rows: another program has dropped it, or the list of tables is damaged"
        }
        let target = try RecoveryTarget(path: path, key: key, source: source)
        let roots = Set(source.registrations.keys).union(source.found.keys).sorted()
        for (number, root) in roots.enumerated() {
            try Cancellation.check()
            try copy(root, to: target)
            if number & 255 == 255 || number == roots.count - 1 {
                try meter.report(StoreProgress(.recovering, number + 1, of: roots.count, .resources))
            }
        }
        report.unreadable += try target.addChanges(from: source)
        report.unreadable += try target.addModules(from: source)
        try target.finish(
            nextRoot: max(source.nextRoot ?? 1, (roots.last ?? 0) + 1), release: release, keepsIDsUnique: source.keepsIDsUnique,
            try declarations())
        // `_meta` is said already.
        for (table, count) in source.doubtful.sorted(by: { $0.key < $1.key }) where table != "_meta" {
            let what = table == "_resource" ? "the revisions and pks of \(count) resources" : "rows"
            report.unreadable.append("\(table): \(what) that were copied are on pages that do not match their checksums")
        }
        if let doubt = source.uncheckedPages { report.unreadable.append(doubt) }
        try copyPayloads(of: target, payloads)
    }

    /// Copies the files with payloads that the new store names, and lists the resources whose payloads are missing.
    private mutating func copyPayloads(of target: RecoveryTarget, _ folders: (source: PayloadFolder, target: PayloadFolder)) throws {
        let schema = try StorageSchema(release: release)
        try schema.refresh(target.connection)
        guard let inventory = try PayloadInventory(target.connection, schema) else { return }
        // Files that no row names may be those of payloads that lack theirs.
        do {
            try folders.source.copy(to: folders.target, inventory.missing(folders.source).isEmpty ? inventory.fileNames : nil)
        } catch let error as FHIRStoreError where error.code == .disk {
            report.unreadable.append(error.message)
        }
        report.lackingPayloads = inventory.missing(folders.target).map { finding in
            let root = finding.number ?? 0
            let own = source.found[root]
            return RecoveryReport.Resource(typeName: finding.typeName, id: own?.id, number: root, reason: finding.text)
        }
    }

    private mutating func copy(_ root: Int64, to target: RecoveryTarget) throws {
        if let loss = source.registrations[root].flatMap({ lost[$0.shape] }) {
            let id = source.found[root]?.id
            let reason = "its rows in \(loss.tables.joined(separator: ", ")) are missing with the table"
            return report.lost.append(RecoveryReport.Resource(typeName: loss.type, id: id, number: root, reason: reason))
        }
        guard let (shape, doubtful) = try source.shape(of: root) else {
            return lose(root, nil, "its own row and its list of tables cannot be read")
        }
        let (loaded, isWhole, hasStrays) = try source.access.reader.readTolerantly(root: root, shape)
        guard let resource = loaded else { return lose(root, shape, try source.access.reader.reasonForDamage(root, shape)) }
        if let isWhatWasStored = source.isWhatWasStored(root, resource) {
            if !isWhatWasStored {
                return lose(root, shape, isWhole ? ResourceReader.changedRows : try source.access.reader.reasonForDamage(root, shape))
            }
        } else if isWhole, hasStrays {
            return lose(root, shape, "rows that others of its rows belong to are missing")
        } else if isWhole {
            let doubt = doubtful.isEmpty ? "" : ", nor whether it contains resources in \(doubtful.joined(separator: ", "))"
            report.unverified.append(entry(root, shape, resource, "its digest cannot be read" + doubt))
        } else {
            return lose(root, shape, try source.access.reader.reasonForDamage(root, shape))
        }
        try target.add(root, resource, shape, from: source, leavesOutStrays: hasStrays)
        report.recovered += 1
    }

    private mutating func lose(_ root: Int64, _ shape: Shape?, _ reason: String) {
        report.lost.append(entry(root, shape, nil, reason))
    }

    private func entry(_ root: Int64, _ shape: Shape?, _ resource: FHIRResource?, _ reason: String) -> RecoveryReport.Resource {
        let own = source.found[root]
        let type = own?.table.name ?? shape?.tables.first?.name
        return RecoveryReport.Resource(typeName: type, id: resource?.id ?? own?.id, number: root, reason: reason)
    }

    /// The declared indexes.
    private mutating func declarations() throws -> [DeclaredIndexes.Declaration] {
        let schema = source.access.schema
        guard let declarations = try source.read("_index", { try DeclaredIndexes(schema: schema, connection: $0).declarations() }) else {
            report.unreadable.append("_index: the declared indexes cannot be read: create them again")
            return []
        }
        if let lost = try source.read("_index", { try DeclaredIndexes(schema: schema, connection: $0).undeclared() }) {
            report.unreadable += lost.map { "_index: the declaration of the index \($0) is missing: create it again" }
        }
        if try source.access.connection.hasModule("fts5") { return declarations }
        for type in Set(declarations.filter { $0.kind == .fullText }.map(\.type)).sorted() {
            report.unreadable.append("the full-text index of \(type) needs FTS5, which this SQLite library lacks: create it again")
        }
        return declarations.filter { $0.kind != .fullText }
    }
}

/// The result of a recovery: what was recovered and what was not.
public struct RecoveryReport: Sendable {
    /// A resource of the damaged store.
    public typealias Resource = UnreadableResource

    /// The number of resources in the new store.
    public internal(set) var recovered = 0
    /// Resources that are not in the new store, by number: some of their rows cannot be read or have changed. None is saved in part.
    public internal(set) var lost: [Resource] = []
    /// Resources that are in the new store although their digest is lost: parts of them may be missing.
    public internal(set) var unverified: [Resource] = []
    /// Resources that are in the new store although payloads of their attachments are missing or incomplete.
    public internal(set) var lackingPayloads: [Resource] = []
    /// What else cannot be read: parts of tables, with the numbers of resources that may have been in them.
    public internal(set) var unreadable: [String] = []

    /// Whether everything was recovered and verified.
    public var isComplete: Bool { lost.isEmpty && unverified.isEmpty && lackingPayloads.isEmpty && unreadable.isEmpty }
}

/// A resource that cannot be read or verified, with the reason.
public struct UnreadableResource: Sendable {
    /// Its type; nil if that cannot be read.
    public let typeName: String?
    /// Its logical id; nil if that cannot be read, or if it has none.
    public let id: String?
    /// Its number in the store (`_resource.root`).
    public let number: Int64
    /// The reason, with the unreadable tables, without values.
    public let reason: String
}
