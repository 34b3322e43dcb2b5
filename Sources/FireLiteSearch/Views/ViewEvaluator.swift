import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// Makes the rows of a view from objects, by FHIRPath (SQL on FHIR, Processing Algorithm).
struct ViewEvaluator {
    let plan: ViewPlan
    private let variables: [String: [FHIRPathValue]]
    private var context = FHIRPathContext()

    /// Parts that are combined each with each can make any number of rows of a small resource.
    private static let maximumRows = 1_000_000
    /// Elements are nested less deeply than this, as JSON is.
    private static let maximumDepth = 200

    init(
        _ plan: ViewPlan, bases: [String] = [], terminology: (any FHIRPathTerminology)? = nil,
        resolve: ((String) throws -> FHIRResource?)? = nil
    ) {
        self.plan = plan
        variables = plan.variables
        context.release = plan.layout.release
        context.resolve = resolve
        context.bases = bases
        context.terminology = terminology
        context.interrupt = FHIRStore.checkCancellation
    }

    /// Calls `body` with each row of a resource.
    mutating func forEachRow(of resource: FHIRResource, _ body: ([ViewValue]) throws -> Void) throws {
        guard resource.layout === plan.layout else { return }
        context.resource = resource
        let focus = FHIRPathValue(resource)
        for condition in plan.conditions where try !isMet(condition, focus) { return }
        var rows: [[ViewValue]] = [[]]
        for select in plan.selects { rows = try product(rows, self.rows(select, focus, 0)) }
        for row in rows { try body(row) }
    }

    private mutating func evaluate(_ path: FHIRPath, focus: FHIRPathValue, index: Int, place: String) throws -> [FHIRPathValue] {
        context.variables = variables
        context.variables[ViewPlan.rowIndex] = [FHIRPathValue(index)]
        do {
            return try path.evaluate(on: [focus], context: context)
        } catch let error as FHIRPathError {
            throw ViewError(.expression, "\(error)", at: place)
        }
    }

    private mutating func isMet(_ condition: ViewPlan.Condition, _ focus: FHIRPathValue) throws -> Bool {
        let values = try evaluate(condition.path, focus: focus, index: 0, place: condition.place)
        guard let value = values.first else { return false }
        guard values.count == 1, let truth = value.bool else {
            throw ViewError(.notBoolean, "a condition is true or false", at: condition.place)
        }
        return truth
    }

    /// The rows of a part, with its columns alone.
    private mutating func rows(_ select: ViewPlan.Select, _ outer: FHIRPathValue, _ outerIndex: Int) throws -> [[ViewValue]] {
        let foci: [FHIRPathValue]
        switch select.iteration {
        case .once: return try rows(select, focus: outer, outerIndex)
        case .forEach(let path): foci = try evaluate(path, focus: outer, index: outerIndex, place: "\(select.place).forEach")
        case .forEachOrNull(let path):
            foci = try evaluate(path, focus: outer, index: outerIndex, place: "\(select.place).forEachOrNull")
            if foci.isEmpty { return [select.allColumns.map { $0.isRowIndex ? .integer(0) : .null }] }
        case .repeating(let paths): foci = try reached(paths, focus: outer, index: outerIndex, place: select.place, depth: 0)
        }
        var result: [[ViewValue]] = []
        for (index, focus) in foci.enumerated() {
            try FHIRStore.checkCancellation()
            result += try rows(select, focus: focus, index)
            try count(result.count)
        }
        return result
    }

    /// What steps reach, each element before those below it.
    private mutating func reached(
        _ paths: [FHIRPath], focus: FHIRPathValue, index: Int, place: String, depth: Int
    ) throws -> [FHIRPathValue] {
        guard depth < Self.maximumDepth else {
            throw ViewError(.limit, "the expressions lead deeper than \(Self.maximumDepth) levels", at: "\(place).repeat")
        }
        var result: [FHIRPathValue] = []
        for (number, path) in paths.enumerated() {
            for child in try evaluate(path, focus: focus, index: index, place: "\(place).repeat[\(number)]") {
                result.append(child)
                result += try reached(paths, focus: child, index: index, place: place, depth: depth + 1)
                try count(result.count)
            }
        }
        return result
    }

    private mutating func rows(_ select: ViewPlan.Select, focus: FHIRPathValue, _ index: Int) throws -> [[ViewValue]] {
        var row: [ViewValue] = []
        for column in select.columns { row.append(try value(column, focus, index)) }
        var result = [row]
        for inner in select.selects where !result.isEmpty { result = try product(result, rows(inner, focus, index)) }
        guard !select.unionAll.isEmpty, !result.isEmpty else { return result }
        var branches: [[ViewValue]] = []
        for branch in select.unionAll { branches += try rows(branch, focus, index) }
        return try product(result, branches)
    }

    private mutating func value(_ column: ViewPlan.Column, _ focus: FHIRPathValue, _ index: Int) throws -> ViewValue {
        let values = try evaluate(column.path, focus: focus, index: index, place: column.place)
        if column.definition.isCollection { return .list(values.map { ViewValue($0) }) }
        guard values.count <= 1 else {
            throw ViewError(
                .severalValues, "the column '\(column.definition.name)' gets several values and is no collection", at: column.place)
        }
        return values.first.map { ViewValue($0) } ?? .null
    }

    private func product(_ left: [[ViewValue]], _ right: [[ViewValue]]) throws -> [[ViewValue]] {
        if left.count == 1, left[0].isEmpty { return right }
        try count(left.count.multipliedReportingOverflow(by: right.count).partialValue)
        return left.flatMap { first in right.map { first + $0 } }
    }

    private func count(_ rows: Int) throws {
        guard rows <= Self.maximumRows else {
            throw ViewError(.limit, "a resource makes more than \(Self.maximumRows) rows", at: "select")
        }
    }
}
