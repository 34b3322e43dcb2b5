import FireLiteSQLiteBridge

extension StorageSchema {
    /// Whether the file has a module's tables in the definitions of this version.
    func hasDefinitions(of module: ModuleTables) -> Bool {
        knownModules.contains(module.id) || module.tables.allSatisfy { moduleDefinitions[$0.name] == $0.creation }
    }

    /// Whether the file has a module's tables, as the module defines them.
    ///
    /// - Parameter isWrite: whether tables that the module's version adds can be created.
    /// - Throws: `FHIRStoreError`: `newerFormat` if a later version of the module has written them, `olderFormat` if an earlier one has and
    ///   they cannot be extended now, `notAStore` if the definitions are not the module's; `SQLiteError`.
    func hasTables(of module: ModuleTables, isWrite: Bool, _ connection: Connection) throws -> Bool {
        if knownModules.contains(module.id) { return true }
        let found = module.tables.filter { moduleDefinitions[$0.name] != nil }
        guard !found.isEmpty else {
            try requireNeverUsed(module, connection)
            return false
        }
        let version = try ModuleRecord.all(connection).first { $0.module == module.module }?.version ?? 0
        guard version <= module.version else {
            throw FHIRStoreError(
                .newerFormat,
                "\(connection.path): the tables of \(module.module) have version \(version) and this version knows up to \(module.version): update FireLite"
            )
        }
        guard version > 0, found.allSatisfy({ moduleDefinitions[$0.name] == $0.creation }) else {
            throw CatalogText.refusal(connection.path, "the tables of \(module.module) were not written by this library")
        }
        if found.count == module.tables.count {
            noteKnown(module.id)
            return true
        }
        guard version < module.version else {
            throw CatalogText.refusal(connection.path, "a table of \(module.module) is missing")
        }
        guard !isWrite else { return false }
        throw FHIRStoreError(
            .olderFormat,
            "\(connection.path): the tables of \(module.module) have version \(version), which is upgraded to \(module.version) by the first write to them"
        )
    }

    /// Checks that a file without a module's tables never had them: tables that were lost must not look like tables that were never written.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if `_meta` names them; `SQLiteError`.
    private func requireNeverUsed(_ module: ModuleTables, _ connection: Connection) throws {
        if absentModules.contains(module.id) { return }
        if let record = try ModuleRecord.all(connection).first(where: { $0.module == module.module }), !record.tables.isEmpty {
            throw CatalogText.refusal(connection.path, "the tables of \(module.module) are missing")
        }
        noteAbsent(module.id)
    }

    /// Creates the tables of a module that the file lacks.
    ///
    /// - Throws: `SQLiteError`; `FHIRStoreError`.
    func create(_ module: ModuleTables, _ connection: Connection) throws {
        for table in module.tables where moduleDefinitions[table.name] == nil {
            try connection.run(table.creation)
            for index in table.indexes { try connection.run(table.creation(of: index)) }
        }
        try ModuleRecord(module).store(connection)
        try refresh(connection)
    }
}
