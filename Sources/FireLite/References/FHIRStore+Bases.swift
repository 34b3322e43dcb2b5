import FireLiteCore

extension FHIRStore {
    /// The base addresses under which this store's resources are known: those of its configuration, and those that the file keeps.
    ///
    /// A reference such as `https://example.org/fhir/Patient/1` leads to the store's `Patient/1` only if `https://example.org/fhir` is one of
    /// them. Under any other address `Patient/1` is somebody else's.
    ///
    /// - Throws: `FHIRStoreError`.
    public func bases() throws -> [String] { try read { try $0.bases() } }

    /// Adds a base address to those that the file keeps, if it is not one of them yet.
    ///
    /// - Parameter base: the address of a server whose resources this store holds, `https://example.org/fhir`.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for text that is no base address; `readOnly`.
    public func addBase(_ base: String) throws {
        let base = try BaseAddress.checked(base)
        if try read({ try LocalBases.stored($0.access.connection) }).contains(base) { return }
        try write { try $0.addBase(base) }
    }

    /// Removes a base address from those that the file keeps. References under it lead nowhere from then on.
    ///
    /// - Parameter base: the address.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for text that is no base address; `readOnly`.
    public func removeBase(_ base: String) throws { try write { try $0.removeBase(base) } }

    /// The base addresses under which this store's resources are known.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func bases() async throws -> [String] { try await reading { try self.bases() } }

    /// Adds a base address to those that the file keeps, if it is not one of them yet.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func addBase(_ base: String) async throws { try await writing { try self.addBase(base) } }

    /// Removes a base address from those that the file keeps.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func removeBase(_ base: String) async throws { try await writing { try self.removeBase(base) } }
}

extension ReadTransaction {
    /// The base addresses under which this store's resources are known: see `FHIRStore.bases()`.
    ///
    /// - Throws: `FHIRStoreError`.
    public func bases() throws -> [String] { try perform(observesRestriction: true) { try access.localBases().texts } }

    /// Runs `body` with one more base address, unless something is hidden from the transaction: a caller must not widen its own view.
    ///
    /// - Throws: errors of `body`.
    package func counting<Value>(asBase base: String?, _ body: () throws -> Value) rethrows -> Value {
        guard let base, restriction == nil else { return try body() }
        return try access.bases.with(base, body)
    }

    /// Runs `body` with the base address under which the owner of the store serves it, whatever is hidden: what a restriction hides goes by that address,
    /// too. Never for an address that a caller gives.
    package func served<Value>(under base: String, _ body: () throws -> Value) rethrows -> Value { try access.bases.with(base, body) }

    /// The stored resource that the text of a reference leads to: see `FHIRReference.resolve(in:)`. Nil for a contained one.
    ///
    /// - Parameter reference: the text of `Reference.reference`.
    /// - Throws: `FHIRStoreError`.
    public func resource(reference: String) throws -> FHIRResource? {
        let parts = ReferenceParts(reference)
        switch parts.form {
        case .relative, .absolute:
            guard let type = parts.type, let id = parts.id, store.release.hasResourceType(named: type) else { return nil }
            if parts.form == .absolute, try !parts.isLocal(bases()) { return nil }
            return try resource(typeName: type, id: id)
        case .uuid:
            guard let uuid = parts.id else { return nil }
            if let resource = try resource(pk: uuid) { return resource }
            for typeName in try counts().map(\.typeName) {
                if let resource = try resource(typeName: typeName, id: uuid) { return resource }
            }
            return nil
        case .contained, .oid, .other: return nil
        }
    }
}

extension WriteTransaction {
    /// Adds a base address to those that the file keeps, if it is not one of them yet: see `FHIRStore.bases()`.
    ///
    /// - Parameter base: the address of a server whose resources this store holds.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for text that is no base address.
    public func addBase(_ base: String) throws {
        let base = try BaseAddress.checked(base)
        try changeBases { if !$0.contains(base) { $0.append(base) } }
    }

    /// Removes a base address from those that the file keeps: see `FHIRStore.removeBase(_:)`.
    ///
    /// - Parameter base: the address.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for text that is no base address.
    public func removeBase(_ base: String) throws {
        let base = try BaseAddress.checked(base)
        try changeBases { bases in bases.removeAll { $0 == base } }
    }

    private func changeBases(_ change: (inout [String]) -> Void) throws {
        try perform {
            let before = try LocalBases.stored(access.connection)
            var bases = before
            change(&bases)
            guard bases != before else { return }
            noteChange(of: [LocalBases.observedName])
            try LocalBases.store(bases, access.connection)
            access.bases.forget()
        }
    }
}
