import FireLiteCore

/// A definition with its expressions read and checked for the classes of a release.
struct ViewPlan: Sendable {
    /// A column with its place among the row's.
    struct Column: Sendable {
        let definition: ViewDefinition.Column
        let path: FHIRPath
        /// The names of the types that its values may have; nil if they are not known.
        let typeNames: [String]?
        let place: String
        /// Whether its value is the number of the row alone, which a row without an element has too.
        var isRowIndex: Bool { definition.path == "%rowIndex" }
    }

    /// What the rows of a part are made for.
    enum Iteration: Sendable {
        case once
        case forEach(FHIRPath)
        case forEachOrNull(FHIRPath)
        case repeating([FHIRPath])
    }

    struct Select: Sendable {
        let place: String
        let iteration: Iteration
        let columns: [Column]
        let selects: [Select]
        let unionAll: [Select]

        /// Its columns, with those of its parts and of the first branch of its union.
        var allColumns: [Column] { columns + selects.flatMap(\.allColumns) + (unionAll.first?.allColumns ?? []) }

        /// Whether it repeats steps, or a part of it does.
        var repeats: Bool {
            if case .repeating = iteration { return true }
            return (selects + unionAll).contains(where: \.repeats)
        }

        /// Whether it has a union, or a part of it does.
        var hasUnion: Bool { !unionAll.isEmpty || selects.contains(where: \.hasUnion) }
    }

    /// A condition with its place.
    struct Condition: Sendable {
        let path: FHIRPath
        let place: String
    }

    let definition: ViewDefinition
    let layout: Layout
    let selects: [Select]
    let conditions: [Condition]
    let columns: [String]

    /// The name of the variable with the number of the row.
    static let rowIndex = "rowIndex"

    /// Checks a definition for a release.
    ///
    /// - Throws: `ViewError`.
    init(_ definition: ViewDefinition, release: FHIRRelease) throws {
        try definition.check()
        guard let layout = release.resourceLayout(named: definition.resource) else {
            throw ViewError(.definition, "FHIR \(release.name) has no resource type '\(definition.resource)'", at: "resource")
        }
        let compiler = ViewPlanner(definition, release)
        let input = ExpressionType.object(layout)
        self.definition = definition
        self.layout = layout
        columns = definition.columnNames
        conditions = try definition.conditions.enumerated().map { number, path in
            let place = "where[\(number)].path"
            let (path, type) = try compiler.expression(path, on: input, at: place)
            guard type.mayBeBoolean else { throw ViewError(.notBoolean, "a condition is true or false", at: place) }
            return Condition(path: path, place: place)
        }
        selects = try definition.selects.enumerated().map { try compiler.select($1, on: input, at: "select[\($0)]") }
    }

    /// Whether an expression may ask a terminology.
    var asksTerminology: Bool {
        let text = definition.json
        return ["memberOf", "subsume", "terminologies"].contains { text.contains($0) }
    }

    /// The values of the variables that every expression has.
    var variables: [String: [FHIRPathValue]] {
        Dictionary(uniqueKeysWithValues: definition.constants.map { ($0.name, [FHIRPathValue($0)]) })
    }
}

extension FHIRPathValue {
    /// The value of a constant.
    init(_ constant: ViewDefinition.Constant) { self.init(Item.text(constant.literal, constant.type)) }
}

/// Reads the expressions of a definition.
private struct ViewPlanner {
    private let release: FHIRRelease
    private let variables: [String: ExpressionType]
    private let options: FHIRPathOptions

    init(_ definition: ViewDefinition, _ release: FHIRRelease) {
        self.release = release
        var variables = Dictionary(uniqueKeysWithValues: definition.constants.map { ($0.name, ExpressionType.primitive($0.type)) })
        variables[ViewPlan.rowIndex] = .integer
        self.variables = variables
        // Expressions are checked here, once.
        var options = FHIRPathOptions()
        options.checksModel = false
        options.joinsNothing = true
        self.options = options
    }

    func expression(_ text: String, on input: ExpressionType, at place: String) throws -> (FHIRPath, ExpressionType) {
        do {
            let path = try FHIRPath(text, options: options)
            return (path, try path.resultType(on: input, release: release, variables: variables))
        } catch let error as FHIRPathError {
            throw ViewError(.expression, "\(error)", at: place)
        }
    }

    func select(_ select: ViewDefinition.Select, on input: ExpressionType, at place: String) throws -> ViewPlan.Select {
        let (iteration, focus) = try iteration(select.iteration, on: input, at: place)
        return ViewPlan.Select(
            place: place, iteration: iteration,
            columns: try select.columns.enumerated().map { number, column in
                let place = "\(place).column[\(number)].path"
                let (path, type) = try expression(column.path, on: focus, at: place)
                return ViewPlan.Column(definition: column, path: path, typeNames: type.names, place: place)
            },
            selects: try select.selects.enumerated().map { try self.select($1, on: focus, at: "\(place).select[\($0)]") },
            unionAll: try select.unionAll.enumerated().map { try self.select($1, on: focus, at: "\(place).unionAll[\($0)]") })
    }

    private func iteration(
        _ iteration: ViewDefinition.Iteration, on input: ExpressionType, at place: String
    ) throws -> (ViewPlan.Iteration, ExpressionType) {
        switch iteration {
        case .once: return (.once, input)
        case .forEach(let text):
            let (path, type) = try expression(text, on: input, at: "\(place).forEach")
            return (.forEach(path), type)
        case .forEachOrNull(let text):
            let (path, type) = try expression(text, on: input, at: "\(place).forEachOrNull")
            return (.forEachOrNull(path), type)
        case .repeating(let texts):
            var paths: [FHIRPath] = []
            var types: [ExpressionType] = []
            for (number, text) in texts.enumerated() {
                let (path, type) = try expression(text, on: .unknown, at: "\(place).repeat[\(number)]")
                paths.append(path)
                types.append(type)
            }
            // What one step reaches is known if each begins at an element of the input; the others follow from what those reach.
            return (.repeating(paths), try reached(texts, from: input, at: place))
        }
    }

    /// What repeated steps reach. At least one of them must fit the input.
    private func reached(_ texts: [String], from input: ExpressionType, at place: String) throws -> ExpressionType {
        var failure: ViewError?
        var isFound = false
        for (number, text) in texts.enumerated() {
            do {
                _ = try expression(text, on: input, at: "\(place).repeat[\(number)]")
                isFound = true
            } catch let error as ViewError {
                failure = failure ?? error
            }
        }
        if !isFound, let failure { throw failure }
        return .unknown
    }
}

/// How the rows of a view are made.
package enum ViewBackEnd: Sendable {
    /// By one SQL statement if it can be one, else from objects.
    case automatic
    /// By one SQL statement; an error if it cannot be one.
    case sql
    /// From objects, by FHIRPath.
    case objects
}
