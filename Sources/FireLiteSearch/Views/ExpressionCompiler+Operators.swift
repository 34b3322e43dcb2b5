import FireLite
import FireLiteCore
import FireLiteFHIRPath

extension ExpressionCompiler {
    // MARK: - Operators

    func binary(_ operation: PathOperator, left: Syntax, right: Syntax, focus: Focus) throws -> SQLCollection {
        func truths() throws -> (SQLFragment, SQLFragment) { (try truth(collection(left, focus)), try truth(collection(right, focus))) }
        func operands() throws -> (SQLCollection, SQLCollection) { (try collection(left, focus), try collection(right, focus)) }
        switch operation {
        case .and:
            let (one, two) = try truths()
            return .computed("(\(one) AND \(two))", .boolean)
        case .or:
            let (one, two) = try truths()
            return .computed("(\(one) OR \(two))", .boolean)
        case .xor:
            let (one, two) = try truths()
            return .computed("(\(one) <> \(two))", .boolean)
        case .implies:
            let (one, two) = try truths()
            return .computed("(NOT \(one) OR \(two))", .boolean)
        case .equal:
            let (one, two) = try operands()
            return .computed(try equality(one, two), .boolean)
        case .notEqual:
            let (one, two) = try operands()
            return .computed("(NOT \(try equality(one, two)))", .boolean)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let (one, two) = try operands()
            return .computed(try order(one, operation.rawValue, two), .boolean)
        case .add, .subtract, .multiply, .div, .mod, .concatenate:
            let (one, two) = try operands()
            return try calculated(one, operation, two)
        default: throw NotCompiled(what: "'\(operation.rawValue)'")
        }
    }

    // MARK: - Comparing

    /// Two collections that are compared; nil if one is always empty.
    private enum Operands {
        case values(SQLFragment, SQLFragment, SQLKind)
        case moments(SQLMoment, SQLMoment)
    }

    private func operands(_ left: SQLCollection, _ right: SQLCollection) throws -> Operands? {
        if case .nothing = left.value { return nil }
        if case .nothing = right.value { return nil }
        try checkValues(left.value)
        try checkValues(right.value)
        if let first = try moment(left.value), let second = try moment(right.value) { return .moments(first, second) }
        guard let (first, one) = value(left.value), let (second, two) = value(right.value) else {
            throw NotCompiled(what: "objects compared")
        }
        if case .temporal = one { throw NotCompiled(what: "a date compared with something else") }
        guard one == two || one.isNumber && two.isNumber else { throw NotCompiled(what: "values of different types compared") }
        return .values(first, second, one)
    }

    private func moment(_ value: SQLCollection.Value) throws -> SQLMoment? {
        switch value {
        case .moment(let moment): return SQLMoment(moment)
        case .column(let column): return SQLMoment(column)
        case .computed(_, .temporal): throw NotCompiled(what: "a computed date compared")
        default: return nil
        }
    }

    private func order(_ left: SQLCollection, _ operation: String, _ right: SQLCollection) throws -> SQLFragment {
        switch try operands(left, right) {
        case nil: return "NULL"
        case .values(_, _, .boolean)?: throw NotCompiled(what: "the order of truth values")
        case .values(let first, let second, _)?:
            return "(\(try scalar(left, first)) \(raw: operation) \(try scalar(right, second)))"
        case .moments(let first, let second)?:
            return "(\(try nested(left, right, SQLMoment.compare(first, operation, second))))"
        }
    }

    private func equality(_ left: SQLCollection, _ right: SQLCollection) throws -> SQLFragment {
        switch try operands(left, right) {
        case nil: return "NULL"
        case .values(let first, let second, _)?:
            if left.isSingle, right.isSingle { return "(\(try scalar(left, first)) = \(try scalar(right, second)))" }
            // Several values are never equal to one.
            let result: (SQLFragment, SQLFragment) -> SQLFragment = { "max(\($0)) = (\($1))" }
            if right.isSingle {
                let one = try scalar(right, second)
                return several(left, value: first, result: result(first, one), one: one)
            }
            if left.isSingle {
                let one = try scalar(left, first)
                return several(right, value: second, result: result(second, one), one: one)
            }
        case .moments(let first, let second)?:
            let isEqual = try SQLMoment.compare(first, "=", second)
            if left.isSingle, right.isSingle { return "(\(try nested(left, right, isEqual)))" }
            if right.isSingle, right.rows.isEmpty, let (many, _) = value(left.value), let (one, _) = value(right.value) {
                return several(left, value: many, result: "max(\(try scalar(right, one, isEqual)))", one: try scalar(right, one))
            }
            if left.isSingle, left.rows.isEmpty, let (many, _) = value(right.value), let (one, _) = value(left.value) {
                return several(right, value: many, result: "max(\(try scalar(left, one, isEqual)))", one: try scalar(left, one))
            }
        }
        throw NotCompiled(what: "collections compared")
    }

    private func several(_ many: SQLCollection, value: SQLFragment, result: SQLFragment, one: SQLFragment) -> SQLFragment {
        """
        (SELECT CASE count(\(value)) WHEN 0 THEN NULL WHEN 1 THEN \(result) ELSE CASE WHEN (\(one)) IS NULL THEN NULL ELSE 0 END END \
        FROM \(many.from) WHERE \(many.filter()))
        """
    }

    /// What is said about one value of each of two collections, within the rows of both.
    private func nested(_ left: SQLCollection, _ right: SQLCollection, _ result: SQLFragment) throws -> SQLFragment {
        guard let (first, _) = value(left.value), let (second, _) = value(right.value) else { throw NotCompiled(what: "objects compared") }
        if left.rows.isEmpty { return try scalar(right, second, scalar(left, first, result)) }
        guard right.rows.isEmpty || right.isSingle else { throw NotCompiled(what: "dates of two lists compared") }
        return try scalar(left, first, scalar(right, second, result))
    }

    // MARK: - Calculating

    func signed(_ input: SQLCollection, _ isNegative: Bool) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        guard let (sql, kind) = value(input.value), kind == .integer || kind == .decimal, !isLong(input.value) else {
            throw NotCompiled(what: "a sign")
        }
        try checkValues(input.value)
        let operand = try scalar(input, sql)
        guard isNegative else { return .computed("(\(operand))", kind) }
        return .computed(kind == .integer ? Self.inRange("-(\(operand))") : "(-(\(operand)))", kind)
    }

    /// An integer that is calculated, or NULL beyond 32 bits.
    private static func inRange(_ sql: SQLFragment) -> SQLFragment {
        "(SELECT CASE WHEN n BETWEEN -2147483648 AND 2147483647 THEN n END FROM (SELECT \(sql) AS n))"
    }

    /// Sums, differences and products of integers, which are empty beyond 32 bits, and texts put together. What decimals give depends on
    /// their digits, which SQLite's numbers do not have.
    private func calculated(_ left: SQLCollection, _ operation: PathOperator, _ right: SQLCollection) throws -> SQLCollection {
        let (first, second) = (try operand(left), try operand(right))
        if operation == .concatenate {
            for kind in [first?.kind, second?.kind] where kind != nil && kind != .text {
                throw NotCompiled(what: "'&' of other than texts")
            }
            let texts = [first, second].compactMap { $0 }.map { "coalesce(\($0.sql), '')" as SQLFragment }
            return .computed(texts.isEmpty ? "''" : "(\(.joined(texts, " || ")))", .text)
        }
        guard let first, let second else { return .nothing }
        switch (first.kind, second.kind) {
        case (.text, .text) where operation == .add: return .computed("(\(first.sql) || \(second.sql))", .text)
        case (.integer, .integer) where !isLong(left.value) && !isLong(right.value):
            let name = operation == .div ? "/" : operation == .mod ? "%" : operation.rawValue
            let result: SQLFragment = "(\(first.sql) \(raw: name) \(second.sql))"
            return .computed(Self.inRange(result), .integer)
        default: throw NotCompiled(what: "'\(operation.rawValue)' of these types")
        }
    }

    private func operand(_ input: SQLCollection) throws -> (sql: SQLFragment, kind: SQLKind)? {
        if case .nothing = input.value { return nil }
        guard let (sql, kind) = value(input.value) else { throw NotCompiled(what: "a calculation with objects") }
        try checkValues(input.value)
        return ("(\(try scalar(input, sql)))", kind)
    }

    /// Whether a value is an integer of 64 bits, which is another type for FHIRPath.
    private func isLong(_ value: SQLCollection.Value) -> Bool {
        if case .column(let column) = value { return column.type == .integer64 }
        return false
    }
}
