import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// Turns expressions into SQL on the tables, as far as they are paths, conditions and a few functions. For others it throws `NotCompiled`.
///
/// Empty collections are NULL, and SQL's three-valued logic is FHIRPath's.
struct ExpressionCompiler {
    let map: TableMap
    let constants: [String: ViewDefinition.Constant]
    /// Whether the SQL outlives the columns that the file has now.
    let isLasting: Bool
    /// The base addresses under which references are to the store's own resources.
    let bases: SQLText.Bases

    /// What an expression is evaluated on.
    struct Focus {
        var item: SQLCollection
        /// The number of the row; nil if it cannot be said in SQL.
        var rowIndex: String?
    }

    // MARK: - Collections

    func collection(_ syntax: Syntax, _ focus: Focus) throws -> SQLCollection {
        try collection(syntax, focus, on: focus.item, isFirst: true)
    }

    private func collection(_ syntax: Syntax, _ focus: Focus, on input: SQLCollection, isFirst: Bool) throws -> SQLCollection {
        switch syntax.form {
        case .this: return focus.item
        case .member(let name): return try member(name, of: input, isFirst: isFirst)
        case .invocation(let left, let right):
            return try collection(right, focus, on: collection(left, focus, on: input, isFirst: isFirst), isFirst: false)
        case .indexer(let left, let index):
            let number: Int64
            switch index.form {
            case .integer(let value): number = value
            case .variable(let name):
                guard let constant = constants[name], let value = Int64(constant.literal) else { throw NotCompiled(what: "an index") }
                number = value
            default: throw NotCompiled(what: "an index")
            }
            return try item(number, of: collection(left, focus, on: input, isFirst: isFirst))
        case .function(let name, let arguments): return try function(name, arguments, on: input, focus)
        case .asType(let operand, let type):
            let items = try collection(operand, focus, on: input, isFirst: isFirst)
            guard items.isSingle else { throw NotCompiled(what: "'as' of several values") }
            return try ofType(type, items)
        case .variable(let name): return try variable(name, focus)
        case .boolean(let value): return .computed(value ? "1" : "0", .boolean)
        case .string(let text): return .computed(try SQLText.literal(text), .text)
        case .integer(let value): return .computed("\(value)", .integer)
        case .decimal(let value): return .computed(FHIRPathValue(.decimal(value)).string ?? "NULL", .decimal)
        case .empty: return .nothing
        case .binary(let operation, let left, let right):
            let scope = Focus(item: input.rows.isEmpty ? input : focus.item, rowIndex: focus.rowIndex)
            return .computed(try binary(operation, left, right, scope), .boolean)
        default: throw NotCompiled(what: "'\(syntax)'")
        }
    }

    private func variable(_ name: String, _ focus: Focus) throws -> SQLCollection {
        if let constant = constants[name] {
            switch constant.type.storage {
            case .boolean: return .computed(constant.literal == "true" ? "1" : "0", .boolean)
            case .integer: return .computed(constant.literal, .integer)
            case .decimal: return .computed(constant.literal, .decimal)
            case .text: return .computed(try SQLText.literal(constant.literal), .text)
            case .temporal: throw NotCompiled(what: "a date as a constant")
            }
        }
        guard name == ViewPlan.rowIndex, let index = focus.rowIndex else { throw NotCompiled(what: "%\(name)") }
        return .computed(index, .integer)
    }

    // MARK: - Elements

    private func member(_ name: String, of input: SQLCollection, isFirst: Bool) throws -> SQLCollection {
        switch input.value {
        case .nothing: return .nothing
        case .object(let place):
            if isFirst, place.layout.isKind(of: name) { return input }
            guard let slots = place.layout.slots(ofMember: name, allowsChoiceNames: false) else { throw NotCompiled(what: "'\(name)'") }
            if place.layout.elements[slots.lowerBound].choice != nil {
                var result = input
                result.value = .choice(place, slots)
                return result
            }
            return try step(slots.lowerBound, of: place, input)
        default: throw NotCompiled(what: "'\(name)' of a primitive or a choice")
        }
    }

    private func step(_ slot: Int, of place: StoredPlace, _ input: SQLCollection) throws -> SQLCollection {
        var result = input
        result.isPlainList = false
        switch map.member(slot, of: place) {
        case .absent: return .nothing
        case .resources: throw NotCompiled(what: "resources in resources")
        case .column(let column):
            result.value = column.name == nil && !column.hasAnnotations ? .nothing : .column(column)
        case .object(let inner): result.value = .object(inner)
        case .list(let list):
            result.rows.append(SQLCollection.Row(table: list.table, alias: list.row.alias, link: list.link))
            result.value = list.value.map { .column($0) } ?? .object(list.row)
            result.isPlainList = result.rows.count == 1 && input.conditions.isEmpty && list.value == nil
            result.isSingle = false
        }
        return result
    }

    private func ofType(_ type: TypeName, _ input: SQLCollection) throws -> SQLCollection {
        guard type.namespace != "System" else { throw NotCompiled(what: "System types") }
        switch input.value {
        case .nothing: return .nothing
        case .choice(let place, let slots):
            guard let slot = slots.first(where: { place.layout.elements[$0].typeName == type.name }) else {
                // A type that others derive from is none of the choice's own.
                guard PrimitiveType(name: type.name) != nil else { throw NotCompiled(what: "the type \(type.name)") }
                return .nothing
            }
            return try step(slot, of: place, input)
        case .column(let column): return column.type.name == type.name ? input : .nothing
        case .object(let place):
            if place.layout.name == type.name { return input }
            throw NotCompiled(what: "the type \(type.name)")
        case .computed: throw NotCompiled(what: "the type of a computed value")
        }
    }

    /// The item with a number in a collection.
    private func item(_ number: Int64, of input: SQLCollection) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        if number < 0 { return .nothing }
        if input.isSingle { return number == 0 ? input : .nothing }
        guard let last = input.rows.last else { throw NotCompiled(what: "an index of a choice") }
        if input.isPlainList {
            var result = input
            result.conditions.append("\(last.alias)._ord = \(number)")
            (result.isSingle, result.isPlainList) = (true, false)
            return result
        }
        guard let presence = try presence(input.value) else { return .nothing }
        if case .computed(let sql, let kind) = input.value {
            let value = """
                (SELECT \(sql) FROM \(input.from) WHERE \(input.filter([presence])) \
                ORDER BY \(input.orders.joined(separator: ", ")) LIMIT 1 OFFSET \(number))
                """
            return .computed(value, kind)
        }
        // The row is found by a subquery, and then read under a name of its own.
        let alias = map.newAlias()
        let key = """
            (SELECT \(last.alias)._k FROM \(input.from) WHERE \(input.filter([presence])) \
            ORDER BY \(input.orders.joined(separator: ", ")) LIMIT 1 OFFSET \(number))
            """
        var result = SQLCollection(input.value)
        result.rows = [SQLCollection.Row(table: last.table, alias: alias, link: "\(alias)._k = \(key)")]
        switch input.value {
        case .object(var place):
            place.alias = alias
            result.value = .object(place)
        case .column(var column):
            column.alias = alias
            result.value = .column(column)
        default: throw NotCompiled(what: "an index of a choice")
        }
        return result
    }

    // MARK: - Functions

    private func function(_ name: String, _ arguments: [Syntax], on input: SQLCollection, _ focus: Focus) throws -> SQLCollection {
        guard let function = Function.named(name), let form = function.sql, function.counts.contains(arguments.count) else {
            throw NotCompiled(what: "'\(name)'")
        }
        switch form {
        case .filter: return try filtered(input, arguments[0])
        case .first: return try item(0, of: input)
        case .exists: return .computed(try exists(arguments.first.map { try filtered(input, $0) } ?? input), .boolean)
        case .empty: return .computed("NOT \(try exists(input))", .boolean)
        case .not: return .computed("NOT \(try truth(input))", .boolean)
        case .count: return .computed(try count(input), .integer)
        case .ofType:
            guard let type = arguments[0].typeName else { throw NotCompiled(what: "ofType") }
            return try ofType(type, input)
        case .extensions:
            guard case .computed(let url, .text) = try collection(arguments[0], focus).value else { throw NotCompiled(what: "a URL") }
            let extensions = try member("extension", of: input, isFirst: false)
            return try filtered(extensions) { place in
                guard let slot = place.layout.element(named: "url")?.slot, case .column(let column) = map.member(slot, of: place) else {
                    return "0"
                }
                return "\(column.sql) = \(url)"
            }
        case .join: return try join(input, arguments.first.map { try collection($0, focus) })
        case .resourceKey:
            guard case .object(let place) = input.value, place.isRoot, let slot = place.layout.element(named: "id")?.slot,
                case .column(let id) = map.member(slot, of: place)
            else { throw NotCompiled(what: "getResourceKey of an element") }
            return .computed("'\(place.layout.name)/' || \(id.sql)", .text)
        case .referenceKey: return try referenceKey(input, arguments.first)
        }
    }

    private func filtered(_ input: SQLCollection, _ condition: Syntax) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        var item = input
        (item.rows, item.conditions, item.isSingle, item.isPlainList) = ([], [], true, false)
        var result = input
        result.conditions.append(try truth(collection(condition, Focus(item: item))))
        result.isPlainList = false
        return result
    }

    private func filtered(_ input: SQLCollection, _ condition: (StoredPlace) -> String) throws -> SQLCollection {
        guard case .object(let place) = input.value else { return .nothing }
        var result = input
        result.conditions.append(condition(place))
        result.isPlainList = false
        return result
    }

    private func join(_ input: SQLCollection, _ separator: SQLCollection?) throws -> SQLCollection {
        var text = "''"
        if let separator {
            guard case .computed(let sql, .text) = separator.value else { throw NotCompiled(what: "a separator") }
            text = sql
        }
        if case .nothing = input.value { return .computed("''", .text) }
        guard !input.rows.isEmpty, case .column(let column) = input.value, column.type.storage == .text else {
            throw NotCompiled(what: "'join' of one value")
        }
        let rows = """
            SELECT \(column.sql) AS v FROM \(input.from) WHERE \(input.filter(["\(column.sql) IS NOT NULL"])) \
            ORDER BY \(input.orders.joined(separator: ", "))
            """
        return .computed("coalesce((SELECT group_concat(v, \(text)) FROM (\(rows))), '')", .text)
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
        guard case .column(let reference) = map.member(slot, of: place), reference.name != nil else { return .nothing }
        var result = input
        result.isPlainList = false
        let key = try "(" + SQLText.referenceKey(reference.sql, type: type, bases) + ")"
        result.value = .computed(key, .text)
        result.reference = SQLCollection.ReferenceKey(sql: key, text: reference.sql, type: type)
        return result
    }

    // MARK: - Values

    /// The value of an item as it is compared, and what it is; nil for an object.
    func value(_ value: SQLCollection.Value) -> (sql: String, kind: SQLKind)? {
        switch value {
        case .computed(let sql, let kind): (sql, kind)
        case .column(let column): (column.sql, SQLKind(column.type))
        case .nothing: ("NULL", .text)
        case .object, .choice: nil
        }
    }

    /// A primitive with an id or extensions is an item even without a value, which the value's column does not say.
    private func checkValues(_ value: SQLCollection.Value) throws {
        if case .column(let column) = value, column.hasAnnotations, !isLasting { throw NotCompiled(what: "a primitive with extensions") }
    }

    /// The one value of a collection, and an error if there are several.
    func scalar(_ input: SQLCollection, _ sql: String) throws -> String {
        if input.rows.isEmpty {
            return input.conditions.isEmpty ? sql : "CASE WHEN \(input.conditions.joined(separator: " AND ")) THEN \(sql) END"
        }
        if input.isSingle { return "(SELECT \(sql) FROM \(input.from) WHERE \(input.filter()))" }
        try checkValues(input.value)
        return SQLText.only(sql, input.from, input.filter())
    }

    /// A collection as a condition.
    func truth(_ input: SQLCollection) throws -> String {
        if case .nothing = input.value { return "NULL" }
        guard let (sql, kind) = value(input.value), kind == .boolean else { throw NotCompiled(what: "a condition that is not Boolean") }
        try checkValues(input.value)
        return "(\(try scalar(input, sql)))"
    }

    /// The condition that an item is there; nil if it never is.
    func presence(_ value: SQLCollection.Value) throws -> String? {
        try checkValues(value)
        switch value {
        case .nothing: return nil
        case .computed(let sql, _): return "\(sql) IS NOT NULL"
        case .column(let column): return column.name == nil ? nil : "\(column.sql) IS NOT NULL"
        case .object(let place):
            if !place.isRow, isLasting { throw NotCompiled(what: "whether there is a \(place.layout.name)") }
            return map.hasContent(place)
        case .choice: throw NotCompiled(what: "whether there is any value of a choice")
        }
    }

    private func exists(_ input: SQLCollection) throws -> String {
        guard let presence = try presence(input.value) else { return "0" }
        if input.rows.isEmpty { return "(\(presence)\(input.conditions.map { " AND coalesce(\($0), 0)" }.joined()))" }
        return "EXISTS (SELECT 1 FROM \(input.from) WHERE \(input.filter([presence])))"
    }

    private func count(_ input: SQLCollection) throws -> String {
        guard let presence = try presence(input.value) else { return "0" }
        if input.rows.isEmpty { return try exists(input) }
        return "(SELECT count(*) FROM \(input.from) WHERE \(input.filter([presence])))"
    }

    // MARK: - Operators

    private func binary(_ operation: PathOperator, _ left: Syntax, _ right: Syntax, _ focus: Focus) throws -> String {
        func both() throws -> (String, String) {
            (try truth(collection(left, focus)), try truth(collection(right, focus)))
        }
        switch operation {
        case .and:
            let (one, two) = try both()
            return "(\(one) AND \(two))"
        case .or:
            let (one, two) = try both()
            return "(\(one) OR \(two))"
        case .xor:
            let (one, two) = try both()
            return "(\(one) <> \(two))"
        case .implies:
            let (one, two) = try both()
            return "(NOT \(one) OR \(two))"
        case .equal: return try equality(collection(left, focus), collection(right, focus))
        case .notEqual: return "(NOT \(try equality(collection(left, focus), collection(right, focus))))"
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let (one, two) = (try collection(left, focus), try collection(right, focus))
            guard let (first, second, kind) = try comparable(one, two) else { return "NULL" }
            if kind == .boolean { throw NotCompiled(what: "the order of truth values") }
            return "(\(try scalar(one, first)) \(operation.rawValue) \(try scalar(two, second)))"
        default: throw NotCompiled(what: "'\(operation.rawValue)'")
        }
    }

    /// The values of two collections that SQL compares as FHIRPath does; nil if one is always empty.
    private func comparable(_ left: SQLCollection, _ right: SQLCollection) throws -> (String, String, SQLKind)? {
        if case .nothing = left.value { return nil }
        if case .nothing = right.value { return nil }
        guard let (first, one) = value(left.value), let (second, two) = value(right.value) else {
            throw NotCompiled(what: "objects compared")
        }
        try checkValues(left.value)
        try checkValues(right.value)
        if case .temporal = one { throw NotCompiled(what: "dates compared") }
        guard one == two || one.isNumber && two.isNumber else { throw NotCompiled(what: "values of different types compared") }
        return (first, second, one)
    }

    private func equality(_ left: SQLCollection, _ right: SQLCollection) throws -> String {
        guard let (first, second, _) = try comparable(left, right) else { return "NULL" }
        if left.isSingle, right.isSingle { return "(\(try scalar(left, first)) = \(try scalar(right, second)))" }
        // Several values are never equal to one.
        if right.isSingle { return several(left, first, try scalar(right, second)) }
        if left.isSingle { return several(right, second, try scalar(left, first)) }
        throw NotCompiled(what: "collections compared")
    }

    private func several(_ many: SQLCollection, _ value: String, _ one: String) -> String {
        let result =
            "CASE count(\(value)) WHEN 0 THEN NULL WHEN 1 THEN max(\(value)) = (\(one)) ELSE CASE WHEN (\(one)) IS NULL THEN NULL ELSE 0 END END"
        return "(SELECT \(result) FROM \(many.from) WHERE \(many.filter()))"
    }
}
