import FireLiteCore
import FireLiteSQLiteBridge

extension StoreWriter {
    /// Runs `body` while references replace the payloads of a resource that are kept apart; without a keeper, it just runs it.
    ///
    /// The caller has no rows of the resource in the queue yet: the keeper may run statements.
    @inline(__always)
    func apart<Value>(_ resource: FHIRResource, _ body: (DetachedPayloads?) throws -> Value) throws -> Value {
        guard let keeper, let transaction, let detached = try keeper.detach(from: resource, transaction) else { return try body(nil) }
        defer { detached.restore() }
        return try body(detached)
    }

    /// Notes for the keeper which payloads a resource refers to now.
    func note(_ detached: DetachedPayloads?, ofResource root: Int64, isNew: Bool) throws {
        guard let keeper, let transaction, !isNew || detached != nil else { return }
        try keeper.note(detached?.payloads ?? [], ofResource: root, isNew: isNew, keepsVersions: nextTracked != nil, transaction)
    }

    /// Notes in the file that this write may have changed which payloads resources refer to, if nothing here knows.
    func noteUnknownPayloads() throws {
        guard keeper == nil, access.schema.moduleDefinitions[PayloadKeeping.referenceTable] != nil else { return }
        let statement = try access.connection.cached("INSERT OR IGNORE INTO _meta(key, value) VALUES (?, '1')")
        statement.bind(1, PayloadKeeping.incompleteKey)
        try statement.run()
    }

    // MARK: - Moving

    /// Moves the payloads of a stored resource out of its rows, or back into them, without a change of the resource.
    ///
    /// - Returns: whether anything moved.
    func movePayloads(ofResource root: Int64, apart movesApart: Bool, by mover: any PayloadKeeper) throws -> Bool {
        try writeQueue()
        let own = keeper
        keeper = mover
        defer { keeper = own }
        guard let transaction, let registration = try access.registry.registration(root: root),
            let stored = try access.reader.resource(registration)
        else { return false }
        guard !movesApart else {
            return try apart(stored) { detached in
                guard let detached, detached.hasTexts else { return false }
                try replaceRows(registration, with: stored)
                try note(detached, ofResource: root, isNew: false)
                return true
            }
        }
        let whole = try mover.whole(stored, transaction)
        guard whole !== stored else { return false }
        try replaceRows(registration, with: whole)
        try note(nil, ofResource: root, isNew: false)
        return true
    }

    /// Writes the rows of a stored resource whose texts are kept in another way now.
    private func replaceRows(_ registration: Registration, with resource: FHIRResource) throws {
        defer { flattener.clear() }
        guard let shape = try access.registry.shape(registration.shape) else { return }
        _ = try flattener.add(resource, as: 0, numbering: .fresh, marksManaged: false, takesOver: true)
        var stored = RowBuffer(linksTables: false)
        try access.reader.rows(root: registration.root, shape: shape, into: &stored)
        var nextNode = registration.nodes
        var diff = RowDiff(access, notes: .nothing)
        try diff.apply(&flattener.buffer, over: &stored, root: registration.root, byNumber: false, nextNode: &nextNode)
        let digest = ContentDigest.digest(of: resource, key: identity.digestKey)
        try access.registry.setDigest(digest, root: registration.root)
    }
}
