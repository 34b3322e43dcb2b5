import FireLiteCore
import FireLiteSQLiteBridge

/// Reads the rows of resources and assembles them, one by one or many in one pass over their tables.
///
/// It returns resources as they are in the file; `ResourceLoader` turns them into what a transaction returns.
final class ResourceReader {
    private let connection: Connection
    private let schema: StorageSchema
    private let registry: Registry
    @exclusivity(unchecked) private var assembler: ResourceAssembler
    private lazy var encoder = RowEncoder()
    /// Shapes that are read with one statement, and the schema's version when the first was compiled.
    private(set) var shapesWithReader: [Shape] = []
    private var schemaChanges = 0
    /// The number of rows read to assemble resources, including skipped ones.
    @exclusivity(unchecked) private(set) var rowsRead = 0

    /// The number of resources of a shape to read table by table before compiling a statement for the shape.
    private static let readsBeforeCompiling = 4
    /// The maximum number of shapes with a statement.
    static let maximumShapeReaders = 128

    init(_ connection: Connection, schema: StorageSchema, registry: Registry) {
        self.connection = connection
        self.schema = schema
        self.registry = registry
        assembler = ResourceAssembler(schema: schema)
    }

    /// Discards the statements for shapes, which a rolled-back transaction may have added.
    func forget() {
        for shape in shapesWithReader {
            shape.reader = nil
            shape.reads = 0
        }
        shapesWithReader.removeAll()
    }

    // MARK: - Statements

    /// The reader of a table.
    func reader(_ table: TablePlan) throws -> RowReader {
        if let known = table.statements.select { return known }
        let reader = try RowReader(columns(table), .range, connection)
        table.statements.select = reader
        return reader
    }

    private func columns(_ table: TablePlan) -> RowColumns {
        if let known = table.statements.columns { return known }
        let columns = RowColumns(table)
        table.statements.columns = columns
        return columns
    }

    /// The reader of all tables of a shape with one statement; nil for a shape that is not read often enough.
    private func reader(_ shape: Shape) throws -> ShapeReader? {
        if schemaChanges != schema.changes {
            forget()
            schemaChanges = schema.changes
        }
        if let known = shape.reader { return known }
        shape.reads += 1
        guard shape.reads == Self.readsBeforeCompiling, let reader = try ShapeReader(shape.tables.map(columns), connection) else {
            return nil
        }
        if shapesWithReader.count == Self.maximumShapeReaders { forget() }
        shape.reader = reader
        shapesWithReader.append(shape)
        return reader
    }

    /// A reader of a table for exclusive use, until it is given back.
    private func takeReader(_ table: TablePlan, _ kind: RowReader.Kind) throws -> RowReader {
        switch kind {
        case .range:
            let reader = try reader(table)
            table.statements.select = nil
            return reader
        case .ranges:
            let reader = try table.statements.selectGroup ?? RowReader(columns(table), kind, connection)
            table.statements.selectGroup = nil
            return reader
        }
    }

    private func giveBack(_ reader: RowReader) {
        reader.statement.reset()
        switch reader.kind {
        case .range: reader.columns.plan.statements.select = reader
        case .ranges: reader.columns.plan.statements.selectGroup = reader
        }
    }

    // MARK: - One resource

    /// Calls `body` with each row of a resource and the columns of its table.
    @inline(__always)
    private func forEachRow(of root: Int64, _ shape: Shape, _ body: (ResultRow, RowColumns) -> Void) throws {
        if let reader = try reader(shape) { return try reader.forEachRow(of: root, body) }
        for table in shape.tables { try reader(table).forEachRow(of: root, body) }
    }

    /// Assembles a resource from its rows; nil if they or its shape are missing.
    func resource(_ registration: Registration) throws -> FHIRResource? {
        guard let shape = try registry.shape(registration.shape) else { return nil }
        defer { assembler.clear() }
        try forEachRow(of: registration.root, shape) { row, columns in
            rowsRead += 1
            assembler.take(row, columns)
        }
        return assembler.assemble() as? FHIRResource
    }

    /// Reads the rows of a resource as cells.
    func rows(root: Int64, shape: Shape, into buffer: inout RowBuffer) throws {
        try forEachRow(of: root, shape) { row, columns in buffer.append(row, columns) }
    }

    /// Reads the rows of a resource once, as cells and as the resource; nil if they are missing.
    func resource(root: Int64, shape: Shape, rows buffer: inout RowBuffer) throws -> FHIRResource? {
        defer { assembler.clear() }
        try forEachRow(of: root, shape) { row, columns in
            rowsRead += 1
            assembler.take(row, columns)
            buffer.append(row, columns)
        }
        return assembler.assemble() as? FHIRResource
    }

    // MARK: - Many resources

    /// Calls `body` with resources one after the other as they are assembled, or nil if one's rows are missing. They are in the
    /// order of their numbers, and each table is read once for all of them.
    ///
    /// `body` may read with this connection, but not change rows.
    /// - Parameter near: how far on, by number, a resource may be to be reached by stepping over the rows of those in between, which costs about
    ///   as much as a look-up if it is 8. Default: 0, which reads no rows of other resources but the one that a table's rows end at.
    /// - Parameter areAll: whether no other resources of the type are between them: from one, their tables' rows lead to the next. Default: false.
    func forEach(
        _ registrations: [Registration], near: Int64 = 0, areAll: Bool = false, _ body: (Registration, FHIRResource?) throws -> Void
    ) throws {
        defer { assembler.clear() }
        try walk(registrations, near: near, areAll: areAll) { registration, cursors in
            // A file may hold any number, and what stands for the end of a table is one of them.
            guard let cursors else { return try body(registration, nil) }
            for cursor in cursors { try cursor._withUnsafeGuaranteedRef { try $0.take(registration.root, into: &assembler) } }
            try body(registration, assembler.assemble() as? FHIRResource)
        }
    }

    /// Calls `body` with the JSON of resources one after the other, with a line feed, or nil for those that only an object can hold. They are in
    /// the order of their numbers, and each table is read once for all of them.
    ///
    /// `body` may read with this connection, but not change rows, and not call this again.
    /// - Parameters:
    ///   - key: the store's key of digests. JSON that does not match the resource's digest is not passed on.
    ///   - near: see `forEach(_:near:_:)`. With 0 they are all resources of a range, as of an export.
    func forEachLine(
        _ registrations: [Registration], key: UInt64, near: Int64 = 0, _ body: (Registration, RowEncoder.Line?) throws -> Void
    ) throws {
        let encoder = encoder
        defer { encoder.clear() }
        try walk(registrations, near: near, areAll: near == 0) { registration, cursors in
            guard let cursors else { return try body(registration, nil) }
            for cursor in cursors { try cursor._withUnsafeGuaranteedRef { try $0.take(registration.root, into: encoder) } }
            try encoder.withLine(digest: registration.digest, key: key) { try body(registration, $0) }
        }
    }

    /// Whether `forEachLine` is likely to make most of the lines of the next batch.
    func beginLines() -> Bool { encoder.beginBatch() }

    /// Reads the rows of resources as cells, each table once for all of them. They are in the order of their numbers.
    ///
    /// - Parameter buffers: receives the rows of each resource at its index.
    func rows(_ registrations: [Registration], near: Int64, into buffers: inout [RowBuffer]) throws {
        var index = 0
        try walk(registrations, near: near) { registration, cursors in
            for cursor in cursors ?? [] {
                try cursor._withUnsafeGuaranteedRef { try $0.take(registration.root, into: &buffers[index]) }
            }
            index += 1
        }
    }

    /// Compares the stored rows of resources with new ones, each table read once for all of them. They are in the order of their numbers.
    ///
    /// - Parameters:
    ///   - new: returns the new rows of the next resource.
    ///   - ended: called with the changes of that resource; with nil if its stored rows have another structure.
    func compare(
        _ registrations: [Registration], near: Int64, _ comparison: inout RowComparison, new: (Registration) -> Range<Int>,
        ended: (Range<Int>?) -> Void
    ) throws {
        try walk(registrations, near: near) { registration, cursors in
            comparison.begin(new(registration))
            for cursor in cursors ?? [] {
                try cursor._withUnsafeGuaranteedRef { try $0.take(registration.root, into: &comparison) }
            }
            ended(comparison.end())
        }
    }

    /// Calls `body` with registrations and the cursors of their tables; with nil for a number that no resource can have.
    @inline(__always)
    private func walk(
        _ registrations: [Registration], near: Int64, areAll: Bool = false,
        _ body: (Registration, ContiguousArray<Unmanaged<RowCursor>>?) throws -> Void
    ) throws {
        let pass = Pass(registrations, near: near, areAll: areAll)
        defer {
            for cursor in pass.cursors.values {
                rowsRead += cursor.rows
                giveBack(cursor.reader)
            }
        }
        var shape: Int64?
        var current = ContiguousArray<Unmanaged<RowCursor>>()
        var announced = 0
        for (index, registration) in registrations.enumerated() {
            if pass.looksUp, index == announced {
                announced = min(index + Self.announced, registrations.count)
                try announce(registrations[index..<announced], pass)
            }
            guard registration.isPossible else {
                try body(registration, nil)
                continue
            }
            if shape != registration.shape {
                shape = registration.shape
                current = try cursors(of: registration, pass)
            }
            try body(registration, current)
        }
    }

    /// The number of resources whose numbers wait to be looked up.
    private static let announced = 2 * RowReader.group

    /// Adds resources to the cursors of their tables.
    private func announce(_ registrations: ArraySlice<Registration>, _ pass: Pass) throws {
        var shape: Int64?
        var current = ContiguousArray<Unmanaged<RowCursor>>()
        for registration in registrations where registration.isPossible {
            if shape != registration.shape {
                shape = registration.shape
                current = try cursors(of: registration, pass)
            }
            for cursor in current { cursor._withUnsafeGuaranteedRef { $0.add(registration.root) } }
        }
    }

    /// The cursors over the tables of a resource's shape.
    private func cursors(of registration: Registration, _ pass: Pass) throws -> ContiguousArray<Unmanaged<RowCursor>> {
        if let known = pass.cursorsOfShape[registration.shape] { return known }
        var cursors = ContiguousArray<Unmanaged<RowCursor>>()
        for table in try registry.shape(registration.shape)?.tables ?? [] {
            let cursor = try pass.cursors[table.index] ?? cursor(over: table, from: registration, pass)
            pass.cursors[table.index] = cursor
            cursors.append(.passUnretained(cursor))
        }
        pass.cursorsOfShape[registration.shape] = cursors
        return cursors
    }

    private func cursor(over table: TablePlan, from registration: Registration, _ pass: Pass) throws -> RowCursor {
        if pass.looksUp { return RowCursor(try takeReader(table, .ranges), near: pass.near) }
        return try RowCursor(takeReader(table, .range), from: registration.root, to: pass.last, near: pass.near)
    }

    /// A pass over tables for many resources.
    private final class Pass {
        /// Resources that are further apart than this, by number, are looked up, several with one run of a statement: to start a table's statement again
        /// for each of them, or to step over the rows in between, costs more.
        private static let strewn: Int64 = 3

        let near: Int64
        /// The greatest number.
        let last: Int64
        /// Whether cursors look up resources, instead of stepping from one to the next.
        let looksUp: Bool
        /// The cursors by their tables' indexes.
        var cursors: [Int: RowCursor] = [:]
        /// The cursors by the numbers of shapes.
        var cursorsOfShape: [Int64: ContiguousArray<Unmanaged<RowCursor>>] = [:]

        init(_ registrations: [Registration], near: Int64, areAll: Bool) {
            self.near = near
            last = min(registrations.last?.root ?? 0, RootNumbers.maximum)
            let first = max(registrations.first?.root ?? 0, 0)
            looksUp = !areAll && last - first >= Int64(registrations.count) * max(Self.strewn, near / 2)
        }
    }

    // MARK: - Damaged files

    /// Goes through the rows of a resource in one table; false if they cannot all be read.
    func readTolerantly(_ table: TablePlan, _ root: Int64, _ body: (RowReader) throws -> Void) throws -> Bool {
        do {
            let reader = try reader(table)
            defer { reader.statement.reset() }
            reader.start(RowKey.key(root), RowKey.last(root))
            var (last, isWhole) = (RowKey.key(root) - 1, true)
            while try reader.statement.step() {
                // SQLite goes by the order of the rows, so that one whose number has changed may come with those of another resource.
                let key = reader.statement.int(0)
                guard key > last, key <= RowKey.last(root) else {
                    isWhole = false
                    continue
                }
                last = key
                try body(reader)
            }
            return isWhole
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    /// Assembles a resource from the readable rows; nil if its own row is not among them.
    ///
    /// If a table could not be read to the end, the digest decides whether rows are missing: reading must look at the page after the
    /// last row to know that it was the last, and that page may be the damaged one.
    ///
    /// - Returns: the resource; whether all rows could be read; whether rows were left out, as the row that they belong to is not there.
    func readTolerantly(root: Int64, _ shape: Shape) throws -> (resource: FHIRResource?, isWhole: Bool, hasStrays: Bool) {
        defer { assembler.clear() }
        var isWhole = true
        for table in shape.tables where try !readTolerantly(table, root, { assembler.take($0.row, $0.columns) }) { isWhole = false }
        let resource = assembler.assemble() as? FHIRResource
        return (resource, isWhole, assembler.hasStrays)
    }

    /// The reason for a resource whose readable rows do not match its digest.
    static let changedRows = "its rows do not match their digest"

    /// Why a resource cannot be assembled.
    func reasonForDamage(_ root: Int64, _ shape: Shape) throws -> String {
        let tables = try shape.tables.filter { try !readTolerantly($0, root) { _ in } }.map(\.name)
        return tables.isEmpty ? "its own row is missing" : "its rows cannot be read in \(tables.joined(separator: ", "))"
    }
}
