import FireLiteCore

/// The codes of a release while they are read, for code systems of moderate size.
struct CodeList {
    private struct Item {
        let code: String
        var display: String
        var flags: CodeFlags
        var names: [(kind: String, language: String?, term: String)] = []
        var values: [(property: String, value: String)] = []
    }

    private var items: [Item] = []
    private var places: [ExactText: Int32] = [:]
    private var edges: [(child: Int32, parent: Int32)] = []
    /// The rows of codes that no other row may have.
    private var rows: [Int32: DelimitedFile.Place] = [:]
    /// The rows of the edges, as far as they have one.
    private var edgeRows: [Int: DelimitedFile.Place] = [:]

    var isEmpty: Bool { items.isEmpty }

    /// Adds a code; one that is there keeps what it has.
    mutating func add(_ code: String, display: String, flags: CodeFlags = .active) {
        guard places[code] == nil else { return }
        places[code] = Int32(items.count)
        items.append(Item(code: code, display: display, flags: flags))
    }

    /// Adds a code that one row alone has.
    ///
    /// - Throws: `KnowledgeError` with code `content` if another row has it.
    mutating func add(_ code: String, display: String, flags: CodeFlags = .active, once row: DelimitedFile.Place) throws {
        if let place = places[code] {
            guard let other = rows[place] else { throw row.error("the code '\(code)' is in another file of the release, too") }
            throw row.error("the row has the code '\(code)'", repeating: other)
        }
        rows[Int32(items.count)] = row
        add(code, display: display, flags: flags)
    }

    func contains(_ code: String) -> Bool { places[code] != nil }

    /// Refuses a code that is not there.
    ///
    /// - Throws: `KnowledgeError` with code `content`.
    func require(_ code: String, _ row: DelimitedFile.Place) throws {
        guard contains(code) else { throw row.error("the code '\(code)' is in no row that defines codes") }
    }

    /// Adds a name to a code that is there.
    mutating func addName(_ code: String, kind: String, language: String? = "en", _ term: String) {
        guard let place = places[code], !term.isEmpty else { return }
        items[Int(place)].names.append((kind, language, term))
    }

    /// Adds the value of a property to a code that is there.
    mutating func addValue(_ code: String, _ property: String, _ value: String) {
        guard let place = places[code], !value.isEmpty else { return }
        items[Int(place)].values.append((property, value))
    }

    /// Puts a code below another one; both are there.
    mutating func connect(_ child: String, to parent: String) {
        guard let child = places[child], let parent = places[parent], child != parent else { return }
        edges.append((child, parent))
    }

    /// Puts a code below another one, as a row says.
    ///
    /// - Throws: `KnowledgeError` with code `content` if one of them is not there, or if they are the same.
    mutating func connect(_ child: String, to parent: String, _ row: DelimitedFile.Place) throws {
        try require(child, row)
        try require(parent, row)
        guard child != parent else { throw row.error(Self.cycle(child)) }
        edgeRows[edges.count] = row
        connect(child, to: parent)
    }

    private static func cycle(_ code: String) -> String { "the code '\(code)' is above itself: the release is damaged" }

    /// Writes all of it in one transaction, in place of the same version.
    ///
    /// - Throws: `KnowledgeError` with code `content` for a hierarchy with a cycle.
    func write(
        _ tables: CodeTables, kind: String, url: String, version: String, name: String, source: String,
        _ report: (String) throws -> Void
    ) throws -> CodeTables.System {
        guard !items.isEmpty else { throw KnowledgeError(.content, "\(source) has no codes") }
        let hierarchy: CodeHierarchy
        do { hierarchy = try CodeHierarchy(count: items.count, edges: edges) } catch let cycle as CodeHierarchy.Cycle {
            let problem = Self.cycle(items[cycle.concept].code)
            let edge = edges.firstIndex { Int($0.child) == cycle.concept && Int($0.parent) == cycle.parent }
            throw edge.flatMap { edgeRows[$0] }?.error(problem) ?? KnowledgeError(.content, "\(source): \(problem)")
        }
        try report("writing \(items.count) codes")
        return try tables.transaction { connection in
            for old in try tables.systems() where old.url == url && old.version == version { try CodeTableWriter.remove(old, connection) }
            let writer = try CodeTableWriter(connection)
            for place in hierarchy.order {
                let item = items[Int(place)]
                try writer.addConcept(code: item.code, display: item.display, flags: item.flags)
            }
            try writeNames(writer, hierarchy)
            for (number, place) in hierarchy.order.enumerated() {
                for value in items[Int(place)].values {
                    try writer.addValue(of: writer.firstConcept + Int64(number), property: value.property, value.value)
                }
            }
            try writer.addHierarchy(hierarchy, edges: edges)
            return try writer.finish(kind: kind, url: url, version: version, name: name)
        }
    }

    /// Writes the names in the order in which searches show them: the shortest first.
    private func writeNames(_ writer: CodeTableWriter, _ hierarchy: CodeHierarchy) throws {
        var names: [(concept: Int64, kind: String, language: String?, term: String)] = []
        for (number, place) in hierarchy.order.enumerated() {
            let item = items[Int(place)]
            let concept = writer.firstConcept + Int64(number)
            if !item.names.contains(where: { $0.term == item.display }) { names.append((concept, "", "en", item.display)) }
            names += item.names.map { (concept, $0.kind, $0.language, $0.term) }
        }
        let order = names.indices.sorted { (names[$0].term.utf8.count, $0) < (names[$1].term.utf8.count, $1) }
        for place in order {
            var term = names[place].term
            try term.withUTF8 { bytes in
                _ = try writer.addName(
                    of: names[place].concept, kind: names[place].kind, language: names[place].language, UnsafeRawBufferPointer(bytes))
            }
        }
    }
}
