import FireLiteSQLiteBridge

/// Writes the rows of one code system, in a transaction of the caller.
///
/// Concepts are added in the order of the hierarchy: their numbers follow it, so that lists by number have parents before children.
final class CodeTableWriter {
    private let connection: Connection
    /// The number of the first concept, and of the first name.
    let firstConcept: Int64
    let firstName: Int64
    private var nextConcept: Int64
    private var nextName: Int64
    private let concept: Statement
    private let name: Statement
    private let dialect: Statement
    private let relation: Statement
    private let value: Statement
    private let member: Statement
    private let memberRow: Statement

    init(_ connection: Connection) throws {
        self.connection = connection
        // 768 MB at most: a cache that overflows takes the file's lock until the commit, and readers would wait (SQLite, Atomic Commit: cache spill). An
        // edition of SNOMED CT changes about 500 MB.
        try connection.run("PRAGMA cache_size = -786432")
        firstConcept = try (connection.integer("SELECT max(last) FROM code_system") ?? 0) + 1
        firstName = try (connection.integer("SELECT max(last_name) FROM code_system") ?? 0) + 1
        (nextConcept, nextName) = (firstConcept, firstName)
        concept = try connection.prepare("INSERT INTO code_concept(_k, code, display, flags, module, date) VALUES (?, ?, ?, ?, ?, ?)")
        name = try connection.prepare(
            "INSERT INTO code_name(_k, concept, kind, language, code, flags, term, module, date) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        dialect = try connection.prepare("INSERT OR REPLACE INTO code_dialect(name, refset, is_preferred) VALUES (?, ?, ?)")
        relation = try connection.prepare("INSERT OR IGNORE INTO code_relation(source, grp, type, target) VALUES (?, ?, ?, ?)")
        value = try connection.prepare("INSERT OR IGNORE INTO code_value(concept, grp, property, value) VALUES (?, ?, ?, ?)")
        member = try connection.prepare("INSERT OR IGNORE INTO code_member(refset, concept, target) VALUES (?, ?, ?)")
        memberRow = try connection.prepare(
            "INSERT INTO code_member_row(refset, concept, flags, module, date, fields) VALUES (?, ?, ?, ?, ?, ?)")
    }

    // MARK: - Rows

    @discardableResult
    func addConcept(
        code: String, display: String?, flags: CodeFlags, module: String? = nil, date: String? = nil
    ) throws -> Int64 {
        concept.bind(1, nextConcept)
        concept.bind(2, code)
        Self.bind(concept, 3, display)
        concept.bind(4, flags.rawValue)
        Self.bind(concept, 5, module)
        Self.bind(concept, 6, date)
        try concept.run()
        nextConcept += 1
        return nextConcept - 1
    }

    private static func bind(_ statement: Statement, _ place: Int, _ text: String?) {
        if let text { statement.bind(place, text) } else { statement.bindNull(place) }
    }

    private static func bind(_ statement: Statement, _ place: Int, _ number: Int64?) {
        if let number { statement.bind(place, number) } else { statement.bindNull(place) }
    }

    /// Adds a name; the numbers of names are their order in searches.
    @discardableResult
    func addName(
        of concept: Int64, kind: String, language: String?, code: String? = nil, isActive: Bool = true, module: Int64? = nil,
        date: Int64? = nil, _ term: UnsafeRawBufferPointer
    ) throws -> Int64 {
        name.bind(1, nextName)
        name.bind(2, concept)
        name.bind(3, kind)
        Self.bind(name, 4, language)
        Self.bind(name, 5, code)
        name.bind(6, isActive ? CodeFlags.active.rawValue : 0)
        name.bind(7, text: term.assumingMemoryBound(to: UInt8.self))
        Self.bind(name, 8, module)
        Self.bind(name, 9, date)
        try name.run()
        nextName += 1
        return nextName - 1
    }

    func addDialect(name: Int64, refset: Int64, isPreferred: Bool) throws {
        dialect.bind(1, name)
        dialect.bind(2, refset)
        dialect.bind(3, isPreferred ? Int64(1) : 0)
        try dialect.run()
    }

    func addRelation(source: Int64, group: Int64, type: Int64, target: Int64) throws {
        for (place, number) in [source, group, type, target].enumerated() { relation.bind(place + 1, number) }
        try relation.run()
    }

    /// Adds a value of a property: a number if the text is one and `isNumeric`.
    func addValue(of concept: Int64, group: Int64 = 0, property: String, _ text: String, isNumeric: Bool = false) throws {
        value.bind(1, concept)
        value.bind(2, group)
        value.bind(3, property)
        if isNumeric, let number = Double(text) { value.bind(4, number) } else { value.bind(4, text) }
        try value.run()
    }

    func addMember(refset: Int64, concept: Int64, target: String) throws {
        member.bind(1, refset)
        member.bind(2, concept)
        member.bind(3, target)
        try member.run()
    }

    /// Adds a row of a reference set with everything that it says, active or not.
    ///
    /// - Parameter fields: the reference set's own fields, as a JSON object; nil if it has none.
    func addMemberRow(refset: Int64, concept: Int64, isActive: Bool, module: Int64, date: Int64, fields: String?) throws {
        memberRow.bind(1, refset)
        memberRow.bind(2, concept)
        memberRow.bind(3, isActive ? CodeFlags.active.rawValue : 0)
        memberRow.bind(4, module)
        memberRow.bind(5, date)
        Self.bind(memberRow, 6, fields)
        try memberRow.run()
    }

    // MARK: - Hierarchy

    /// The maximum number of pairs of a concept and one above it; SNOMED CT has about 6 million.
    private static let maximumPairs = 60_000_000

    /// Writes the hierarchy of the concepts, whose numbers are their places in it plus that of the first one.
    ///
    /// - Throws: `KnowledgeError` with code `limit` for a hierarchy with too many pairs.
    func addHierarchy(_ hierarchy: CodeHierarchy, edges: [(child: Int32, parent: Int32)]) throws {
        func number(_ concept: Int32) -> Int64 { firstConcept + Int64(hierarchy.places[Int(concept)]) }
        func write(_ statement: Statement, _ first: Int64, _ second: Int64) throws {
            statement.bind(1, first)
            statement.bind(2, second)
            try statement.run()
        }
        let pairs = edges.map { (number($0.child), number($0.parent)) }
        let parent = try connection.prepare("INSERT OR IGNORE INTO code_parent(child, parent) VALUES (?, ?)")
        for pair in pairs.sorted(by: <) { try write(parent, pair.0, pair.1) }
        let child = try connection.prepare("INSERT OR IGNORE INTO code_child(parent, child) VALUES (?, ?)")
        for pair in pairs.map({ ($0.1, $0.0) }).sorted(by: <) { try write(child, pair.0, pair.1) }
        guard let closure = hierarchy.closure(limit: Self.maximumPairs) else {
            throw KnowledgeError(
                .limit, "the hierarchy has more than \(Self.maximumPairs) pairs of a code and one above it: no release is that large")
        }
        // Both tables are written in their own order, which appends to them.
        let above = try connection.prepare("INSERT INTO code_above(code, above) VALUES (?, ?)")
        let count = hierarchy.order.count
        var sizes = [Int](repeating: 0, count: count + 1)
        for place in 0..<count {
            for index in closure.starts[place]..<closure.starts[place + 1] {
                try write(above, firstConcept + Int64(place), firstConcept + Int64(closure.above[index]))
                sizes[Int(closure.above[index]) + 1] += 1
            }
        }
        for place in 0..<count { sizes[place + 1] += sizes[place] }
        var next = sizes
        var below = [Int32](repeating: 0, count: closure.above.count)
        for place in 0..<count {
            for index in closure.starts[place]..<closure.starts[place + 1] {
                let top = Int(closure.above[index])
                below[next[top]] = Int32(place)
                next[top] += 1
            }
        }
        let insert = try connection.prepare("INSERT INTO code_below(code, below) VALUES (?, ?)")
        for place in 0..<count {
            for index in sizes[place]..<sizes[place + 1] {
                try write(insert, firstConcept + Int64(place), firstConcept + Int64(below[index]))
            }
        }
    }

    // MARK: - The system

    /// Notes the code system, after its rows, in place of the same version of it.
    ///
    /// - Returns: what the file knows of it.
    func finish(kind: String, url: String, version: String, name: String) throws -> CodeTables.System {
        // Words are gathered in memory (64 MB) before they are written, which leaves few segments to merge (SQLite FTS5: the 'hashsize' option).
        try connection.run("INSERT INTO code_word(code_word, rank) VALUES ('hashsize', 67108864)")
        try connection.run(
            "INSERT INTO code_word(rowid, term) SELECT _k, term FROM code_name WHERE _k >= \(firstName) AND flags & 1 ORDER BY _k")
        let statement = try connection.prepare(
            "INSERT INTO code_system(kind, url, version, name, first, last, first_name, last_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for (place, text) in [kind, url, version, name].enumerated() { statement.bind(place + 1, text) }
        let lastConcept = max(firstConcept, nextConcept - 1)
        let lastName = max(firstName, nextName - 1)
        for (place, number) in [firstConcept, lastConcept, firstName, lastName].enumerated() { statement.bind(place + 5, number) }
        try statement.run()
        let key = try connection.integer("SELECT last_insert_rowid()") ?? 0
        return CodeTables.System(
            key: key, kind: kind, url: url, version: version, name: name, concepts: firstConcept...lastConcept, names: firstName...lastName)
    }

    /// Removes a code system with all of its rows.
    static func remove(_ system: CodeTables.System, _ connection: Connection) throws {
        let concepts = "BETWEEN \(system.concepts.lowerBound) AND \(system.concepts.upperBound)"
        let names = "BETWEEN \(system.names.lowerBound) AND \(system.names.upperBound)"
        try connection.run(
            "INSERT INTO code_word(code_word, rowid, term) SELECT 'delete', _k, term FROM code_name WHERE _k \(names) AND flags & 1")
        for (table, column) in [
            ("code_parent", "child"), ("code_child", "parent"), ("code_above", "code"), ("code_below", "code"), ("code_relation", "source"),
            ("code_value", "concept"), ("code_member", "refset"), ("code_member_row", "refset"), ("code_concept", "_k"),
        ] {
            try connection.run("DELETE FROM \(table) WHERE \(column) \(concepts)")
        }
        for (table, column) in [("code_dialect", "name"), ("code_name", "_k")] {
            try connection.run("DELETE FROM \(table) WHERE \(column) \(names)")
        }
        try connection.run("DELETE FROM code_system WHERE _k = \(system.key)")
    }
}
