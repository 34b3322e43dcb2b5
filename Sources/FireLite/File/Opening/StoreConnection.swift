import FireLiteCore
import FireLiteSQLiteBridge

/// One connection to the store's file, with what it knows of the file's tables. Used by one thread at a time.
final class StoreConnection {
    let connection: Connection
    /// The file, where it is read without locks and may change all the same.
    var stillFile: StillFile?
    let schema: StorageSchema
    @exclusivity(unchecked) private var assembler: ResourceAssembler
    /// The tables of each shape, owners first.
    private var shapes: [Int64: Shape] = [:]
    private var shapesByMark: [UInt64: Shape] = [:]
    /// Shapes that are read with one statement, and how often the schema had changed when the first was compiled.
    private(set) var shapesWithReader: [Shape] = []
    private var schemaChanges = 0
    let queries = QueryCache()
    /// How many rows were read to put resources together, with those that were only passed over.
    @exclusivity(unchecked) private(set) var rowsRead = 0
    /// The ids of the look-up that runs.
    private let idMemory = UnsafeMutablePointer<UInt8>.allocate(capacity: lookupGroup * maximumID)
    /// FHIR's limit for the length of an id (<https://hl7.org/fhir/R4/datatypes.html#id>).
    private static let maximumID = 64
    private let beginStatement: Statement
    private let beginWriteStatement: Statement
    private let rollbackStatement: Statement

    /// The set of tables that a resource has rows in, and the type of the resource.
    final class Shape {
        let number: Int64
        let tables: [TablePlan]
        let mark: UInt64
        /// How many resources were read with a statement for each table.
        @exclusivity(unchecked) fileprivate var reads = 0
        /// Reads the tables with one statement.
        @exclusivity(unchecked) fileprivate var reader: ShapeReader?

        init(number: Int64, tables: [TablePlan]) {
            self.number = number
            self.tables = tables.sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }
            mark = tables.reduce(0) { $0 ^ $1.mark }
        }
    }

    /// What the store keeps of a resource beside its content.
    struct Registration {
        var root: Int64
        var shape: Int64
        var revision: Int64
        var nodes: UInt32
        var digest: (UInt64, UInt64)
        var pk: String?
    }

    init(_ connection: Connection, release: FHIRRelease) throws {
        self.connection = connection
        schema = try StorageSchema(release: release)
        assembler = ResourceAssembler(schema: schema)
        beginStatement = try connection.prepare("BEGIN")
        beginWriteStatement = try connection.prepare("BEGIN IMMEDIATE")
        // Compiled while all is well: where memory has run out there would be none to compile it.
        rollbackStatement = try connection.prepare("ROLLBACK")
    }

    deinit { idMemory.deallocate() }

    /// Begins a transaction and looks whether the file's tables have changed.
    func begin(isWrite: Bool = false) throws {
        if connection.isInTransaction { try rollbackStatement.run() }
        try (isWrite ? beginWriteStatement : beginStatement).run()
        do {
            try schema.refresh(connection)
        } catch {
            rollback()
            throw error
        }
    }

    func commit() throws { try connection.cached("COMMIT").run() }

    /// Ends the transaction without its changes. Does nothing where SQLite has done so already.
    func rollback() {
        guard connection.isInTransaction else { return }
        do {
            try rollbackStatement.run()
        } catch {
            // SQLite ends the transaction all the same where the disk failed. Where memory has run out it may not: it gets what the
            // connection can spare, and else the next transaction tries again.
            guard connection.isInTransaction else { return }
            connection.releaseMemory()
            do { try rollbackStatement.run() } catch { return }
        }
    }

    // MARK: - Registry

    static let registryColumns = ["root", "shape", "revision", "nodes", "digest", "pk"].map { "_resource.\($0)" }.joined(separator: ", ")

    private func registration(_ statement: Statement) throws -> Registration? {
        defer { statement.reset() }
        return try statement.step() ? Self.registration(ofRow: statement) : nil
    }

    private static func registration(ofRow statement: Statement) -> Registration {
        let row = statement.row
        return Registration(
            root: row.int(0), shape: row.int(1), revision: row.int(2), nodes: UInt32(truncatingIfNeeded: row.int(3)),
            digest: statement.bytes16(4), pk: row.text(5))
    }

    private var registrationByRoot: Statement?

    func registration(root: Int64) throws -> Registration? {
        let statement = try registrationByRoot ?? connection.prepare("SELECT \(Self.registryColumns) FROM _resource WHERE root = ?")
        registrationByRoot = statement
        statement.bind(1, root)
        return try registration(statement)
    }

    func registration(pk: String) throws -> Registration? {
        let statement = try connection.cached("SELECT \(Self.registryColumns) FROM _resource WHERE pk = ?")
        statement.bind(1, pk)
        return try registration(statement)
    }

    /// What is kept of the next resources by number.
    func registrations(after root: Int64, limit: Int) throws -> [Registration] {
        let statement = try connection.cached("SELECT \(Self.registryColumns) FROM _resource WHERE root > ? ORDER BY root LIMIT \(limit)")
        statement.bind(1, root)
        defer { statement.reset() }
        var registrations: [Registration] = []
        while try statement.step() { registrations.append(Self.registration(ofRow: statement)) }
        return registrations
    }

    /// The number of the first stored resource with this type and id, or nil.
    func root(of table: TablePlan, id: String) throws -> Int64? {
        guard table.isInFile else { return nil }
        let statement = try compiled(&table.statements.rootByID) {
            "SELECT _k FROM \(table.quotedName) WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1"
        }
        return try Self.run(statement, id: id) { try $0.step() ? $0.int(0) >> 24 : nil }
    }

    /// What is kept of the first stored resource with this type and id, or nil.
    func registration(of table: TablePlan, id: String) throws -> Registration? {
        guard table.isInFile else { return nil }
        let statement = try compiled(&table.statements.registrationByID) {
            """
            SELECT \(Self.registryColumns) FROM \(table.quotedName) CROSS JOIN _resource ON root = _k >> 24
            WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1
            """
        }
        return try Self.run(statement, id: id, registration)
    }

    /// How many ids one statement looks up.
    static let lookupGroup = 8

    /// What is kept of the first stored resource of a type with each of some ids, or nil.
    func registrations(of table: TablePlan, ids: [String]) throws -> [Registration?] {
        var found = [Registration?](repeating: nil, count: ids.count)
        guard table.isInFile else { return found }
        var next = 0
        while ids.count - next >= Self.lookupGroup {
            try registrations(of: table, into: &found, from: next) { number, statement in
                var id = ids[next + number]
                id.withUTF8 { bind(id: $0, number, of: statement) }
            }
            next += Self.lookupGroup
        }
        while next < ids.count {
            found[next] = try registration(of: table, id: ids[next])
            next += 1
        }
        return found
    }

    /// Looks up as many ids as `lookupGroup` says with one statement.
    ///
    /// - Parameters:
    ///   - found: gets what is kept of the first stored resource with each id, from index `start` on; nil there before.
    ///   - bind: binds an id by its number from 0, with `bind(id:_:of:)`, or NULL, which is no resource's.
    func registrations(
        of table: TablePlan, into found: inout [Registration?], from start: Int = 0, bind: (Int, Statement) -> Void
    ) throws {
        let statement = try compiled(&table.statements.registrationsByIDs) {
            let values = (0..<Self.lookupGroup).map { "(\($0), ?)" }.joined(separator: ", ")
            return """
                WITH wanted(number, id) AS (VALUES \(values))
                SELECT \(Self.registryColumns), number FROM wanted CROSS JOIN \(table.quotedName) AS stored ON stored.id = wanted.id
                AND stored._parent IS NULL CROSS JOIN _resource ON root = stored._k >> 24
                """
        }
        for number in 0..<Self.lookupGroup { bind(number, statement) }
        defer { statement.reset() }
        // In the order of the numbers, and those with one id in the order of their keys: it is the first that counts.
        while try statement.step() {
            let place = start + Int(statement.row.int(6))
            if found[place]?.root == nil { found[place] = Self.registration(ofRow: statement) }
        }
    }

    /// Binds one of the ids of a look-up. One that is no longer than FHIR allows is put into the connection's own memory, where SQLite
    /// reads it; a copy of SQLite's costs more.
    func bind(id bytes: UnsafeBufferPointer<UInt8>, _ number: Int, of statement: Statement) {
        guard bytes.count <= Self.maximumID, let base = bytes.baseAddress else { return statement.bind(number + 1, text: bytes) }
        let place = idMemory + number * Self.maximumID
        place.update(from: base, count: bytes.count)
        place.withMemoryRebound(to: CChar.self, capacity: bytes.count) { statement.bind(number + 1, unownedText: $0, bytes.count) }
    }

    private func compiled(_ known: inout Statement?, _ sql: () -> String) throws -> Statement {
        if let known { return known }
        let statement = try connection.prepare(sql())
        known = statement
        return statement
    }

    private static func run<Value>(_ statement: Statement, id: String, _ body: (Statement) throws -> Value) throws -> Value {
        var id = id
        defer { statement.reset() }
        return try id.withUTF8 { bytes in
            let empty: StaticString = ""
            return try (bytes.baseAddress ?? empty.utf8Start).withMemoryRebound(to: CChar.self, capacity: bytes.count) { base in
                statement.bind(1, unownedText: base, bytes.count)
                return try body(statement)
            }
        }
    }

    // MARK: - Shapes

    func shape(_ number: Int64) throws -> Shape? {
        if let known = shapes[number] { return known }
        let statement = try connection.cached("SELECT tables FROM _shape WHERE shape = ?")
        statement.bind(1, number)
        defer { statement.reset() }
        guard try statement.step(), let names = statement.text(0) else { return nil }
        var tables: [TablePlan] = []
        for name in names.split(separator: " ") {
            guard let table = schema.table(named: String(name)) else {
                throw FHIRStoreError(
                    .newerFormat,
                    "\(connection.path) has the table \(name), which this version's FHIR \(schema.release.name) classes do not know: update the library"
                )
            }
            tables.append(table)
        }
        let shape = Shape(number: number, tables: tables)
        shapes[number] = shape
        shapesByMark[shape.mark] = shape
        return shape
    }

    /// The shape with these tables, which a new one is made for where there is none; the first table is that of the resource.
    func shape(tables: ContiguousArray<Int32>, mark: UInt64) throws -> Shape {
        if let known = shapesByMark[mark], known.tables.count == tables.count { return known }
        let plans = tables.map { schema.tables[Int($0)] }
        let find = try connection.cached("SELECT shape FROM _shape WHERE tables = ?")
        let sorted = [plans[0].name] + plans.dropFirst().map(\.name).sorted()
        let key = sorted.joined(separator: " ")
        find.bind(1, key)
        defer { find.reset() }
        let number: Int64
        if try find.step() {
            number = find.int(0)
        } else {
            let insert = try connection.cached("INSERT INTO _shape(type, tables) VALUES (?, ?)")
            insert.bind(1, plans[0].name)
            insert.bind(2, key)
            try insert.run()
            number = try connection.integer("SELECT last_insert_rowid()") ?? 0
        }
        let shape = Shape(number: number, tables: plans)
        shapes[number] = shape
        shapesByMark[mark] = shape
        return shape
    }

    /// Forgets what a rolled back transaction had added.
    func forget() {
        forgetShapeReaders()
        shapes.removeAll()
        shapesByMark.removeAll()
        queries.indexes.forget()
        schema.forgetFile()
    }

    // MARK: - Resources

    func reader(_ table: TablePlan) throws -> RowReader {
        if let known = table.statements.select { return known }
        let reader = try RowReader(columns(table), connection)
        table.statements.select = reader
        return reader
    }

    private func columns(_ table: TablePlan) -> RowColumns {
        if let known = table.statements.columns { return known }
        let columns = RowColumns(table)
        table.statements.columns = columns
        return columns
    }

    /// How many resources of a shape are read table by table before a statement for the shape is compiled.
    private static let readsBeforeCompiling = 4
    /// How many shapes have a statement at once.
    static let maximumShapeReaders = 128

    /// What reads all tables of a shape with one statement; nil for a shape that is not read often enough.
    private func reader(_ shape: Shape) throws -> ShapeReader? {
        if schemaChanges != schema.changes {
            forgetShapeReaders()
            schemaChanges = schema.changes
        }
        if let known = shape.reader { return known }
        shape.reads += 1
        guard shape.reads == Self.readsBeforeCompiling, let reader = try ShapeReader(shape.tables.map(columns), connection) else {
            return nil
        }
        if shapesWithReader.count == Self.maximumShapeReaders { forgetShapeReaders() }
        shape.reader = reader
        shapesWithReader.append(shape)
        return reader
    }

    private func forgetShapeReaders() {
        for shape in shapesWithReader {
            shape.reader = nil
            shape.reads = 0
        }
        shapesWithReader.removeAll()
    }

    /// Calls `body` with each row of a resource and the columns of its table.
    @inline(__always)
    private func forEachRow(of root: Int64, _ shape: Shape, _ body: (ResultRow, RowColumns) -> Void) throws {
        if let reader = try reader(shape) { return try reader.forEachRow(of: root, body) }
        for table in shape.tables { try reader(table).forEachRow(of: root, body) }
    }

    /// Puts a resource together from its rows; nil where they are not there.
    func load(root: Int64, shape: Shape) throws -> FHIRResource? {
        defer { assembler.clear() }
        try forEachRow(of: root, shape) { row, columns in
            rowsRead += 1
            assembler.take(row, columns)
        }
        return assembler.assemble() as? FHIRResource
    }

    /// Puts a resource together from its rows, table by table; nil where they are not there.
    ///
    /// - Parameter passesOver: told of an error in reading a table; true goes on with the next table.
    func load(root: Int64, shape: Shape, passesOver: (SQLiteError) -> Bool) throws -> FHIRResource? {
        defer { assembler.clear() }
        for table in shape.tables {
            do {
                try reader(table).forEachRow(of: root) { assembler.take($0, $1) }
            } catch let error as SQLiteError where passesOver(error) {
                continue
            }
        }
        return assembler.assemble() as? FHIRResource
    }

    /// Calls `body` with resources one after the other as they are put together, nil where one's rows are missing. They are given in the
    /// order of their numbers, and each table is gone through once for all of them.
    ///
    /// `body` may read with this connection too, but not change rows.
    func load(_ registrations: [Registration], _ body: (Registration, FHIRResource?) throws -> Void) throws {
        guard let first = registrations.first?.root, let last = registrations.last?.root else { return }
        var cursors: [Int: RowCursor] = [:]
        defer {
            for cursor in cursors.values {
                rowsRead += cursor.rows
                giveBack(cursor.reader)
            }
            assembler.clear()
        }
        var shape: Int64?
        var cursorsOfShape: [Int64: ContiguousArray<Unmanaged<RowCursor>>] = [:]
        var current = ContiguousArray<Unmanaged<RowCursor>>()
        for registration in registrations {
            if shape != registration.shape {
                shape = registration.shape
                current =
                    try cursorsOfShape[registration.shape]
                    ?? self.cursors(of: registration.shape, &cursors, from: max(first, registration.root), to: last)
                cursorsOfShape[registration.shape] = current
            }
            for cursor in current { try cursor._withUnsafeGuaranteedRef { try $0.take(registration.root, into: &assembler) } }
            try body(registration, assembler.assemble() as? FHIRResource)
        }
    }

    /// The cursors over a shape's tables; those not yet among the known ones are added to them.
    private func cursors(
        of shape: Int64, _ known: inout [Int: RowCursor], from first: Int64, to last: Int64
    ) throws -> ContiguousArray<Unmanaged<RowCursor>> {
        var cursors = ContiguousArray<Unmanaged<RowCursor>>()
        for table in try self.shape(shape)?.tables ?? [] {
            let cursor = try known[table.index] ?? RowCursor(try takeReader(table), from: first, to: last)
            known[table.index] = cursor
            cursors.append(.passUnretained(cursor))
        }
        return cursors
    }

    /// A reader of a table for one's own use, until it is given back.
    private func takeReader(_ table: TablePlan) throws -> RowReader {
        let reader = try reader(table)
        table.statements.select = nil
        return reader
    }

    private func giveBack(_ reader: RowReader) {
        reader.statement.reset()
        reader.columns.plan.statements.select = reader
    }

    /// Reads the rows of a resource as cells.
    func rows(root: Int64, shape: Shape, into buffer: inout RowBuffer) throws {
        try forEachRow(of: root, shape) { row, columns in
            let (parent, order) = (row.value(1), row.value(2))
            let begun = buffer.begin(
                table: columns.plan.index, node: UInt32(truncatingIfNeeded: row.value(0).int & 0xFF_FFFF),
                parent: parent.type == .null ? -1 : parent.int,
                order: order.type == .null ? -1 : Int32(truncatingIfNeeded: order.int), resource: 0)
            for index in columns.sources.indices {
                let column = columns.sources[index].column
                let cell = row.value(index + RowColumns.fixedColumns)
                switch cell.type {
                case .null: continue
                case .integer: buffer.add(column, int: cell.int)
                case .float: buffer.add(column, double: cell.double)
                case .text, .blob: buffer.add(column, bytes: cell.textBytes)
                }
            }
            buffer.end(begun)
        }
    }
}

/// Goes through a table's rows for resources in the order of their numbers.
final class RowCursor {
    let reader: RowReader
    /// The same, without counting references.
    private let unmanagedReader: Unmanaged<RowReader>
    @exclusivity(unchecked) private var root: Int64 = -1
    private let lastKey: Int64
    /// How many rows it has stood on.
    @exclusivity(unchecked) private(set) var rows = 0
    /// Stepping to a resource this far on, by number, costs about as much as looking its key up.
    private static let near = 8

    init(_ reader: RowReader, from first: Int64, to last: Int64) throws {
        self.reader = reader
        unmanagedReader = .passUnretained(reader)
        lastKey = last << 24 | 0xFF_FFFF
        reader.start(first << 24, lastKey)
        try step()
    }

    private func step() throws {
        try unmanagedReader._withUnsafeGuaranteedRef { reader in
            guard try reader.statement.step() else {
                root = Int64.max
                return
            }
            root = reader.row.value(0).int >> 24
            rows += 1
        }
    }

    /// Takes in the rows of a resource and passes over those of resources before it.
    func take(_ wanted: Int64, into assembler: inout ResourceAssembler) throws {
        if root < wanted - Int64(Self.near) {
            reader.start(wanted << 24, lastKey)
            try step()
        }
        while root < wanted { try step() }
        while root == wanted {
            unmanagedReader._withUnsafeGuaranteedRef { assembler.take($0.row, $0.columns) }
            try step()
        }
    }
}
