import FireLiteCore
import FireLiteSQLiteBridge

// The beginning and end of a write, and what it leaves for observers.
extension StoreWriter {
    func begin(_ recording: CommitAnnouncer.Recording? = nil, origin: WriteOrigin = .local) throws {
        try access.begin(isWrite: true)
        guard let next = try reservedRoots.begin(access) else {
            access.rollback()
            throw FHIRStoreError(
                .notAStore,
                "\(access.connection.path) is damaged: the number of its next resource is not valid: if opening the file again does not mend that, "
                    + "restore a backup or recover what is readable")
        }
        nextRoot = next
        keepsIDsUnique = try UniqueIDs(access).isPromised
        savedNextRoot = nextRoot
        hasGrown = false
        brokenBy = nil
        newIDs.clear()
        record = recording.map { recording in
            let record = lastRecord ?? CommitRecord(identity: identity, schema: access.schema, numbers: recording.numbers)
            record.begin(notesPaths: recording.notesPaths, listsAll: recording.listsAll, types: recording.types, witness: recording.witness)
            lastRecord = record
            return record
        }
        do {
            try beginTracking(origin)
        } catch {
            access.rollback()
            throw error
        }
        catalogVersion = access.schema.version
        changesBefore = access.connection.totalChanges
    }

    private func beginTracking(_ origin: WriteOrigin) throws {
        tracking = nil
        continued.removeAll()
        given.removeAll()
        changedAgain.removeAll()
        self.origin = origin
        guard access.schema.ownTables.contains("_change") else { return }
        trackingSettings = try TrackingSettings.read(access.connection)
        tracking = ChangeRecorder(access, trackingSettings, origin: origin, firstRoot: nextRoot, digestKey: identity.digestKey)
    }

    /// The number of the next tracked change; nil if the file tracks nothing.
    var nextTracked: Int64? { tracking?.next }

    /// Switches what the file tracks from here on.
    func setTracking(_ settings: TrackingSettings) throws {
        var settings = settings
        if let tracking { settings.mark?.add(try tracking.holes()) }
        try settings.store(access.connection)
        trackingSettings = settings
        tracking = ChangeRecorder(access, settings, origin: origin, firstRoot: nextRoot, digestKey: identity.digestKey)
    }

    /// Notes which numbers the log of changes must have.
    func setMark(_ mark: ChangeLogMark) throws {
        trackingSettings.mark = mark
        try trackingSettings.storeNext(access.connection)
    }

    /// Notes for observers that rows of a module's tables may have changed.
    func noteChange(of tables: [String]) { record?.touch(tablesOfModule: tables) }

    /// What the write has done to resources so far, for the modules that take part in it.
    var written: [WrittenResource] { record?.written ?? [] }

    /// What observers are to know of the write, once it is committed; nil if it changed nothing.
    var notice: CommitNotice? {
        let changesCatalog = access.schema.version != catalogVersion
        if let record { return record.notice(changesCatalog: changesCatalog) }
        return changesCatalog || access.connection.totalChanges != changesBefore ? .unknown : nil
    }

    /// Ends the transaction with its changes.
    ///
    /// The store's bookkeeping is written only here: if the cache has already moved a page to the write-ahead log, writing it again
    /// makes SQLite read and write all later frames for their checksums, a tenth of a large write.
    func commit() throws {
        if let brokenBy { throw brokenBy }
        if hasGrown { try access.schema.noteModel(access.connection) }
        let reserved = try reservedRoots.using(upTo: nextRoot, access)
        if let tracking, tracking.hasWritten {
            trackingSettings.next = tracking.next
            trackingSettings.mark?.add(try tracking.holes())
            try trackingSettings.storeNext(access.connection)
        }
        if access.connection.totalChanges != changesBefore {
            try noteUnknownPayloads()
            if access.connection.fileHasMoved { throw FHIRStoreError.fileHasMoved }
        }
        try access.commit()
        reservedRoots = reserved
    }

    func rollback() {
        reservedRoots = ReservedRoots()
        clearQueue()
        access.rollback()
        access.forget()
    }

    func grow() throws {
        if try access.schema.grow(access.connection) { hasGrown = true }
    }

    /// Creates the tables and columns that plans name and the file does not have.
    func createTables() throws { try atomically([]) { try grow() } }

    /// Creates the tables and columns that resources need, so that storing them in many writes changes the catalog once: SQLite reads all
    /// of it again for each column that is added.
    ///
    /// - Returns: whether any were missing.
    func grow(for resources: [FHIRResource]) throws -> Bool {
        let changes = access.schema.changes
        try atomically([]) {
            for resource in resources {
                _ = try flattener.add(resource, as: 0, numbering: .fresh, marksManaged: false)
                flattener.clear()
            }
            try grow()
        }
        return access.schema.changes != changes
    }
}
