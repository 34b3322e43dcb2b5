import FireLiteCore
import Foundation

extension ViewDefinition {
    /// Reads a definition.
    ///
    /// - Parameter json: the JSON of a `ViewDefinition`, with or without `resourceType`.
    /// - Throws: `ViewError` with code `definition` or `columns`, and the place.
    public init(json: Data) throws {
        let root: JSONItem
        do throws(JSONItemError) { root = try JSONItemReader.read(json) } catch {
            throw ViewError(.definition, "this is not JSON: line \(error.line): \(error.problem)", at: "")
        }
        try self.init(ViewReader(root, ""))
        try check()
    }

    private init(_ reader: ViewReader) throws {
        if let type = try reader.string("resourceType"), type != "ViewDefinition" {
            throw reader.error("this is not a ViewDefinition", at: "resourceType")
        }
        name = try reader.string("name")
        resource = try reader.required("resource")
        constants = try reader.list("constant").map { try Constant($0) }
        selects = try reader.list("select").map { try Select($0) }
        if selects.isEmpty { throw reader.error("a view has at least one part", at: "select") }
        conditions = try reader.list("where").map { try $0.required("path") }
    }

    /// Checks names and columns, for which no release is needed.
    ///
    /// - Throws: `ViewError`.
    func check() throws {
        if let name { try Self.checkName(name, "name") }
        var known: Set<String> = []
        for (number, constant) in constants.enumerated() {
            let place = "constant[\(number)]"
            try Self.checkName(constant.name, "\(place).name")
            guard known.insert(constant.name).inserted else {
                throw ViewError(.definition, "there is another constant '\(constant.name)'", at: "\(place).name")
            }
            guard SlotValue(literal: constant.literal, constant.type) != nil else {
                throw ViewError(.definition, "the value is no \(constant.type.name)", at: place)
            }
        }
        var columns: [(column: Column, place: String)] = []
        for (number, select) in selects.enumerated() { try Self.collect(select, "select[\(number)]", &columns) }
        if columns.isEmpty { throw ViewError(.columns, "the view has no columns", at: "select") }
    }

    /// SQLite and Delta Lake ignore the case of names: a table has no two columns whose names differ in it alone.
    func checkNamesForTables() throws {
        var known: [String: String] = [:]
        for name in columnNames {
            guard let other = known.updateValue(name, forKey: name.lowercased()) else { continue }
            throw ViewError(
                .columns, "the names '\(other)' and '\(name)' differ in case alone, which tables ignore: rename a column", at: "select")
        }
    }

    private static func checkName(_ name: String, _ place: String) throws {
        guard name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil else {
            throw ViewError(.definition, "a name has letters, digits and underscores, and begins with a letter", at: place)
        }
    }

    /// Appends the columns of a part (SQL on FHIR, ValidateColumns).
    private static func collect(_ select: Select, _ place: String, _ columns: inout [(column: Column, place: String)]) throws {
        for (number, column) in select.columns.enumerated() {
            let place = "\(place).column[\(number)]"
            try checkName(column.name, "\(place).name")
            if columns.contains(where: { $0.column.name == column.name }) {
                throw ViewError(.columns, "there is another column '\(column.name)'", at: "\(place).name")
            }
            columns.append((column, place))
        }
        for (number, inner) in select.selects.enumerated() { try collect(inner, "\(place).select[\(number)]", &columns) }
        var first: [Column]?
        let before = columns
        for (number, branch) in select.unionAll.enumerated() {
            let place = "\(place).unionAll[\(number)]"
            var all = before
            try collect(branch, place, &all)
            let own = all.dropFirst(before.count).map(\.column)
            guard let expected = first else {
                first = own
                columns = all
                continue
            }
            guard own.map(\.name) == expected.map(\.name) else {
                throw ViewError(.columns, "the columns are not those of the first branch, in their order", at: place)
            }
            for (one, two) in zip(expected, own) {
                guard one.isCollection == two.isCollection, one.type == two.type || one.type == nil || two.type == nil else {
                    throw ViewError(.columns, "the column '\(two.name)' has another type than in the first branch", at: place)
                }
            }
        }
    }
}

extension ViewDefinition.Constant {
    /// The types that a constant may have (SQL on FHIR, ViewDefinition.constant.value).
    private static let types: [PrimitiveType] = [
        .base64Binary, .boolean, .canonical, .code, .date, .dateTime, .decimal, .id, .instant, .integer, .integer64, .oid, .string,
        .positiveInt, .time, .unsignedInt, .uri, .url, .uuid,
    ]

    fileprivate init(_ reader: ViewReader) throws {
        let values = Self.types.filter { reader.has(Self.member($0)) }
        guard let type = values.first, values.count == 1 else {
            throw reader.error("a constant has exactly one value, such as valueString or valueInteger", at: "")
        }
        try self.init(name: reader.required("name"), type: type, literal: reader.literal(Self.member(type), type))
    }

    private static func member(_ type: PrimitiveType) -> String { "value" + type.name.prefix(1).uppercased() + type.name.dropFirst() }
}

extension ViewDefinition.Select {
    private static let members: Set<String> = [
        "column", "select", "forEach", "forEachOrNull", "repeat", "unionAll", "id", "extension", "modifierExtension", "name", "description",
    ]

    fileprivate init(_ reader: ViewReader) throws {
        if let unknown = reader.names.first(where: { !Self.members.contains($0) && !$0.hasPrefix("_") }) {
            throw reader.error("a part of a view has no element '\(unknown)'", at: "")
        }
        var iterations: [ViewDefinition.Iteration] = []
        if let path = try reader.string("forEach") { iterations.append(.forEach(path)) }
        if let path = try reader.string("forEachOrNull") { iterations.append(.forEachOrNull(path)) }
        if reader.has("repeat") {
            let paths = try reader.strings("repeat")
            if paths.isEmpty { throw reader.error("expected at least one expression", at: "repeat") }
            iterations.append(.repeating(paths))
        }
        guard iterations.count <= 1 else {
            throw reader.error("forEach, forEachOrNull and repeat exclude each other", at: "")
        }
        try self.init(
            iterations.first ?? .once, columns: reader.list("column").map { try ViewDefinition.Column($0) },
            selects: reader.list("select").map { try ViewDefinition.Select($0) },
            unionAll: reader.list("unionAll").map { try ViewDefinition.Select($0) })
    }
}

extension ViewDefinition.Column {
    fileprivate init(_ reader: ViewReader) throws {
        try self.init(
            name: reader.required("name"), path: reader.required("path"), type: reader.string("type"),
            isCollection: reader.boolean("collection") ?? false)
    }
}
