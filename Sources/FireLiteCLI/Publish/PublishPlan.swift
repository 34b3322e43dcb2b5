import FireLite
import FireLiteCore
import FireLiteSearch
import Foundation

/// What the program `firelite-lake` is given: the databases, and the statements of their views.
struct PublishPlan {
    /// The number of the form of the plan, which the program must know.
    private static let form = 3

    let lake: String
    /// The files with the definitions; empty for the ready-made views.
    let definitions: [String]
    let isSinceLast: Bool
    let isByIdentity: Bool
    /// Whether resources are published too, each type as a table.
    let hasResources: Bool

    /// The name of a database in the lake: its file's, without the ending.
    static func name(of path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let isDatabase = ["sqlite", "sqlite3", "db"].contains(url.pathExtension)
        return (isDatabase ? url.deletingPathExtension() : url).lastPathComponent
    }

    /// The plan as JSON.
    ///
    /// - Throws: `ViewError`; `ToolError`.
    func json(_ databases: [DatabaseArgument], _ console: Console) throws -> String {
        let views = try definitions.flatMap { try Self.views(inFileAt: $0, console) }
        let stores = try databases.map { database in
            let store = try database.openForReading()
            return try database.located { try json(store, database, views) }
        }
        return JSONText.object([
            ("plan", "\(Self.form)"), ("lake", JSONText.string(lake)), ("sinceLast", "\(isSinceLast)"),
            ("stores", JSONText.array(stores)),
        ])
    }

    private func json(_ store: FHIRStore, _ database: DatabaseArgument, _ views: [ViewDefinition]) throws -> String {
        // The number first: a later one says that the statements may lack columns.
        let schema = try store.sql("PRAGMA schema_version").first?.values.first
        let published = try (definitions.isEmpty ? ViewDefinition.standard(for: store.release) : views).map { try store.published($0) }
        return JSONText.object([
            ("path", JSONText.string(URL(fileURLWithPath: database.path).standardizedFileURL.path)),
            ("name", isByIdentity ? "null" : JSONText.string(Self.name(of: database.path))),
            ("release", JSONText.string(store.release.name)), ("schemaVersion", "\(Self.number(schema))"),
            ("views", JSONText.array(published.map { Self.json($0) })),
            ("resources", try hasResources ? ResourceTree(store).json() : "[]"),
        ])
    }

    private static func number(_ value: SQLValue?) -> Int64 {
        if case .integer(let number)? = value { number } else { 0 }
    }

    private static func json(_ view: PublishedView) -> String {
        let columns = view.columns.map { column in
            JSONText.object([
                ("name", JSONText.string(column.name)), ("type", JSONText.string(column.type)), ("collection", "\(column.isCollection)"),
                ("aside", "\(column.hasAside)"), ("references", json(column.references)),
            ])
        }
        return JSONText.object([
            ("name", JSONText.string(view.name)), ("resource", JSONText.string(view.resource)), ("columns", JSONText.array(columns)),
            ("sql", view.sql.map { JSONText.string($0) } ?? "null"), ("changesSQL", view.changesSQL.map { JSONText.string($0) } ?? "null"),
            ("definition", view.definition),
        ])
    }

    /// The type of the resources, `""` for any, or null if the statement gives no references.
    private static func json(_ references: PublishedView.References?) -> String {
        switch references {
        case .type(let name)?: JSONText.string(name)
        case .anyType?: JSONText.string("")
        case nil: "null"
        }
    }

    /// The definitions in a file: one, or one on each line.
    private static func views(inFileAt path: String, _ console: Console) throws -> [ViewDefinition] {
        let bytes = try FileContents.bytes(of: path, console)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.contains { $0 > UInt8(ascii: " ") } }
        let isLines =
            lines.count > 1
            && lines.allSatisfy { line in
                line.first == UInt8(ascii: "{") && line.last { $0 > UInt8(ascii: " ") } == UInt8(ascii: "}")
            }
        return try (isLines ? lines.map { Data($0) } : [bytes]).map { json in
            var view = try ViewDefinition(json: json)
            if view.name == nil, !isLines { view.name = name(ofDefinitionAt: path) }
            return view
        }
    }

    /// The name of a view that has none: its file's.
    private static func name(ofDefinitionAt path: String) -> String? {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) == nil ? nil : name
    }
}
