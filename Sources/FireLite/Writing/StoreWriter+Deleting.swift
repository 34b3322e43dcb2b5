import FireLiteSQLiteBridge

extension StoreWriter {
    /// Deletes a resource's rows in all its tables.
    ///
    /// - Returns: whether there was one with the number.
    /// - Throws: `FHIRStoreError.notAStore` if the file does not say which tables the rows are in.
    @discardableResult
    func delete(root: Int64) throws -> Bool {
        try writeQueue()
        guard let registration = try access.registry.registration(root: root) else { return false }
        let shape = try self.shape(of: registration)
        do {
            try delete(registration, shape)
        } catch {
            brokenBy = error
            throw error
        }
        return true
    }

    private func delete(_ registration: Registration, _ shape: Shape) throws {
        let root = registration.root
        if record != nil || tracking != nil, let type = try access.registry.typeName(ofShape: registration.shape),
            let table = access.schema.table(named: type)
        {
            try tracking?.willDelete(registration, table)
            if record != nil { record?.deleted(registration, id: try access.registry.id(of: table, root: root), table) }
            record?.touch(shape.tables)
        }
        for table in shape.tables { try table.deleteRows(RowKey.range(root), access.connection) }
        try access.registry.delete(root: root)
        try note(nil, ofResource: root, isNew: false)
    }
}
