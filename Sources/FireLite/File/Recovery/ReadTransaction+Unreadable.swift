import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// Calls `body` with every readable resource of a type, in the order they were stored, and `unreadable` with every other: those whose
    /// rows are damaged, have changed since they were stored, or belong to an element that this version of the classes does not know.
    ///
    /// Memory holds one resource at a time. If parts of the type's own table cannot be read, their resources are listed from the registry;
    /// if that cannot be read either, they are listed as a range.
    /// - Throws: `FHIRStoreError.invalidArgument` for a name that is not a resource type of the release; errors of `body` and `unreadable`.
    public func forEach(
        typeName: String, unreadable: (UnreadableResource) throws -> Void, _ body: (FHIRResource) throws -> Void
    ) throws {
        requireActive()
        let table = try table(ofTypeNamed: typeName)
        try perform {
            // Both are called before this returns.
            try withoutActuallyEscaping(unreadable) { unreadable in
                try withoutActuallyEscaping(body) { body in
                    try TolerantPass(transaction: self, table: table, unreadable: unreadable, body: body).run()
                }
            }
        }
    }

    /// The names of the resource types that have a table in the file, readable or not.
    package var storedTypeNames: [String] {
        get throws {
            let lost = try access.schema.lostTables(access.connection).shapes.values.map(\.type)
            return Set(access.schema.storedTables.filter(\.isResource).map(\.name) + lost).sorted()
        }
    }
}

/// Goes through the resources of a type and skips unreadable ones.
private struct TolerantPass {
    let transaction: ReadTransaction
    let table: TablePlan
    let unreadable: (UnreadableResource) throws -> Void
    let body: (FHIRResource) throws -> Void

    private var access: StoreConnection { transaction.access }

    /// An error of the body, which never counts as damage.
    private struct BodyError: Error {
        let error: any Error
    }

    func run() throws {
        do {
            guard table.isInFile else { return try listLost() }
            var last: Int64 = -1
            while true {
                let batch: [Registration]
                do {
                    batch = try transaction.registrations(of: table, after: last)
                } catch  where Self.isDamage(error) {
                    return try takeRows(from: last + 1)
                }
                guard let end = batch.last else { return }
                try take(batch)
                last = end.root
            }
        } catch let error as BodyError {
            throw error.error
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as FHIRStoreError: [.notAStore, .newerFormat].contains(error.code)
        default: false
        }
    }

    /// Lists the resources of a type whose own table another program has dropped.
    private func listLost() throws {
        let shapes = try access.schema.lostTables(access.connection).shapes.filter { $0.value.type == table.name }.map(\.key)
        guard !shapes.isEmpty else { return }
        for root in try access.registry.roots(withShapes: shapes) { try list(root, Self.lostRows([table])) }
    }

    private static func lostRows(_ tables: [TablePlan]) -> String {
        "it had rows in a table that another program has dropped: \(tables.map(\.name).joined(separator: ", "))"
    }

    private func give(_ resource: FHIRResource) throws {
        transaction.objects?.hold(resource)
        do { try body(resource) } catch { throw BodyError(error: error) }
    }

    private func list(_ root: Int64, _ reason: String) throws {
        let resource = UnreadableResource(typeName: table.name, id: try id(root), number: root, reason: reason)
        do { try unreadable(resource) } catch { throw BodyError(error: error) }
    }

    private func id(_ root: Int64) throws -> String? {
        guard table.hasInFile(["id"]) else { return nil }
        do {
            let statement = try access.connection.cached("SELECT id FROM \(table.quotedName) NOT INDEXED WHERE _k = ?")
            defer { statement.reset() }
            statement.bind(1, RowKey.key(root))
            return try statement.step() ? statement.text(0) : nil
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    // MARK: - One after the other

    private func take(_ batch: [Registration]) throws {
        // The body of a write may change resources that are still to be read.
        if transaction.objects != nil {
            for registration in batch { try take(registration.root) }
            return
        }
        var count = 0
        do {
            try transaction.loader.forEach(batch) { resource in
                count += 1
                try give(resource)
            }
        } catch  where Self.isDamage(error) {
            // The cursors may have met the damage when looking ahead from a sound resource.
            for registration in batch.dropFirst(count) { try take(registration) }
        }
    }

    private func take(_ root: Int64) throws {
        if let known = transaction.objects?[root] { return try give(known) }
        do {
            // The body may have deleted it.
            guard let registration = try access.registry.registration(root: root) else { return }
            try take(registration)
        } catch let error as SQLiteError where error.isDamage {
            try list(root, "its registration cannot be read")
        }
    }

    private func take(_ registration: Registration) throws {
        let root = registration.root
        let shape: Shape
        do {
            guard let found = try access.registry.shape(registration.shape, evenIfLost: true) else {
                return try list(root, "its list of tables is missing")
            }
            let lost = found.tables.filter { !$0.isInFile }
            guard lost.isEmpty else { return try list(root, Self.lostRows(lost)) }
            shape = found
        } catch let error as FHIRStoreError where error.code == .newerFormat {
            return try list(root, "it has rows in a table that this version of the classes does not know")
        } catch let error as SQLiteError where error.isDamage {
            return try list(root, "its list of tables cannot be read")
        }
        let (loaded, isWhole, _) = try access.reader.readTolerantly(root: root, shape)
        guard let resource = loaded else { return try list(root, try access.reader.reasonForDamage(root, shape)) }
        if transaction.store.verifiesContent || !isWhole {
            let digest = ContentDigest.digest(of: resource, key: transaction.store.identity.digestKey)
            guard digest == registration.digest else {
                return try list(root, isWhole ? ResourceReader.changedRows : try access.reader.reasonForDamage(root, shape))
            }
        }
        transaction.loader.tie(resource, registration)
        try give(resource)
    }

    // MARK: - Around damage in the type's own table

    /// Goes through the resources from a number on by the readable part of the table, and then by the registry for the others.
    private func takeRows(from first: Int64) throws {
        let last = try lastRoot()
        guard first <= last else { return }
        let budget = try TolerantScan.Budget(access.connection)
        var rows = TolerantScan(
            access.connection, "SELECT _k FROM \(table.quotedName) NOT INDEXED", key: "_k", condition: "AND _parent IS NULL",
            granule: RowKey.width, budget: budget)
        var roots: Set<Int64> = []
        try rows.run(RowKey.range(first...last)) { roots.insert(RowKey.root($0.int(0))) }
        for root in roots.sorted() {
            let registration: Registration?
            do {
                registration = try access.registry.registration(root: root)
            } catch let error as SQLiteError where error.isDamage {
                registration = nil
            }
            if let registration { try take(registration) } else { try list(root, "its registration cannot be read") }
        }
        for gap in rows.gaps { try listRegistered(RowKey.root(gap.lowerBound)...RowKey.root(gap.upperBound), besides: roots, budget) }
    }

    private func listRegistered(_ numbers: ClosedRange<Int64>, besides roots: Set<Int64>, _ budget: TolerantScan.Budget) throws {
        var registered: [Registration] = []
        let registry = try Registry.scan(access.connection, numbers: numbers, budget: budget) { registered.append($0) }
        for registration in registered.sorted(by: { $0.root < $1.root }) where !roots.contains(registration.root) {
            guard try typeName(ofShape: registration.shape).map({ $0 == table.name }) ?? true else { continue }
            try list(registration.root, "its own row cannot be read")
        }
        for gap in registry.gaps {
            let others = gap.count > 1 ? ", nor those of other resources up to number \(gap.upperBound)" : ""
            try list(gap.lowerBound, "neither its rows nor its registration can be read" + others)
        }
    }

    /// The type of the resources with that shape; nil if it cannot be read.
    private func typeName(ofShape shape: Int64) throws -> String? {
        do {
            return try access.registry.typeName(ofShape: shape)
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    private func lastRoot() throws -> Int64 {
        do {
            return try RootNumbers.next(access.connection).map { $0 - 1 } ?? RootNumbers.maximum
        } catch let error as SQLiteError where error.isDamage {
            return RootNumbers.maximum
        }
    }
}
