import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRStore {
    /// Writes what is readable of a damaged store into a new one, and tells what is not.
    ///
    /// The damaged file is not changed. A resource is taken over as a whole, with its pk, where all of its rows can be read and give the
    /// digest that was stored with it; one of which rows cannot be read, or have changed, is left out and listed. One whose digest is
    /// lost is taken over where all of its rows can be read, and listed as not verified. Indexes are built anew from what was
    /// recovered. A file whose first page is lost cannot be recovered.
    /// - Parameters:
    ///   - target: the path of the new store, where no file may be. It appears when it is complete.
    ///   - key: the key of an encrypted store; the new one gets it too.
    /// - Throws: `FHIRStoreError`: `alreadyExists`, `cannotOpen`, `notAStore`, `missingKey`, `wrongKey`, `notEncrypted`, `noEncryption`,
    ///   `wrongRelease`, `diskFull`.
    @discardableResult
    public static func recover(
        from damaged: String, to target: String, release: FHIRRelease, key: EncryptionKey? = nil
    ) throws -> RecoveryReport {
        try key?.verify(for: damaged)
        let file = try PendingFile(.database, path: target, replaces: false, database: damaged)
        do {
            let source = try DamagedStore.open(path: damaged, release: release, key: key)
            var configuration = Configuration()
            configuration.durability = .bulk
            configuration.key = key
            // Makes the tables of an empty store.
            _ = try FHIRStore(path: file.temporaryPath, release: release, configuration: configuration)
            let report = try Recovery(source: source, release: release).run(path: file.temporaryPath, key: key)
            try checkRecovered(file.temporaryPath, release, configuration)
            try file.finish()
            return report
        } catch let error as SQLiteError where error.isNoDatabase {
            throw FHIRStoreError(
                .notAStore,
                "\(damaged) has lost its first page, without which the others cannot be told apart, or is no SQLite database: restore a backup",
                sqliteCode: error.code)
        } catch let error as SQLiteError {
            throw FHIRStoreError(error, path: damaged)
        }
    }

    private static func checkRecovered(_ path: String, _ release: FHIRRelease, _ configuration: Configuration) throws {
        guard let fault = try FHIRStore(path: path, release: release, configuration: configuration).check().first else { return }
        throw FHIRStoreError(.sqlite, "what could be read makes no sound store (\(fault)): restore a backup")
    }
}

/// Copies what can be read of a damaged store.
private struct Recovery {
    let source: DamagedStore
    let release: FHIRRelease
    private var report = RecoveryReport()

    init(source: DamagedStore, release: FHIRRelease) {
        self.source = source
        self.release = release
    }

    func run(path: String, key: EncryptionKey?) throws -> RecoveryReport {
        var copy = self
        try copy.copy(to: path, key)
        return copy.report
    }

    private mutating func copy(to path: String, _ key: EncryptionKey?) throws {
        report.unreadable = source.unreadable
        report.unreadable += source.access.schema.unknownTables.map { "the table \($0) is none of FHIR \(release.name)" }
        let target = try RecoveryTarget(path: path, key: key, source: source)
        let roots = Set(source.registrations.keys).union(source.found.keys).sorted()
        for root in roots { try copy(root, to: target) }
        try target.finish(
            nextRoot: max(source.nextRoot ?? 1, (roots.last ?? 0) + 1), release: release, keepsIDsUnique: source.keepsIDsUnique,
            try declarations())
    }

    private mutating func copy(_ root: Int64, to target: RecoveryTarget) throws {
        guard let (shape, doubtful) = try source.shape(of: root) else {
            return lose(root, nil, "its own row and its list of tables cannot be read")
        }
        let (loaded, isWhole) = try source.access.reader.readTolerantly(root: root, shape)
        guard let resource = loaded else { return lose(root, shape, try source.access.reader.reasonForDamage(root, shape)) }
        if let isWhatWasStored = source.isWhatWasStored(root, resource) {
            if !isWhatWasStored {
                return lose(root, shape, isWhole ? ResourceReader.changedRows : try source.access.reader.reasonForDamage(root, shape))
            }
        } else if isWhole {
            let doubt = doubtful.isEmpty ? "" : ", nor whether it contains resources in \(doubtful.joined(separator: ", "))"
            report.unverified.append(entry(root, shape, "no digest of it can be read" + doubt))
        } else {
            return lose(root, shape, try source.access.reader.reasonForDamage(root, shape))
        }
        try target.add(root, resource, shape, from: source)
        report.recovered += 1
    }

    private mutating func lose(_ root: Int64, _ shape: Shape?, _ reason: String) {
        report.lost.append(entry(root, shape, reason))
    }

    private func entry(_ root: Int64, _ shape: Shape?, _ reason: String) -> RecoveryReport.Resource {
        let own = source.found[root]
        let type = own?.table.name ?? shape?.tables.first?.name
        return RecoveryReport.Resource(typeName: type, id: own?.id, number: root, reason: reason)
    }

    /// The indexes that were declared.
    private mutating func declarations() throws -> [DeclaredIndexes.Declaration] {
        do {
            let connection = source.access.connection
            let declarations = try DeclaredIndexes(schema: source.access.schema, connection: connection).declarations()
            if try connection.hasModule("fts5") { return declarations }
            for type in Set(declarations.filter { $0.kind == .fullText }.map(\.type)).sorted() {
                report.unreadable.append("the full-text index of \(type) needs FTS5, which this SQLite library lacks: declare it again")
            }
            return declarations.filter { $0.kind != .fullText }
        } catch let error as SQLiteError where error.isDamage {
            report.unreadable.append("_index: the declared indexes cannot be read: declare them again")
            return []
        }
    }
}
