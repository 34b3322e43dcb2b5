import FireLiteCore
import FireLiteSQLiteBridge

/// What a file knows about its resources apart from their content: `_resource` has a row for each, `_shape` one for each set of tables.
///
/// All SQL on the two tables is in this folder.
final class Registry {
    let connection: Connection
    let schema: StorageSchema
    let clock: FHIRClock
    private var shapes: [Int64: Shape] = [:]
    private var shapesByMark: [UInt64: Shape] = [:]
    /// The losses of tables when the shapes were read.
    private var losses = 0
    private var registrationByRoot: Statement?
    private var registrationsByRoots: Statement?
    private var registrationsInRange: Statement?
    /// Memory of a list that was given back.
    private var spare: [Registration] = []
    @exclusivity(unchecked) var updateOfContent: Statement?
    /// The ids of the current lookup.
    private let idMemory = UnsafeMutablePointer<UInt8>.allocate(capacity: lookupGroup * maximumID)
    /// FHIR's maximum length of an id (<https://hl7.org/fhir/R4/datatypes.html#id>).
    private static let maximumID = 64

    init(_ connection: Connection, schema: StorageSchema, clock: FHIRClock = .system) {
        self.connection = connection
        self.schema = schema
        self.clock = clock
    }

    deinit { idMemory.deallocate() }

    /// Discards what a rolled-back transaction had added.
    func forget() {
        shapes.removeAll()
        shapesByMark.removeAll()
    }

    // MARK: - Resources by number and pk

    private static let columns = ["root", "shape", "revision", "nodes", "digest", "pk"].map { "_resource.\($0)" }.joined(separator: ", ")

    /// The registration in the first columns of a row.
    @inline(__always)
    private static func registration(ofRow statement: Statement) -> Registration {
        let row = statement.row
        return Registration(
            root: row.int(0), shape: row.int(1), revision: row.int(2), nodes: UInt32(truncatingIfNeeded: row.int(3)),
            digest: statement.bytes16(4), pk: row.text(5))
    }

    private static func registration(_ statement: Statement) throws -> Registration? {
        defer { statement.reset() }
        return try statement.step() ? registration(ofRow: statement) : nil
    }

    /// The registration of the resource with this number; nil if there is none.
    func registration(root: Int64) throws -> Registration? {
        let statement = try registrationByRoot ?? connection.prepare("SELECT \(Self.columns) FROM _resource WHERE root = ?")
        registrationByRoot = statement
        statement.bind(1, root)
        return try Self.registration(statement)
    }

    /// The registrations of the resources with these numbers, which are in their order and differ; numbers without one are skipped.
    func registrations(roots: ContiguousArray<Int64>) throws -> [Registration] {
        var found: [Registration] = []
        swap(&found, &spare)
        found.reserveCapacity(roots.count)
        guard let first = roots.first, let last = roots.last else { return found }
        // Stepping over so many rows costs about as much as a look-up.
        if first >= 0, last <= RootNumbers.maximum, last - first < 8 * Int64(roots.count) {
            try appendRegistrations(from: first, to: last, at: roots, to: &found)
        } else {
            try appendRegistrations(at: roots, to: &found)
        }
        return found
    }

    /// The most registrations whose memory is kept.
    private static let mostSpare = 256

    /// Takes the memory of a list for the next one. Allocating it again for each page makes glibc join the free blocks of the objects of
    /// the page before, from which those of the next are then split.
    func giveBack(_ registrations: inout [Registration]) {
        guard registrations.capacity <= Self.mostSpare else { return }
        spare = []
        swap(&registrations, &spare)
        spare.removeAll(keepingCapacity: true)
    }

    /// Reads the rows between two numbers.
    private func appendRegistrations(
        from first: Int64, to last: Int64, at roots: ContiguousArray<Int64>, to found: inout [Registration]
    ) throws {
        let statement = try compiled(&registrationsInRange) {
            "SELECT \(Self.columns) FROM _resource WHERE root BETWEEN ? AND ? ORDER BY root"
        }
        statement.bind(1, first)
        statement.bind(2, last)
        defer { statement.reset() }
        var next = 0
        while next < roots.count, try statement.step() {
            let root = statement.row.int(0)
            while next < roots.count, roots[next] < root { next += 1 }
            guard next < roots.count, roots[next] == root else { continue }
            found.append(Self.registration(ofRow: statement))
            next += 1
        }
    }

    /// Looks up several numbers with one statement.
    private func appendRegistrations(at roots: ContiguousArray<Int64>, to found: inout [Registration]) throws {
        let statement = try compiled(&registrationsByRoots) {
            let values = repeatElement("(?)", count: Self.readingGroup).joined(separator: ", ")
            return """
                WITH wanted(number) AS (VALUES \(values))
                SELECT \(Self.columns) FROM wanted CROSS JOIN _resource ON _resource.root = wanted.number
                """
        }
        defer { statement.reset() }
        var next = 0
        while next < roots.count {
            for number in 0..<Self.readingGroup {
                if next + number < roots.count { statement.bind(number + 1, roots[next + number]) } else { statement.bindNull(number + 1) }
            }
            while try statement.step() { found.append(Self.registration(ofRow: statement)) }
            statement.reset()
            next += Self.readingGroup
        }
    }

    /// The registration of the resource that was given this pk; nil if there is none.
    func registration(pk: String) throws -> Registration? {
        let statement = try connection.cached("SELECT \(Self.columns) FROM _resource WHERE pk = ?")
        statement.bind(1, pk)
        return try Self.registration(statement)
    }

    /// The next registrations by number, of all types.
    func registrations(after root: Int64, limit: Int) throws -> [Registration] {
        let statement = try connection.cached("SELECT \(Self.columns) FROM _resource WHERE root > ? ORDER BY root LIMIT \(limit)")
        statement.bind(1, root)
        defer { statement.reset() }
        var keys = RisingKeys("_resource", after: root)
        var registrations: [Registration] = []
        while try statement.step() {
            let registration = Self.registration(ofRow: statement)
            try keys.advance(to: registration.root)
            registrations.append(registration)
        }
        return registrations
    }

    /// The next registrations of a type, by number.
    ///
    /// - Parameter unregistered: called with the number of a resource that has rows but no registration.
    func registrations(
        of table: TablePlan, after root: Int64, limit: Int = 256, unregistered: (Int64) throws -> Void
    ) throws -> [Registration] {
        guard try isInFile(table) else { return [] }
        let statement = try connection.cached(
            """
            SELECT \(Self.columns), \(RowKey.root(ofSQL: "stored._k")) FROM \(table.quotedName) AS stored LEFT JOIN _resource ON root = \(RowKey.root(ofSQL: "stored._k"))
            WHERE stored._k > ? AND stored._parent IS NULL ORDER BY stored._k LIMIT \(limit)
            """)
        statement.bind(1, RowKey.last(root))
        defer { statement.reset() }
        var keys = RisingKeys(table.name, after: root)
        var batch: [Registration] = []
        while try statement.step() {
            try keys.advance(to: statement.int(6))
            if statement.type(0) == .null {
                try unregistered(statement.int(6))
                continue
            }
            batch.append(Self.registration(ofRow: statement))
        }
        return batch
    }

    /// Whether the file has the table of a type.
    ///
    /// - Throws: `FHIRStoreError.notAStore` if it is lost; `SQLiteError`.
    private func isInFile(_ table: TablePlan) throws -> Bool {
        if table.isInFile { return true }
        try schema.requireWhole(table, connection)
        return false
    }

    // MARK: - Resources by type and id

    /// The number of ids that one statement looks up.
    static let lookupGroup = 16
    /// Fewer are looked up one by one, as that statement costs about as much with places left empty.
    static let fewLookups = 3
    /// The number of resources to be read that one statement looks up, by ids or numbers.
    static let readingGroup = 8

    /// The number of the first stored resource with this type and id, registered or not; nil if there is none.
    func root(of table: TablePlan, id: String) throws -> Int64? {
        guard try isInFile(table) else { return nil }
        let statement = try compiled(&table.statements.rootByID) {
            "SELECT _k FROM \(table.quotedName) WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1"
        }
        return try Self.run(statement, id: id) { try $0.step() ? RowKey.root($0.int(0)) : nil }
    }

    /// The logical id of the resource with this number; nil if it has none.
    func id(of table: TablePlan, root: Int64) throws -> String? {
        guard try isInFile(table) else { return nil }
        let statement = try connection.cached("SELECT id FROM \(table.quotedName) WHERE _k BETWEEN ? AND ? AND _parent IS NULL")
        defer { statement.reset() }
        statement.bind(1, RowKey.key(root))
        statement.bind(2, RowKey.last(root))
        return try statement.step() ? statement.text(0) : nil
    }

    /// The registration of the first stored resource with this type and id; nil if there is none.
    func registration(of table: TablePlan, id: String) throws -> Registration? {
        guard try isInFile(table) else { return nil }
        let statement = try compiled(&table.statements.registrationByID) {
            """
            SELECT \(Self.columns) FROM \(table.quotedName) CROSS JOIN _resource ON root = \(RowKey.root(ofSQL: "_k"))
            WHERE id = ? AND _parent IS NULL ORDER BY _k LIMIT 1
            """
        }
        return try Self.run(statement, id: id, Self.registration)
    }

    /// The registrations of the first stored resources of a type with these ids; nil for unknown ids.
    func registrations(of table: TablePlan, ids: [String]) throws -> [Registration?] {
        var found = [Registration?](repeating: nil, count: ids.count)
        guard try isInFile(table) else { return found }
        var next = 0
        while next < ids.count {
            let count = min(Self.lookupGroup, ids.count - next)
            guard count >= Self.fewLookups else {
                found[next] = try registration(of: table, id: ids[next])
                next += 1
                continue
            }
            try registrations(of: table) { number, statement in
                guard number < count else { return statement.bindNull(number + 1) }
                var id = ids[next + number]
                id.withUTF8 { bind(id: $0, number, of: statement) }
            } found: { number, registration in
                if found[next + number]?.root == nil { found[next + number] = registration }
            }
            next += count
        }
        return found
    }

    /// The numbers of the first stored resources of a type with these ids, registered or not, in the order of the numbers and each with the position
    /// of its id. Unknown ids are skipped.
    func places(of table: TablePlan, ids: [String]) throws -> ContiguousArray<(root: Int64, place: Int)> {
        var places: ContiguousArray<(root: Int64, place: Int)> = []
        guard try isInFile(table) else { return places }
        places.reserveCapacity(ids.count)
        let statement = try compiled(&table.statements.rootsByIDs) {
            let values = (0..<Self.readingGroup).map { "(\($0), ?)" }.joined(separator: ", ")
            return """
                WITH wanted(number, id) AS (VALUES \(values))
                SELECT stored._k, number FROM wanted CROSS JOIN \(table.quotedName) AS stored ON stored.id = wanted.id AND stored._parent IS NULL
                """
        }
        defer { statement.reset() }
        try ids.withUnsafeBufferPointer { ids in
            var next = 0
            while next < ids.count {
                let end = min(next + Self.readingGroup, ids.count)
                ids.prefetchTexts(end..<min(end + Self.readingGroup, ids.count))
                for place in next..<end {
                    (ids.baseAddress.unsafelyUnwrapped + place).withUTF8 { bind(id: $0, place - next, of: statement) }
                }
                for number in end - next..<Self.readingGroup { statement.bindNull(number + 1) }
                // In the order of the numbers, and those with the same id in the order of their keys: the first one counts.
                while try statement.step() {
                    let place = next + Int(statement.row.int(1))
                    if places.last?.place != place { places.append((RowKey.root(statement.row.int(0)), place)) }
                }
                statement.reset()
                next = end
            }
        }
        places.sort { $0.root < $1.root }
        return places
    }

    /// Looks up to `lookupGroup` ids with one statement.
    ///
    /// - Parameters:
    ///   - bind: binds an id by its index, with `bind(id:_:of:)`, or NULL, which matches no resource.
    ///   - found: called with the index of an id and the registration of a stored resource with it. If there are several, the first one counts.
    func registrations(of table: TablePlan, bind: (Int, Statement) -> Void, found: (Int, Registration) -> Void) throws {
        let statement = try compiled(&table.statements.registrationsByIDs) {
            let values = (0..<Self.lookupGroup).map { "(\($0), ?)" }.joined(separator: ", ")
            return """
                WITH wanted(number, id) AS (VALUES \(values))
                SELECT \(Self.columns), number FROM wanted CROSS JOIN \(table.quotedName) AS stored ON stored.id = wanted.id
                AND stored._parent IS NULL CROSS JOIN _resource ON root = \(RowKey.root(ofSQL: "stored._k"))
                """
        }
        for number in 0..<Self.lookupGroup { bind(number, statement) }
        defer { statement.reset() }
        // In the order of the numbers, and those with the same id in the order of their keys.
        while try statement.step() { found(Int(statement.row.int(6)), Self.registration(ofRow: statement)) }
    }

    /// Binds one of the ids of a lookup. An id within FHIR's limit goes into the registry's own memory, where SQLite reads it; a copy by
    /// SQLite costs more.
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

    /// The shape with this number; nil if there is none.
    ///
    /// - Parameter evenIfLost: whether to return it if the file has lost some of its tables.
    /// - Throws: `FHIRStoreError`: `newerFormat` if one of its tables is unknown to the release, `notAStore` if the file has lost one;
    ///   `SQLiteError`.
    func shape(_ number: Int64, evenIfLost: Bool = false) throws -> Shape? {
        if losses != schema.losses {
            forget()
            losses = schema.losses
        }
        if let known = shapes[number] { return known }
        let statement = try connection.cached("SELECT tables FROM _shape WHERE shape = ?")
        statement.bind(1, number)
        defer { statement.reset() }
        guard try statement.step(), let names = statement.text(0) else { return nil }
        let tables = try names.split(separator: " ").map { name in
            guard let table = schema.table(named: String(name)) else { throw schema.unknownTable(String(name), path: connection.path) }
            return table
        }
        let lost = tables.filter { !$0.isInFile }
        guard !lost.isEmpty else { return note(Shape(number: number, tables: tables)) }
        if evenIfLost { return Shape(number: number, tables: tables) }
        throw LostTables(path: connection.path).error(tables[0].name, lost.map(\.name))
    }

    /// The shape with these tables, the first of which is the resource's own. Registers a new one if there is none.
    ///
    /// - Parameters:
    ///   - mark: the mark of the set, which another set may have too, as the author of the data chooses the tables.
    ///   - contains: whether a table is one of them.
    func shape(tables: ContiguousArray<Int32>, mark: UInt64, _ contains: (Int32) -> Bool) throws -> Shape {
        // A List with a Composition in it has the tables of a Composition with a List in it.
        if let known = shapesByMark[mark], known.indexes.count == tables.count, known.indexes.first == tables.first,
            known.indexes.allSatisfy(contains)
        {
            return known
        }
        let plans = tables.map { schema.tables[Int($0)] }
        return note(Shape(number: try shapeNumber(type: plans[0].name, tables: plans.map(\.name)), tables: plans))
    }

    private func note(_ shape: Shape) -> Shape {
        shapes[shape.number] = shape
        shapesByMark[shape.mark] = shape
        return shape
    }
}
