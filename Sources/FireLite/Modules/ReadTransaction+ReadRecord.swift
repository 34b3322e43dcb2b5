import FireLiteCore

extension FHIRStore {
    /// Runs a read or write with a record of what it hands out, if a module keeps one, and passes on what is left in it at the end.
    func recordingReads<Value>(_ body: (ReadRecord?) throws -> Value) throws -> Value {
        guard let witness = participants.readWitness else { return try body(nil) }
        let record = ReadRecord()
        let result = Result { try body(record) }
        if !record.items.isEmpty { try witness.didRead(record, in: self) }
        return try result.get()
    }
}

extension ReadTransaction {
    /// Notes for observers which tables a statement reads, and for the record of reads the types that they belong to.
    func noteTables(of sql: String) {
        guard notesTables else { return }
        note(store.statementTables.tables(of: sql, access.connection))
    }

    /// Whether anybody wants to know which tables are read.
    var notesTables: Bool { access.region != nil || reads != nil }

    private func note(_ tables: Set<String>?) {
        access.region?.insert(tables: tables)
        guard let reads else { return }
        for table in tables ?? [] {
            let type = FullTextIndex.type(ofTable: table) ?? String(table.prefix { $0 != "_" })
            if !type.isEmpty, store.release.resourceLayout(named: type) != nil { reads.note(rowsOf: type) }
        }
    }

    /// Notes that content was handed out by another way than as a stored resource.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type; nil if it is no resource.
    ///   - id: what is handed out.
    ///   - version: the revision of the resource; nil if it has none.
    package func noteRead(_ typeName: String?, id: String?, version: Int64? = nil) { reads?.note(typeName, id: id, version: version) }

    /// Runs several calls that are one to whoever makes it, for the record of what they hand out.
    package func asOneCall<Value>(_ calls: () throws -> Value) rethrows -> Value {
        try reads?.collecting(isWhole: true, calls) ?? calls()
    }

    /// Runs `body` without a record of what it reads.
    package func withoutRecord<Value>(_ body: () throws -> Value) rethrows -> Value { try reads?.paused(body) ?? body() }

    /// The record of what is handed out; nil if no module keeps one.
    package var readRecord: ReadRecord? { reads }
}

extension FHIRStore {
    /// The revision that a stored object was read or written with; nil for any other.
    package static func revision(of resource: FHIRResource) -> Int64? { (resource.objectExtras as? StoreTie)?.revision }
}
