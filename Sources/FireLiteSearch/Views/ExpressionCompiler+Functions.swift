import FireLite
import FireLiteCore
import FireLiteFHIRPath

extension ExpressionCompiler {
    // MARK: - Functions

    func function(_ name: String, _ arguments: [Syntax], on input: SQLCollection, _ focus: Focus) throws -> SQLCollection {
        guard let function = Function.named(name), let form = function.sql, function.counts.contains(arguments.count) else {
            throw NotCompiled(what: "'\(name)'")
        }
        switch form {
        case .exists: return .computed(try exists(arguments.first.map { try filtered(input, by: $0) } ?? input), .boolean)
        case .empty: return .computed("NOT \(try exists(input))", .boolean)
        case .not: return .computed("NOT \(try truth(input))", .boolean)
        case .count: return .computed(try count(input), .integer)
        case .join: return try join(input, arguments.first.map { try collection($0, focus) })
        case .resourceKey:
            guard case .object(let place) = input.value, place.isRoot, let slot = place.layout.element(named: "id")?.slot,
                case .column(let id) = walk.member(slot, of: place)
            else { throw NotCompiled(what: "getResourceKey of an element") }
            return .computed("\(bind: .text(place.layout.name + "/")) || \(id)", .text)
        case .referenceKey: return try referenceKey(input, arguments.first)
        case .lowBoundary: return try boundary(input, isHigh: false, arguments)
        case .highBoundary: return try boundary(input, isHigh: true, arguments)
        // Paths are resolved before this is asked; what is left has no type for an argument.
        case .filter, .first, .ofType, .cast, .typeTest, .extensions: throw NotCompiled(what: "'\(name)'")
        }
    }

    private func join(_ input: SQLCollection, _ separator: SQLCollection?) throws -> SQLCollection {
        var text: SQLFragment = "''"
        if let separator {
            guard case .computed(let sql, .text) = separator.value else { throw NotCompiled(what: "a separator") }
            text = sql
        }
        if case .nothing = input.value { return .computed("''", .text) }
        guard !input.rows.isEmpty, case .column(let column) = input.value, column.type.storage == .text else {
            throw NotCompiled(what: "'join' of one value")
        }
        let rows: SQLFragment =
            "SELECT \(column) AS v FROM \(input.from) WHERE \(input.filter(["\(column) IS NOT NULL"])) ORDER BY \(input.order)"
        return .computed("coalesce((SELECT group_concat(v, \(text)) FROM (\(rows))), '')", .text)
    }

    /// The bounds of a date or time; those of a number depend on its literal.
    private func boundary(_ input: SQLCollection, isHigh: Bool, _ arguments: [Syntax]) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        guard arguments.isEmpty, case .column(let column) = input.value, column.type.storage == .temporal else {
            throw NotCompiled(what: "a boundary of other than a date or time")
        }
        if column.name == nil { return .nothing }
        guard input.isSingle else { throw NotCompiled(what: "a boundary of several values") }
        var result = input
        result.plainList = nil
        result.value = .computed(SQLMoment.boundary(column, isHigh: isHigh), .temporal(column.type))
        return result
    }

    private func referenceKey(_ input: SQLCollection, _ argument: Syntax?) throws -> SQLCollection {
        var type: String?
        if let argument {
            guard let name = argument.typeName?.name, name.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw NotCompiled(what: "a type")
            }
            type = name
        }
        if case .nothing = input.value { return .nothing }
        guard case .object(let place) = input.value, let slot = place.layout.element(named: "reference")?.slot else {
            throw NotCompiled(what: "getReferenceKey of a primitive")
        }
        guard case .column(let reference) = walk.member(slot, of: place), reference.name != nil else { return .nothing }
        var result = input
        result.plainList = nil
        result.value = .computed("(\(SQLText.referenceKey(reference.sql, type: type, bases)))", .text)
        result.reference = SQLCollection.ReferenceKey(text: reference.sql, type: type)
        return result
    }
}
