import FireLiteCore

/// A flat view of the resources of a type: columns by FHIRPath expressions (SQL on FHIR v2, ViewDefinition).
///
/// ```swift
/// let view = try ViewDefinition(json: json)
/// for try await row in store.rows(view) { print(row["family"]) }
/// ```
/// A definition is read and compared without a store; whether its expressions fit the classes of a release is checked when it is used, or
/// by `validate(for:)`.
public struct ViewDefinition: Sendable, Hashable {
    /// A value that expressions name by `%name`.
    public struct Constant: Sendable, Hashable {
        /// The name, without `%`.
        public var name: String
        /// The FHIR type of the value.
        public var type: PrimitiveType
        /// The value's literal, as in FHIR's JSON.
        public var literal: String

        /// A constant.
        ///
        /// - Parameters:
        ///   - name: the name, without `%`.
        ///   - type: the FHIR type of the value.
        ///   - literal: the value's literal.
        public init(name: String, type: PrimitiveType, literal: String) {
            self.name = name
            self.type = type
            self.literal = literal
        }
    }

    /// A column.
    public struct Column: Sendable, Hashable {
        /// The name: letters, digits and underscores, beginning with a letter.
        public var name: String
        /// The expression for the value.
        public var path: String
        /// The FHIR type of the values, if the definition states it.
        public var type: String?
        /// Whether the column has a list of values. One that is not, and gets several, is an error.
        public var isCollection: Bool

        /// A column.
        ///
        /// - Parameters:
        ///   - name: the name of the column.
        ///   - path: the expression for the value.
        ///   - type: the FHIR type of the values.
        ///   - isCollection: whether the column has a list of values.
        public init(name: String, path: String, type: String? = nil, isCollection: Bool = false) {
            self.name = name
            self.path = path
            self.type = type
            self.isCollection = isCollection
        }
    }

    /// The elements for which a part of a view makes rows.
    public enum Iteration: Sendable, Hashable {
        /// One row for the resource, or for the element of the part around it.
        case once
        /// A row for each result of an expression.
        case forEach(String)
        /// A row for each result of an expression, and one with empty columns if there is none.
        case forEachOrNull(String)
        /// A row for each element that the expressions reach, and for what they reach from there, to any depth.
        case repeating([String])
    }

    /// A part of a view: its columns, and parts whose rows are combined with them.
    public struct Select: Sendable, Hashable {
        /// The elements for which it makes rows.
        public var iteration: Iteration
        /// Its own columns.
        public var columns: [Column]
        /// Parts whose rows are combined with its row, each with each.
        public var selects: [Select]
        /// Parts with the same columns, whose rows follow each other.
        public var unionAll: [Select]

        /// A part of a view.
        ///
        /// - Parameters:
        ///   - iteration: what it makes rows for.
        ///   - columns: its own columns.
        ///   - selects: parts whose rows are combined with its row.
        ///   - unionAll: parts with the same columns, whose rows follow each other.
        public init(_ iteration: Iteration = .once, columns: [Column] = [], selects: [Select] = [], unionAll: [Select] = []) {
            self.iteration = iteration
            self.columns = columns
            self.selects = selects
            self.unionAll = unionAll
        }
    }

    /// The name of the view, for tables; nil if it has none.
    public var name: String?
    /// The type of the resources.
    public var resource: String
    /// Values that expressions name.
    public var constants: [Constant]
    /// The parts of the view.
    public var selects: [Select]
    /// Conditions that resources must meet.
    public var conditions: [String]

    /// A view.
    ///
    /// - Parameters:
    ///   - name: the name, for tables.
    ///   - resource: the type of the resources.
    ///   - constants: values that expressions name.
    ///   - selects: the parts of the view.
    ///   - conditions: conditions that resources must meet.
    public init(
        name: String? = nil, resource: String, constants: [Constant] = [], selects: [Select], conditions: [String] = []
    ) {
        self.name = name
        self.resource = resource
        self.constants = constants
        self.selects = selects
        self.conditions = conditions
    }

    /// The names of the columns, in their order.
    public var columnNames: [String] { selects.flatMap(\.columnNames) }
}

extension ViewDefinition.Select {
    /// The names of its columns, in their order: its own, those of its parts, and those of the union.
    var columnNames: [String] { columns.map(\.name) + selects.flatMap(\.columnNames) + (unionAll.first?.columnNames ?? []) }
}
