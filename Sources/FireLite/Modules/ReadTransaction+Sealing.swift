import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// The whole resource if it is sealed, otherwise the same object.
    ///
    /// - Parameter resource: a stored resource, or a copy of it.
    /// - Throws: `FHIRStoreError`: `missingKey`, `wrongKey` if it is sealed and cannot be opened. What is in the clear would look like all of it.
    package func opened(_ resource: FHIRResource) throws -> FHIRResource {
        guard try hasSealedTable else { return resource }
        let type = resource.resourceType
        let found = try number(of: resource) ?? resource.id.flatMap { try registered(type, id: $0)?.root }
        guard let root = found, try isSealed(number: root) else { return resource }
        guard let sealer = store.sealing.sealer, sealer.hasKeys else { throw sealedError(type) }
        return try sealer.open(number: root, type, self)
    }

    /// Whether the stored resource with a type and id is sealed.
    package func isSealed(_ typeName: String, id: String) throws -> Bool {
        guard try hasSealedTable, let root = try registered(typeName, id: id)?.root else { return false }
        return try isSealed(number: root)
    }

    /// Whether resources of a type come in sealed: what seals says so, or some of the type are sealed already.
    package func sealsIncoming(_ typeName: String) throws -> Bool {
        if let sealer = store.sealing.sealer, sealer.hasKeys, try sealer.seals(typeName, self) { return true }
        guard try hasSealedTable else { return false }
        return try perform(flushes: false) {
            let statement = try access.connection.cached(
                """
                SELECT 1 FROM \(ContentSealing.contentTable) c JOIN _resource r ON r.root = c.owner JOIN _shape s USING (shape)
                WHERE s.type = ? LIMIT 1
                """)
            defer { statement.reset() }
            statement.bind(1, typeName)
            return try statement.step()
        }
    }

    /// The types of which resources are sealed that nobody can open, as no key is set; none otherwise.
    package func lockedTypes() throws -> Set<String> {
        if let sealer = store.sealing.sealer, sealer.hasKeys { return [] }
        guard try hasSealedTable else { return [] }
        return try perform(flushes: false) {
            let statement = try access.connection.cached(
                """
                SELECT DISTINCT s.type FROM \(ContentSealing.contentTable) c JOIN _resource r ON r.root = c.owner JOIN _shape s USING (shape)
                """)
            defer { statement.reset() }
            var types: Set<String> = []
            while try statement.step() { if let type = statement.text(0) { types.insert(type) } }
            return types
        }
    }

    /// Also in a restricted view, whose reader gets what it may see.
    private var hasSealedTable: Bool {
        get throws {
            try perform(flushes: false, observesRestriction: true) { access.schema.moduleDefinitions[ContentSealing.contentTable] != nil }
        }
    }

    private func isSealed(number root: Int64) throws -> Bool {
        try perform(flushes: false, observesRestriction: true) { try access.isSealed(root) }
    }

    func sealedError(_ what: String) -> FHIRStoreError {
        FHIRStoreError(
            .missingKey,
            "\(store.path): a \(what) is sealed, and no keyring is set", remedy: .giveKeyring
        )
    }
}

extension StoreConnection {
    /// Whether the content of the resource with a number is sealed.
    func isSealed(_ root: Int64) throws -> Bool {
        guard schema.moduleDefinitions[ContentSealing.contentTable] != nil else { return false }
        let statement = try connection.cached("SELECT 1 FROM \(ContentSealing.contentTable) WHERE owner = ?")
        defer { statement.reset() }
        statement.bind(1, root)
        return try statement.step()
    }
}

extension WriteTransaction {
    /// Stores those resources of an import or a sync that are sealed, by what seals them.
    ///
    /// - Returns: what became of them, and the indexes of the others.
    /// - Throws: `FHIRStoreError.missingKey` before anything is stored: their content must not be in the clear beside older sealed content.
    func storeSealed(_ resources: [FHIRResource], _ policy: UpsertPolicy) throws -> (counts: UpsertCounts, others: [Int]) {
        var types: [String: Bool] = [:]
        var sealed: [FHIRResource] = []
        var others: [Int] = []
        for (index, resource) in resources.enumerated() {
            let type = resource.resourceType
            let seals = try types[type] ?? sealsIncoming(type)
            types[type] = seals
            if seals { sealed.append(resource) } else { others.append(index) }
        }
        var counts = UpsertCounts()
        guard let first = sealed.first else { return (counts, others) }
        guard let sealer = store.sealing.sealer, sealer.hasKeys else { throw sealedError(first.resourceType) }
        for resource in sealed {
            switch try sealer.store(resource, policy, self) {
            case .added: counts.note(.added(0))
            case .updated: counts.note(.updated(0))
            case .unchanged: counts.note(.unchanged(0))
            case .older: counts.note(.older(0))
            }
        }
        return (counts, others)
    }

    /// Whether resources that come in may need a seal.
    var mayComeSealed: Bool {
        get throws {
            if let sealer = store.sealing.sealer, sealer.hasKeys { return true }
            return try perform(flushes: false) { access.schema.moduleDefinitions[ContentSealing.contentTable] != nil }
        }
    }

    /// Counts a stored resource as changed although its rows stay: its sealed content has changed. Its revision goes up, and observers, change log
    /// and history see a change.
    ///
    /// - Parameter root: the number of the resource.
    package func renew(number root: Int64) throws { try perform { try writer.renew(root: root) } }
}
