import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// The resource as it was stored, opened if it is sealed and with the payloads that are kept apart from it: the same object if there is
    /// nothing to add, otherwise a copy.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if the file has references to payloads and this store object does not keep any;
    ///   `missingKey` and `wrongKey` if it is sealed and cannot be opened.
    package func whole(_ resource: FHIRResource) throws -> FHIRResource {
        let opened = try opened(resource)
        if let keeper = store.payloads.keeper { return try keeper.whole(opened, self) }
        // A reference must not pass for a payload.
        if try perform(observesRestriction: true, { try PayloadKeeping.isUsed(access.connection, access.schema) }) { try requirePayloads() }
        return opened
    }

    /// Refuses to pass on references instead of payloads.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` if resources refer to payloads and nothing on this store object can read them, `notAStore` if
    ///   the file has lost their table.
    package func requirePayloads() throws {
        guard store.payloads.keeper == nil else { return }
        // It hides nothing and shows nothing.
        try perform(observesRestriction: true) {
            let hasTable = access.schema.moduleDefinitions[PayloadKeeping.referenceTable] != nil
            guard try PayloadKeeping.isUsed(access.connection, access.schema) || PayloadKeeping.isIncomplete(access.connection),
                // That table may have lost rows, or be lost.
                try hasTable && access.connection.integer("SELECT 1 FROM \(PayloadKeeping.referenceTable) LIMIT 1") == 1
                    || PayloadColumns(access.connection, access.schema).hasReferences()
            else { return }
            // A file without any of the tables may be one whose payloads were lost before it was recovered.
            guard try hasTable || !PayloadKeeping.isUsed(access.connection, access.schema) else {
                throw FHIRStoreError(
                    .notAStore,
                    "\(store.path) keeps payloads of attachments apart, and has lost the table \(PayloadKeeping.referenceTable): recover it into a new file, or restore a backup"
                )
            }
            throw FHIRStoreError(
                .invalidArgument,
                "\(store.path) keeps payloads of attachments apart", remedy: .readPayloads)
        }
    }

    /// Whether a program without the keeper has written to the file since `notePayloadsComplete`, so that references may be missing.
    package var mayLackPayloadReferences: Bool {
        get throws {
            try perform(flushes: false) {
                try PayloadKeeping.isIncomplete(access.connection)
            }
        }
    }

    /// Why rows may no longer say everything that resources and their older versions refer to; nil if all of them are as they were stored.
    ///
    /// - Complexity: reads all resources and the change log.
    package func resourceDoubt() throws -> String? {
        try perform { try StoreCheck(access, digestKey: store.identity.digestKey, payloads: nil).resourceDoubt()?.text }
    }

    /// Whether the file has lost a table of resources, by its registry: then nothing knows what its rows referred to.
    package var hasLostTables: Bool {
        get throws { try perform(flushes: false) { try !access.schema.lostTables(access.connection).isEmpty } }
    }

    /// The numbers of the next resources of any type, in their order.
    package func resourceNumbers(after root: Int64, limit: Int) throws -> [Int64] {
        try perform(flushes: false) { try access.registry.registrations(after: root, limit: limit).map(\.root) }
    }

    /// The resource with that number, and what it is called in messages; nil if there is none.
    package func resource(number root: Int64) throws -> FHIRResource? { try perform { try loader.resource(root: root) } }

    /// The number of pages that this transaction's connection has read from the file so far.
    package var pagesRead: Int { access.connection.pagesRead }

    /// The number of a stored resource; nil for any other.
    package func number(of resource: FHIRResource) -> Int64? { (resource.objectExtras as? StoreTie)?.root }
}

extension WriteTransaction {
    /// Notes that the references to payloads are complete.
    package func notePayloadsComplete() throws {
        try perform(flushes: false) {
            let statement = try access.connection.cached("DELETE FROM _meta WHERE key = ?")
            statement.bind(1, PayloadKeeping.incompleteKey)
            try statement.run()
        }
    }

    /// Moves the payloads of a stored resource out of its rows, or back into them. Its revision stays, and observers, change log and history
    /// see no change.
    ///
    /// - Parameters:
    ///   - root: the number of the resource.
    ///   - apart: whether they move out of the rows.
    ///   - mover: the keeper that moves them.
    /// - Returns: whether anything moved.
    package func movePayloads(ofResource root: Int64, apart: Bool, by mover: any PayloadKeeper) throws -> Bool {
        try perform { try writer.movePayloads(ofResource: root, apart: apart, by: mover) }
    }
}
