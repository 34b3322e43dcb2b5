import FireLite
import FireLiteCore

/// A view as a program that publishes it reads it from the file: a statement with the number of each row's resource, and the types of the columns.
///
/// The statement gives `_root`, the number of the resource in `_resource`, and the columns in their order. Truth values are 0 and 1. Decimals are
/// text; dates and times are text in UTC, without a zone. A column `_aside_NAME` after such a column has the rest of the literal: the digits of a
/// decimal whose shortest form they are not, and the offset of a time, as the page *File format* describes. Collections are JSON. References whose
/// keys are asked for are texts as they are stored, as SQLite would spend half of its time on them.
public struct PublishedView: Sendable, Hashable {
    /// A column of the view.
    public struct Column: Sendable, Hashable {
        /// The name.
        public let name: String
        /// `boolean`, `integer`, `decimal`, `date`, `dateTime`, `instant`, `time` or `string`.
        public let type: String
        /// Whether it has lists of values.
        public let isCollection: Bool
        /// Whether the statement has a column with the rest of its literals.
        public let hasAside: Bool
        /// Whose keys the values are, if the statement gives references.
        public let references: References?
    }

    /// The resources that references are resolved to.
    public enum References: Sendable, Hashable {
        /// Those of any type.
        case anyType
        /// Those of one type. A reference to another has no key.
        case type(String)
    }

    /// The name of the view.
    public let name: String
    /// The type of the resources.
    public let resource: String
    /// The columns.
    public let columns: [Column]
    /// The statement; nil if the file has no table of the type yet, and so no rows.
    public let sql: String?
    /// The statement for some resources: parameter 1 is a list of their numbers, as JSON. Nil as `sql` is.
    public let changesSQL: String?
    /// What determines the rows of a resource besides its content: the definition, and the base addresses of the store.
    public let definition: String

    /// The column with the number of the resource.
    static let root = "_root"

    /// The column with the rest of a literal. No column of a view begins with an underscore.
    static func aside(of column: String) -> String { "_aside_\(column)" }

    static func hasAside(_ kind: SQLKind, isCollection: Bool) -> Bool {
        switch kind {
        case .decimal, .temporal(.dateTime), .temporal(.instant): !isCollection
        default: false
        }
    }

    /// The condition that a resource is one of those in parameter 1.
    static func restriction(to alias: RowAlias) -> SQLFragment {
        "\(alias)._k IN (SELECT value << 24 FROM json_each(?1))"
    }
}

extension FHIRStore {
    /// The statement by which a view is published, and the types of its columns, in one snapshot.
    ///
    /// It names the tables and columns that the file has now, so ask again after each change of the file's schema (`PRAGMA schema_version`).
    ///
    /// - Parameter view: the view, which needs a name.
    /// - Throws: `ViewError`, with code `notCompiled` if the view cannot be one statement, and `columns` if two of them differ in case alone;
    ///   `FHIRStoreError`.
    public func published(_ view: ViewDefinition) throws -> PublishedView {
        guard let name = view.name else { throw ViewError(.definition, "a published view needs a name", at: "name") }
        let plan = try ViewPlan(view, release: release)
        try view.checkNamesForTables()
        let (statement, changes, bases) = try read { transaction in
            let bases = try transaction.bases()
            let statements = try [ViewCompiler.Form.published, .publishedChanges].map {
                try ViewCompiler.statement(plan, transaction.tableWalk(), $0, bases: bases)
            }
            return (statements[0], statements[1], bases)
        }
        let compiled = Dictionary((statement?.columns ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let columns = plan.selects.flatMap(\.allColumns).map { column in
            let (name, isCollection) = (column.definition.name, column.definition.isCollection)
            let kind = compiled[name]?.kind
            return PublishedView.Column(
                name: name, type: column.publishedType(kind), isCollection: isCollection,
                hasAside: kind.map { PublishedView.hasAside($0, isCollection: isCollection) } ?? false,
                references: compiled[name].flatMap { PublishedView.References($0.decoding) })
        }
        return PublishedView(
            name: name, resource: view.resource, columns: columns, sql: try statement?.literalText, changesSQL: try changes?.literalText,
            definition: JSONText.object([
                ("bases", JSONText.array(bases.map { JSONText.string($0) })), ("release", JSONText.string(release.name)),
                ("view", view.json),
            ]))
    }
}

extension PublishedView.References {
    init?(_ decoding: ViewCompiler.Decoding) {
        guard case .referenceKey(let type) = decoding else { return nil }
        self = type.map { .type($0) } ?? .anyType
    }
}

extension ViewPlan.Column {
    /// The type of the values: by the expression, which does not depend on what is stored; else by what the statement found.
    fileprivate func publishedType(_ kind: SQLKind?) -> String {
        let types = Set((typeNames ?? []).map { Self.type(named: $0) })
        if types.count == 1, let type = types.first { return type }
        switch kind {
        case .boolean?: return "boolean"
        case .integer?: return "integer"
        case .decimal?: return "decimal"
        case .temporal(let type)?: return type.name
        case .text?, nil: return definition.type.map { Self.type(named: $0) } ?? "string"
        }
    }

    private static func type(named name: String) -> String {
        switch name {
        case "boolean", "Boolean": "boolean"
        case "integer", "positiveInt", "unsignedInt", "integer64", "Integer", "Long": "integer"
        case "decimal", "Decimal": "decimal"
        case "date", "Date": "date"
        case "dateTime", "DateTime": "dateTime"
        case "instant", "time": name
        case "Time": "time"
        default: "string"
        }
    }
}
