import FireLiteCore
import FireLiteSQLiteBridge

/// The registry's part in statements of other types. See Sources/FireLite/FireLite.docc/FileFormat.md.
extension Registry {
    static let tables = ["_resource", "_shape"]

    /// The script that creates the registry's tables in a new file.
    static let creation: StaticString = """
        CREATE TABLE _resource(root INTEGER PRIMARY KEY, shape INTEGER, revision INTEGER, updated INTEGER, nodes INTEGER,
          digest BLOB, pk TEXT);
        CREATE UNIQUE INDEX _resource__pk ON _resource(pk) WHERE pk IS NOT NULL;
        CREATE TABLE _shape(shape INTEGER PRIMARY KEY, type TEXT, tables TEXT UNIQUE);
        """

    /// A subquery for the pk that the resource with a number was given.
    static func givenPK(ofRoot root: SQLFragment) -> SQLFragment { "(SELECT q.pk FROM _resource q WHERE q.root = \(root))" }

    /// A subquery for the number of the resource that was given a pk.
    static func root(ofGivenPK pk: SQLFragment) -> SQLFragment { "(SELECT q.root FROM _resource q WHERE q.pk = \(pk))" }

    /// A subquery for the number of the resource with a number, if it was given no pk.
    static func root(withoutPK root: SQLFragment) -> SQLFragment {
        "(SELECT q.root FROM _resource q WHERE q.root = \(root) AND q.pk IS NULL)"
    }

    // MARK: - Damaged files

    /// Goes through the readable registrations.
    static func scan(
        _ connection: Connection, numbers: ClosedRange<Int64>, budget: TolerantScan.Budget, body: (Registration) -> Void
    ) throws -> TolerantScan {
        var scan = TolerantScan(
            connection, "SELECT root, shape, revision, nodes, digest, pk FROM _resource NOT INDEXED", key: "root", budget: budget)
        try scan.run(numbers) { row in
            body(
                Registration(
                    root: row.int(0), shape: row.int(1), revision: row.int(2), nodes: UInt32(truncatingIfNeeded: row.int(3)),
                    digest: row.bytes16(4), pk: row.text(5)))
        }
        return scan
    }

    /// The type of the resources with that shape; nil if there is none.
    func typeName(ofShape shape: Int64) throws -> String? {
        let statement = try connection.cached("SELECT type FROM _shape WHERE shape = ?")
        defer { statement.reset() }
        statement.bind(1, shape)
        return try statement.step() ? statement.text(0) : nil
    }

    /// What resources are called apart from their ids.
    struct Name {
        let root: Int64
        let typeName: String
        /// The pk that it was given.
        let pk: String?
    }

    private static let namesTogether = 16
    private static let numbers = "(\(Array(repeating: "?", count: namesTogether).joined(separator: ", ")))"
    private static let selectNames =
        "SELECT root, type, _resource.pk FROM _resource JOIN _shape ON _shape.shape = _resource.shape WHERE root IN \(numbers)"

    /// What the registered ones of these resources are called.
    func names(ofRoots roots: [Int64]) throws -> [Name] {
        var names: [Name] = []
        names.reserveCapacity(roots.count)
        try forEachRow(of: connection.cached(Self.selectNames), roots) { row in
            names.append(Name(root: row.int(0), typeName: row.text(1) ?? "", pk: row.text(2)))
        }
        return names
    }

    /// The logical ids of resources of a type that have one, by number.
    func ids(of table: TablePlan, roots: [Int64]) throws -> [Int64: String] {
        guard table.isInFile else {
            try schema.requireWhole(table, connection)
            return [:]
        }
        var ids: [Int64: String] = [:]
        let statement = try connection.cached(
            "SELECT \(RowKey.root(ofSQL: "_k")), id FROM \(table.quotedName) WHERE _k IN \(Self.numbers) AND _parent IS NULL")
        try forEachRow(of: statement, roots.map { RowKey.key($0) }) { row in ids[row.int(0)] = row.text(1) }
        return ids
    }

    /// Runs a statement for so many numbers at a time.
    private func forEachRow(of statement: Statement, _ numbers: [Int64], _ body: (Statement) -> Void) throws {
        defer { statement.reset() }
        for start in stride(from: 0, to: numbers.count, by: Self.namesTogether) {
            statement.reset()
            for place in 0..<Self.namesTogether {
                if start + place < numbers.count {
                    statement.bind(place + 1, numbers[start + place])
                } else {
                    statement.bindNull(place + 1)
                }
            }
            while try statement.step() { body(statement) }
        }
    }

    // MARK: - Counts

    /// The number of registered resources.
    static func count(_ connection: Connection) throws -> Int { Int(try connection.integer("SELECT count(*) FROM _resource") ?? 0) }

    /// The greatest number of a registered resource; 0 if there is none.
    static func greatestRoot(_ connection: Connection) throws -> Int64 {
        let statement = try connection.cached("SELECT max(root) FROM _resource")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// Whether resources have rows in the table with this name. The shapes of deleted resources stay, so they do not tell.
    func hasRows(inTable name: String) throws -> Bool {
        let statement = try connection.cached("SELECT 1 FROM _shape WHERE instr(' ' || tables || ' ', ' ' || ? || ' ') > 0")
        statement.bind(1, name)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        return try connection.integer("SELECT 1 FROM \(quoted(name)) LIMIT 1") == 1
    }

    /// The number of rows of a table that belong to no registered resource.
    func unregisteredRows(of table: TablePlan) throws -> Int64 {
        try connection.integer(
            "SELECT count(*) FROM \(table.quotedName) WHERE \(RowKey.root(ofSQL: "_k")) NOT IN (SELECT root FROM _resource)") ?? 0
    }

    /// The numbers of the shapes that resources have.
    static func usedShapes(_ connection: Connection) throws -> [Int64] {
        let statement = try connection.prepare("SELECT DISTINCT shape FROM _resource")
        var shapes: [Int64] = []
        while try statement.step() { shapes.append(statement.int(0)) }
        return shapes
    }

    /// Calls `body` with the number, the type and the tables, separated by blanks, of each shape.
    static func forEachShape(_ connection: Connection, _ body: (Int64, String, String) -> Void) throws {
        let statement = try connection.cached("SELECT shape, type, tables FROM _shape")
        defer { statement.reset() }
        while try statement.step() { body(statement.int(0), statement.text(1) ?? "", statement.text(2) ?? "") }
    }

    /// The numbers of the resources with one of these shapes, in their order.
    func roots(withShapes shapes: [Int64]) throws -> [Int64] {
        let list = shapes.map { "\($0)" }.joined(separator: ",")
        let statement = try connection.prepare("SELECT root FROM _resource WHERE shape IN (\(list)) ORDER BY root")
        var roots: [Int64] = []
        while try statement.step() { roots.append(statement.int(0)) }
        return roots
    }

    /// The number of resources with rows in a table but none of these shapes, and of those with one of the shapes but no row in it.
    func disagreements(with table: TablePlan, shapes: [Int64]) throws -> (unlisted: Int64, missing: Int64) {
        let list = shapes.map { "\($0)" }.joined(separator: ",")
        let unlisted = try connection.integer(
            """
            SELECT count(*) FROM (SELECT DISTINCT \(RowKey.root(ofSQL: "_k")) AS root FROM \(table.quotedName)) JOIN _resource USING (root)
            WHERE shape NOT IN (\(list))
            """)
        let missing = try connection.integer(
            """
            SELECT count(*) FROM _resource WHERE shape IN (\(list)) AND NOT EXISTS
            (SELECT 1 FROM \(table.quotedName) WHERE _k BETWEEN \(RowKey.key(ofSQL: "root")) AND \(RowKey.last(ofSQL: "root")))
            """)
        return (unlisted ?? 0, missing ?? 0)
    }

    /// The number of resources with this shape that have no row of their own in the table of its type.
    func resources(withShape shape: Int64, notIn table: TablePlan) throws -> Int64 {
        try connection.integer(
            """
            SELECT count(*) FROM _resource WHERE shape = \(shape) AND NOT EXISTS
            (SELECT 1 FROM \(table.quotedName) WHERE _k = \(RowKey.key(ofSQL: "root")))
            """) ?? 0
    }

    /// The number of resources with a missing shape.
    func resourcesWithoutShape() throws -> Int64 {
        try connection.integer("SELECT count(*) FROM _resource WHERE shape NOT IN (SELECT shape FROM _shape)") ?? 0
    }
}
