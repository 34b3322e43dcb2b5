import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    private var declared: DeclaredIndexes { DeclaredIndexes(schema: access.schema, connection: access.connection) }

    /// The table and column at the end of a path, whether they exist or not.
    private func place(_ path: QueryPath, _ layout: Layout) throws -> (table: TablePlan, column: String) {
        var group = access.schema.table(of: layout).root
        for (index, step) in path.steps.enumerated() {
            guard step.kind == .element, step.position == nil else {
                throw FHIRStoreError(
                    .invalidArgument,
                    "an index covers all positions of a list, and elements of the type itself: remove the position or type from the path")
            }
            let element = group.layout.elements[step.slot]
            let isLast = index == path.steps.count - 1
            if element.kind == .primitive {
                guard isLast else { break }
                return element.isList ? (access.schema.child(of: group, step.slot), "value") : (group.table, group.prefix + element.name)
            }
            group = element.isList ? access.schema.child(of: group, step.slot).root : access.schema.group(group, step.slot)
        }
        throw FHIRStoreError(.invalidArgument, "an index is on primitives: name a primitive element of the complex one")
    }

    private func declaration(_ paths: [QueryPath], _ layout: Layout) throws -> DeclaredIndexes.Declaration {
        let places = try paths.map { try place($0, layout) }
        guard let table = places.first?.table, places.allSatisfy({ $0.table === table }) else {
            throw FHIRStoreError(.invalidArgument, "an index over several paths needs all of them in one row, without a list between them")
        }
        let columns = places.map(\.column)
        return DeclaredIndexes.Declaration(
            name: DeclaredIndexes.name(table, columns), kind: .values, type: layout.name, table: table.name, columns: columns)
    }

    func createIndex(_ paths: [QueryPath], _ layout: Layout, _ progress: IndexProgressHandler?) throws -> StoreIndex {
        let declaration = try declaration(paths, layout)
        try declared.declare(declaration)
        try build([declaration], progress)
        return try index(declaration)
    }

    func createIndexes(_ set: StoreIndexSet, _ layout: Layout?, _ progress: IndexProgressHandler?) throws {
        guard StoreIndexSet.known.contains(set) else {
            throw FHIRStoreError(.invalidArgument, "unknown set of indexes '\(set.rawValue)': use a member of StoreIndexSet")
        }
        let declaration = DeclaredIndexes.Declaration(
            name: Self.name(set, layout), kind: .set, type: layout?.name ?? "", table: "", columns: [set.rawValue])
        try declared.declare(declaration)
        try build([declaration], progress)
    }

    private static func name(_ set: StoreIndexSet, _ layout: Layout?) -> String { "\(layout?.name ?? "*")__\(set.rawValue)" }

    private func build(_ declarations: [DeclaredIndexes.Declaration], _ progress: IndexProgressHandler?) throws {
        let known = try declared.built()
        let builds = declarations.flatMap { declared.builds($0, on: access.schema.tables) }.filter { !known.contains($0.name) }
        for (number, build) in builds.enumerated() {
            let meter = IndexMeter(build.name, number, builds.count, progress)
            if progress != nil { meter.rows = try rows(build.table) }
            try access.connection.withProgress(every: IndexMeter.steps, { meter.step() }) { try access.connection.run(build.sql) }
        }
        if !builds.isEmpty { try noteGrowth() }
    }

    private func rows(_ table: TablePlan) throws -> Int {
        Int(try access.connection.integer("SELECT count(*) FROM \(table.quotedName)") ?? 0)
    }

    private func noteGrowth() throws { access.schema.version = try access.connection.integer("PRAGMA schema_version") ?? 0 }

    // MARK: - Full text

    func createFullTextIndex(_ paths: [QueryPath], _ layout: Layout) throws {
        let index = FullTextIndex(type: layout.name, connection: access.connection)
        try index.drop(access.schema.tables)
        for known in try declared.declarations() where known.kind == .fullText && known.type == layout.name {
            try declared.withdraw(known.name)
        }
        try index.create()
        var columns: [(table: TablePlan, columns: [String])] = []
        for path in paths {
            let place = try place(path, layout)
            if let position = columns.firstIndex(where: { $0.table === place.table }) {
                columns[position].columns.append(place.column)
            } else {
                columns.append((place.table, [place.column]))
            }
        }
        for (table, columns) in columns {
            try declared.declare(
                DeclaredIndexes.Declaration(
                    name: "\(index.name)__\(table.name)", kind: .fullText, type: layout.name, table: table.name, columns: columns))
            try index.watch(table, columns)
            try index.fill(table, columns)
        }
        try noteGrowth()
    }

    func dropFullTextIndex(_ layout: Layout) throws {
        try FullTextIndex(type: layout.name, connection: access.connection).drop(access.schema.tables)
        for known in try declared.declarations() where known.kind == .fullText && known.type == layout.name {
            try declared.withdraw(known.name)
        }
        try noteGrowth()
    }

    // MARK: - Dropping

    func dropIndex(_ paths: [QueryPath], _ layout: Layout) throws { try drop(declaration(paths, layout)) }

    func dropIndexes(_ set: StoreIndexSet, _ layout: Layout?) throws {
        let name = Self.name(set, layout)
        guard let declaration = try declared.declarations().first(where: { $0.name == name }) else { return }
        try drop(declaration)
    }

    /// Returns false if no index has the name. A full-text index loses the declarations of all its tables.
    func dropIndex(named name: String) throws -> Bool {
        guard let declaration = try declared.declarations().first(where: { $0.name == name }) else { return false }
        if declaration.kind == .fullText {
            guard let type = access.schema.release.resourceType(named: declaration.type) else { return false }
            try dropFullTextIndex(type._layout)
        } else {
            try drop(declaration)
        }
        return true
    }

    private func drop(_ declaration: DeclaredIndexes.Declaration) throws {
        let tables = access.schema.tables
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

/// Called with the progress of building indexes; returning false cancels it with the error `interrupted` and rolls back.
public typealias IndexProgressHandler = (IndexProgress) -> Bool

/// Estimates the progress of an index from the steps of SQLite's virtual machine.
private final class IndexMeter {
    static let steps: Int32 = 100_000
    /// About the number of steps for a row: to read it, sort it, and insert it in the index.
    private static let stepsPerRow = 12.0

    private let name: String
    private let number: Int
    private let total: Int
    private let handler: IndexProgressHandler?
    var rows = 0
    private var taken = 0.0

    init(_ name: String, _ number: Int, _ total: Int, _ handler: IndexProgressHandler?) {
        (self.name, self.number, self.total, self.handler) = (name, number, total, handler)
    }

    func step() -> Bool {
        guard let handler else { return true }
        taken += Double(Self.steps)
        let share = min(taken / (Double(max(rows, 1)) * Self.stepsPerRow), 0.99)
        return handler(IndexProgress(name: name, finished: number, total: total, fraction: (Double(number) + share) / Double(total)))
    }
}
