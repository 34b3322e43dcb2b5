import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    private var declared: DeclaredIndexes { DeclaredIndexes(schema: access.schema, connection: access.connection) }

    private func declaration(_ paths: [QueryPath], _ layout: Layout) throws -> DeclaredIndexes.Declaration {
        let places = try paths.map { try place($0, layout) }
        guard let table = places.first?.table, places.allSatisfy({ $0.table === table }) else {
            throw FHIRStoreError(.invalidArgument, "an index over several paths needs all of them in one row, without a list between them")
        }
        let columns = places.map(\.column)
        return DeclaredIndexes.Declaration(
            name: DeclaredIndexes.name(table, columns), kind: .values, type: layout.name, table: table.name, columns: columns)
    }

    func createIndex(_ paths: [QueryPath], _ layout: Layout, _ progress: StoreProgressHandler?) throws -> StoreIndex {
        let declaration = try declaration(paths, layout)
        try declared.declare(declaration)
        try build([declaration], progress)
        return try index(declaration)
    }

    func createCaselessIndex(_ path: QueryPath, _ layout: Layout, _ progress: StoreProgressHandler?) throws -> StoreIndex {
        let (table, column) = try place(path, layout)
        let declaration = DeclaredIndexes.Declaration(
            name: DeclaredIndexes.caselessName(table, column), kind: .caseless, type: layout.name, table: table.name, columns: [column])
        try declared.declare(declaration)
        try build([declaration], progress)
        return try index(declaration)
    }

    func createIndexes(_ set: StoreIndexSet, _ layout: Layout?, _ progress: StoreProgressHandler?) throws {
        guard StoreIndexSet.known.contains(set) else {
            throw FHIRStoreError(.invalidArgument, "unknown set of indexes '\(set.rawValue)': use a member of StoreIndexSet")
        }
        let declaration = DeclaredIndexes.Declaration(
            name: Self.name(set, layout), kind: .set, type: layout?.name ?? "", table: "", columns: [set.rawValue])
        try declared.declare(declaration)
        try build([declaration], progress)
    }

    private static func name(_ set: StoreIndexSet, _ layout: Layout?) -> String { "\(layout?.name ?? "*")__\(set.rawValue)" }

    private func build(_ declarations: [DeclaredIndexes.Declaration], _ progress: StoreProgressHandler?) throws {
        let known = try declared.built()
        let tables = access.schema.storedTables
        let builds = declarations.flatMap { declared.builds($0, on: tables) }.filter { !known.contains($0.name) }
        let meter = IndexMeter(access.connection, progress)
        if meter.isWanted { for build in builds { meter.total += try rows(build.table) } }
        for build in builds {
            try meter.measure(build.name, rows: meter.isWanted ? rows(build.table) : 0) { try access.connection.run(build.sql) }
        }
        if !builds.isEmpty { try noteGrowth() }
    }

    private func rows(_ table: TablePlan) throws -> Int {
        Int(try access.connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
    }

    private func noteGrowth() throws { try access.schema.noteChange(access.connection) }

    // MARK: - Full text

    func createFullTextIndex(_ paths: [QueryPath], _ layout: Layout, _ progress: StoreProgressHandler?) throws {
        let index = FullTextIndex(type: layout.name, connection: access.connection)
        let known = try declared.declarations().filter { $0.kind == .fullText && $0.type == layout.name }
        let wanted = try fullTextDeclarations(paths, layout)
        // The same texts are indexed already.
        if Set(known) == Set(wanted.map(\.declaration)), try declared.built().contains(index.name) { return }
        try index.drop(access.schema.storedTables)
        for known in known { try declared.withdraw(known.name) }
        try index.create()
        let meter = IndexMeter(access.connection, progress)
        if meter.isWanted { for (table, _) in wanted where table.isInFile { meter.total += try rows(table) } }
        for (table, declaration) in wanted {
            try declared.declare(declaration)
            try index.watch(table, declaration.columns)
            try meter.measure(index.name, rows: meter.isWanted && table.isInFile ? rows(table) : 0) {
                try index.fill(table, declaration.columns)
            }
        }
        try noteGrowth()
    }

    /// One declaration for each table with the paths' texts.
    private func fullTextDeclarations(
        _ paths: [QueryPath], _ layout: Layout
    ) throws -> [(table: TablePlan, declaration: DeclaredIndexes.Declaration)] {
        var columns: [(table: TablePlan, columns: [String])] = []
        for path in paths {
            let place = try place(path, layout)
            if let position = columns.firstIndex(where: { $0.table === place.table }) {
                columns[position].columns.append(place.column)
            } else {
                columns.append((place.table, [place.column]))
            }
        }
        return columns.map { table, columns in
            (
                table,
                DeclaredIndexes.Declaration(
                    name: "\(FullTextIndex.name(layout.name))__\(table.name)", kind: .fullText, type: layout.name, table: table.name,
                    columns: columns)
            )
        }
    }

    /// Returns false if the type has no full-text index.
    @discardableResult
    func dropFullTextIndex(_ layout: Layout) throws -> Bool {
        let known = try declared.declarations().filter { $0.kind == .fullText && $0.type == layout.name }
        try FullTextIndex(type: layout.name, connection: access.connection).drop(access.schema.storedTables)
        for declaration in known { try declared.withdraw(declaration.name) }
        try noteGrowth()
        return !known.isEmpty
    }

    // MARK: - Dropping

    /// Returns false if there is no index on the paths.
    @discardableResult
    func dropIndex(_ paths: [QueryPath], _ layout: Layout) throws -> Bool {
        let declaration = try declaration(paths, layout)
        let isKnown = try declared.declarations().contains { $0.name == declaration.name }
        try drop(declaration)
        return isKnown
    }

    /// Returns false if the set was not created for the type, or for all.
    @discardableResult
    func dropIndexes(_ set: StoreIndexSet, _ layout: Layout?) throws -> Bool {
        let name = Self.name(set, layout)
        guard let declaration = try declared.declarations().first(where: { $0.name == name }) else { return false }
        try drop(declaration)
        return true
    }

    /// Returns false if no index has the name. A full-text index loses the declarations of all its tables.
    func dropIndex(named name: String) throws -> Bool {
        guard let declaration = try declared.declarations().first(where: { $0.name == name }) else { return false }
        if declaration.kind == .fullText {
            guard let layout = access.schema.release.resourceLayout(named: declaration.type) else { return false }
            try dropFullTextIndex(layout)
        } else {
            try drop(declaration)
        }
        return true
    }

    private func drop(_ declaration: DeclaredIndexes.Declaration) throws {
        let tables = access.schema.storedTables
        let names = declaration.kind == .set ? declared.builds(declaration, on: tables).map(\.name) : [declaration.name]
        try declared.withdraw(declaration.name)
        // An index of another declaration stays.
        let kept = Set(try declared.declarations().flatMap { declared.builds($0, on: tables).map(\.name) })
        for name in names where !kept.contains(name) && !name.hasSuffix("__id") {
            try access.connection.run("DROP INDEX IF EXISTS \(quoted(name))")
        }
        try noteGrowth()
    }

    private func index(_ declaration: DeclaredIndexes.Declaration) throws -> StoreIndex {
        StoreIndex(declaration, isBuilt: try declared.built().contains(declaration.name))
    }
}

extension StoreIndex {
    init(_ declaration: DeclaredIndexes.Declaration, isBuilt: Bool) {
        self.init(
            name: declaration.name, kind: declaration.kind, typeName: declaration.type.isEmpty ? nil : declaration.type,
            table: declaration.table.isEmpty ? nil : declaration.table, columns: declaration.columns, isBuilt: isBuilt)
    }
}
