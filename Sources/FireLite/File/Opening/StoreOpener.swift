import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Opens connections to a store's file and creates the store in a new file.
struct StoreOpener: Sendable {
    /// The format this library writes; see Sources/FireLite/FireLite.docc/FileFormat.md.
    static let format: Int64 = 2
    /// The format of files that track changes; others keep the older one, so that earlier versions of the library can read them.
    static let trackingFormat: Int64 = 3
    /// Marks the file as FireLite's for `file` and other tools (`PRAGMA application_id`): the letters FHIR.
    static let applicationID: Int64 = 0x4648_4952

    let path: String
    let release: FHIRRelease
    var configuration: FHIRStore.Configuration
    var upgrades = FormatUpgrade.all
    /// The identity of the store that must be in the file; nil before it is known.
    var expected: StoreIdentity?
    /// The format a file has after all upgrades.
    private var format: Int64 { upgrades.last.map { $0.from + 1 } ?? Self.format }
    /// The formats that need no upgrade.
    private var formats: ClosedRange<Int64> { format...max(format, Self.trackingFormat) }

    /// The opener for later connections to an open store: the file must exist and be that store.
    func reopening(_ identity: StoreIdentity) -> StoreOpener {
        var opener = self
        opener.configuration.mustExist = true
        opener.expected = identity
        return opener
    }

    // MARK: - Writing

    /// Opens the writing connection, and creates the store if the file is new.
    func open() throws -> (StoreWriter, StoreIdentity) {
        try configuration.key?.verify(for: path)
        if path != ":memory:" {
            try ReadOnlyFile.keepLogOfEmptyFile(path)
            if configuration.mustExist { _ = try ReadOnlyFile.location(of: path) } else { try PrivateFile.createDatabase(path) }
        }
        let connection = try Connection.open(
            path, createsFile: !configuration.mustExist, key: configuration.key, pageChecksums: configuration.pageChecksums)
        return try connection.explaining(path, key: configuration.key) { try prepare(connection) }
    }

    /// Creates the store in a new file, and checks that the file is a store.
    private func prepare(_ connection: Connection) throws -> (StoreWriter, StoreIdentity) {
        try configure(connection, cacheBytes: configuration.cacheBytes)
        try setDurability(connection)
        if configuration.secureDelete { try connection.execute("PRAGMA secure_delete = ON") }
        // The mark and the tables come with one transaction, so who sees the mark sees the tables: without them it is no new file.
        let isMarked = try connection.integer("PRAGMA application_id") == Self.applicationID
        let isNew = try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        if isNew, isMarked {
            throw FHIRStoreError(
                .notAStore,
                "\(path) is a FireLite store that has lost the list of its tables: recover it into a new file, or restore a backup")
        }
        // Before the journal mode, which is written to the file: a file that is not a store of this release stays untouched.
        if isNew, configuration.mustExist, path != ":memory:" {
            throw FHIRStoreError(.notAStore, "\(path) is an empty database, not a FireLite store: check the path")
        }
        if isNew {
            if configuration.checksPages, configuration.key == nil { connection.reservePageChecksums() }
        } else {
            try verify(connection)
        }
        try requireUnmoved(connection)
        if path != ":memory:" { try keepLog(connection) }
        if isNew {
            try create(connection)
            // Another process may have been faster, with another release.
            try verify(connection)
        }
        try FormatUpgrade.run(upgrades, on: connection, path: path, release: release)
        let identity = try StoreFacts(connection).identity
        if let expected, expected != identity {
            throw FHIRStoreError(
                .notAStore, "\(path) is not the store that was opened: close the store and open the file again")
        }
        try checkCells(connection)
        let access = try StoreConnection(connection, release: release, bases: configuration.bases, clock: configuration.clock)
        if !isNew {
            // Of a store that is open already, what a newer program has added meanwhile is met where it is used.
            if expected == nil { try verifyModel(access) }
            try RootNumbers.mend(connection)
        }
        if configuration.uniqueIDs, try !UniqueIDs(access).isPromised { try promiseUniqueIDs(access) }
        return (StoreWriter(access, identity: identity), identity)
    }

    /// Switches the file to a write-ahead log. If several processes create it at once SQLite does not wait, as a reader becomes a writer:
    /// it returns busy at once (<https://www.sqlite.org/c3ref/busy_handler.html>).
    private func keepLog(_ connection: Connection) throws {
        let end = DispatchTime.now() + .milliseconds(configuration.busyMilliseconds)
        while true {
            do {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch let error as SQLiteError where error.isBusy && DispatchTime.now() < end {
                usleep(UInt32.random(in: 500...5_000))
            }
        }
    }

    private func promiseUniqueIDs(_ access: StoreConnection) throws {
        try access.begin(isWrite: true)
        do {
            try UniqueIDs(access).promise()
            try access.commit()
        } catch {
            access.rollback()
            throw error
        }
    }

    /// Refuses a file with resources that this version's classes would lose a part of.
    private func verifyModel(_ access: StoreConnection) throws {
        try access.begin()
        defer { access.rollback() }
        try verifyTables(access)
    }

    private func verifyTables(_ access: StoreConnection) throws {
        for name in access.schema.unknownTables {
            if try access.registry.hasRows(inTable: name) { throw access.schema.unknownTable(name, path: path) }
        }
    }

    // MARK: - Reading

    /// Opens an existing store with only a reading connection, which is half of the work: the first write opens the writing one.
    ///
    /// - Returns: nil if something must be created or corrected first, or anything is unusual: the writing connection does it, or reports
    ///   what is wrong.
    func openExisting() throws -> (StoreConnection, StoreIdentity)? {
        guard path != ":memory:", ReadOnlyFile.size(path) ?? 0 > 0 else { return nil }
        do {
            let access = try openReader()
            let connection = access.connection
            try access.begin()
            defer { access.rollback() }
            // That what is called so is a table has been seen to as the transaction began.
            guard !connection.isReadOnly, access.schema.ownTables.isSuperset(of: ["_meta", "_resource", "_shape"]),
                try connection.integer("PRAGMA application_id") == Self.applicationID,
                try connection.text("PRAGMA journal_mode") == "wal", try formats.contains(connection.integer("PRAGMA user_version") ?? 0)
            else { return nil }
            let facts = try StoreFacts(connection)
            guard facts.release == release.name, facts.keepsIDsUnique || !configuration.uniqueIDs, try RootNumbers.areSound(connection)
            else {
                return nil
            }
            try verifyTables(access)
            return (access, facts.identity)
        } catch let error as SQLiteError where error.isBusy {
            throw error
        } catch {
            return nil
        }
    }

    /// Opens the first connection of a read-only store, and checks that the file is a store.
    func openReadOnly() throws -> (StoreConnection, StoreIdentity) {
        let (connection, still) = try readConnection()
        return try connection.explaining(path, key: configuration.key) {
            let access = try reader(connection, still)
            try verify(connection)
            let found = try connection.integer("PRAGMA user_version") ?? 0
            guard formats.contains(found) else {
                throw FHIRStoreError(
                    .olderFormat,
                    "\(path) has format \(found), which is upgraded to \(format) when it is opened for writing",
                    remedy: .upgrade)
            }
            try verifyModel(access)
            return (access, try StoreFacts(connection).identity)
        }
    }

    private func readConnection() throws -> (Connection, StillFile?) {
        switch configuration.access {
        case .readWrite:
            let connection = try Connection.open(
                path, createsFile: false, key: configuration.key, pageChecksums: configuration.pageChecksums)
            return (connection, nil)
        case .readOnly, .readOnlyImmutable:
            return try ReadOnlyFile(
                path: path, key: configuration.key, pageChecksums: configuration.pageChecksums,
                cannotChange: configuration.access == .readOnlyImmutable
            ).open()
        }
    }

    /// Opens a connection for reading.
    func openReader() throws -> StoreConnection {
        let (connection, still) = try readConnection()
        return try reader(connection, still)
    }

    private func reader(_ connection: Connection, _ still: StillFile?) throws -> StoreConnection {
        try configure(connection, cacheBytes: max(configuration.cacheBytes / 4, 2 << 20))
        // The last connection to close moves the log into the file, as durably as it is set.
        try setDurability(connection)
        // With the first read SQLite learns about the page checksums.
        try connection.execute("PRAGMA query_only = 1; PRAGMA schema_version")
        try requireUnmoved(connection)
        try checkCells(connection)
        let access = try StoreConnection(connection, release: release, bases: configuration.bases, clock: configuration.clock)
        access.stillFile = still
        return access
    }

    /// Sees that the file is still the one at its path, after the first read: while the connection waited for a lock, a change of the key may have
    /// replaced it.
    ///
    /// The read has left a lock on a file with a log, so nobody replaces that from now on. Without a log SQLite itself refuses to write to a file
    /// that was replaced (`SQLITE_READONLY_DBMOVED`).
    private func requireUnmoved(_ connection: Connection) throws {
        guard !connection.fileHasMoved else {
            throw FHIRStoreError(.fileHasMoved, "\(path) was replaced, moved or deleted while it was opened: open it again")
        }
    }

    private func configure(_ connection: Connection, cacheBytes: Int) throws {
        connection.setBusyTimeout(milliseconds: configuration.busyMilliseconds)
        try TextMatcher.register(connection)
        try connection.run("PRAGMA cache_size = -\(max(cacheBytes / 1_024, 1))")
        try connection.execute("PRAGMA temp_store = MEMORY")
        configuration.watch(connection)
    }

    private func setDurability(_ connection: Connection) throws {
        switch configuration.durability {
        case .full: try connection.execute("PRAGMA synchronous = FULL")
        case .normal: try connection.execute("PRAGMA synchronous = NORMAL")
        case .bulk: try connection.execute("PRAGMA synchronous = OFF")
        }
    }

    /// Makes SQLite inspect each page for damage when it is read, unless its checksum is compared: that was a tenth of a fetch from a large file.
    private func checkCells(_ connection: Connection) throws {
        if configuration.checksPages, connection.hasPageChecksums { return }
        try connection.execute("PRAGMA cell_size_check = 1")
    }

    /// Sees that the file is a store of this release in a format this library knows, before anything of it is used.
    private func verify(_ connection: Connection) throws { try verify(connection, Self.facts(connection, path: path)) }

    /// What the file says of itself, if it is a store.
    ///
    /// - Throws: `FHIRStoreError.notAStore`.
    static func facts(_ connection: Connection, path: String) throws -> StoreFacts {
        guard try connection.integer("PRAGMA application_id") == Self.applicationID else {
            throw FHIRStoreError(.notAStore, "\(path) is an SQLite database but not a FireLite store: give another path")
        }
        // Before any of them is read: a view with that name could be anything.
        let own = try connection.integer(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('_meta', '_resource', '_shape') AND type = 'table' AND sql LIKE 'CREATE TABLE %'"
        )
        guard own == 3 else { throw CatalogText.refusal(path, "not all of its tables _meta, _resource and _shape are tables") }
        return try StoreFacts(connection)
    }

    private func verify(_ connection: Connection, _ facts: StoreFacts) throws {
        let format = try connection.integer("PRAGMA user_version") ?? 0
        guard format <= formats.upperBound else {
            throw FHIRStoreError(
                .newerFormat, "\(path) has format \(format) and this version knows up to \(formats.upperBound): update FireLite")
        }
        guard !facts.release.isEmpty else {
            throw FHIRStoreError(
                .notAStore, "\(path) has lost its settings, the release among them: recover it into a new file, or restore a backup")
        }
        guard facts.release == release.name else {
            throw FHIRStoreError(
                .wrongRelease, "\(path) holds FHIR \(facts.release), not \(release.name): open it with that release, or give another path")
        }
    }

    private func create(_ connection: Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been faster.
            if try connection.integer("SELECT count(*) FROM sqlite_master") == 0 {
                try connection.run("PRAGMA application_id = \(Self.applicationID)")
                try connection.run("PRAGMA user_version = \(format)")
                try connection.execute("CREATE TABLE _meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID")
                try connection.execute(Registry.creation)
                try connection.execute("INSERT INTO _meta VALUES ('nextRoot', 1), ('identity', random()), ('digestKey', random())")
                let note = try connection.prepare("INSERT INTO _meta VALUES ('release', ?), ('version', ?)")
                note.bind(1, release.name)
                note.bind(2, release.version)
                try note.run()
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}
