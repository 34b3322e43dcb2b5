import FireLite
import FireLiteCore
import FireLiteFHIRPath

extension ExpressionCompiler: PathResolver {
    func this(_ focus: Focus) -> SQLCollection { focus.item }

    func member(_ name: String, of input: SQLCollection, isFirst: Bool) throws -> SQLCollection {
        switch input.value {
        case .nothing: return .nothing
        case .object(let place):
            if isFirst, place.layout.isKind(of: name) { return input }
            guard let slots = place.layout.slots(ofMember: name, allowsChoiceNames: false) else {
                throw NotCompiled(what: "'\(name)'", isUnknownElement: true)
            }
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
        result.plainList = nil
        switch walk.member(slot, of: place) {
        case .absent: return .nothing
        case .resources: throw NotCompiled(what: "resources in resources")
        case .column(let column):
            result.value = column.name == nil && !column.hasAnnotations ? .nothing : .column(column)
        case .object(let inner): result.value = .object(inner)
        case .list(let list):
            result.rows.append(SQLCollection.Row(list))
            result.value = list.value.map { .column($0) } ?? .object(list.row)
            result.plainList = result.rows.count == 1 && input.conditions.isEmpty && list.value == nil ? list : nil
            result.isSingle = false
        }
        return result
    }

    func narrowed(_ input: SQLCollection, to type: TypeName, isCast: Bool) throws -> SQLCollection {
        if isCast, !input.isSingle { throw NotCompiled(what: "'as' of several values") }
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
        case .column(let column): return type.names(column.type) ? input : .nothing
        case .object(let place):
            if type.names(place.layout) { return input }
            throw NotCompiled(what: "the type \(type.name)")
        case .computed, .moment: throw NotCompiled(what: "the type of a computed value")
        }
    }

    /// The item with a number in a collection.
    func item(_ number: Int64, of input: SQLCollection) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        if number < 0 { return .nothing }
        if input.isSingle { return number == 0 ? input : .nothing }
        guard let last = input.rows.last else { throw NotCompiled(what: "an index of a choice") }
        if let list = input.plainList {
            var result = input
            result.rows[0].position = (list, number)
            (result.isSingle, result.plainList) = (true, nil)
            return result
        }
        guard let presence = try presence(input.value) else { return .nothing }
        if case .computed(let sql, let kind) = input.value {
            return .computed(
                "(SELECT \(sql) FROM \(input.from) WHERE \(input.filter([presence])) ORDER BY \(input.order) LIMIT 1 OFFSET \(number))",
                kind)
        }
        // The row is found by a subquery, and then read under a name of its own.
        let alias = walk.newRow()
        let key: SQLFragment = """
            (SELECT \(last.alias)._k FROM \(input.from) WHERE \(input.filter([presence])) ORDER BY \(input.order) LIMIT 1 OFFSET \(number))
            """
        var result = SQLCollection(input.value)
        var row = SQLCollection.Row(table: last.table, alias: alias, link: "\(alias)._k = \(key)")
        row.isByPosition = input.conditions.isEmpty
        result.rows = [row]
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

    func isType(_ type: TypeName, _ input: SQLCollection) throws -> SQLCollection { throw NotCompiled(what: "'is'") }

    func union(_ left: SQLCollection, _ right: SQLCollection) throws -> SQLCollection { throw NotCompiled(what: "'|'") }

    func first(of input: SQLCollection) throws -> SQLCollection { try item(0, of: input) }

    func item(_ position: Syntax, of input: SQLCollection) throws -> SQLCollection {
        switch position.form {
        case .integer(let number): return try item(number, of: input)
        case .variable(let name):
            guard let constant = constants[name], let number = Int64(constant.literal) else { throw NotCompiled(what: "an index") }
            return try item(number, of: input)
        default: throw NotCompiled(what: "an index")
        }
    }

    func filtered(_ input: SQLCollection, by condition: Syntax) throws -> SQLCollection {
        if case .nothing = input.value { return .nothing }
        var item = input
        (item.rows, item.conditions, item.isSingle, item.plainList) = ([], [], true, nil)
        var result = input
        result.conditions.append(try truth(collection(condition, Focus(item: item))))
        result.plainList = nil
        return result
    }

    private func filtered(_ input: SQLCollection, _ condition: (StoredPlace) -> SQLFragment) -> SQLCollection {
        guard case .object(let place) = input.value else { return .nothing }
        var result = input
        result.conditions.append(condition(place))
        result.plainList = nil
        return result
    }

    func extensions(_ url: Syntax, of input: SQLCollection, _ focus: Focus) throws -> SQLCollection {
        guard case .computed(let url, .text) = try collection(url, focus).value else { throw NotCompiled(what: "a URL") }
        let extensions = try member("extension", of: input, isFirst: false)
        return filtered(extensions) { place in
            guard let slot = place.layout.element(named: "url")?.slot, case .column(let column) = walk.member(slot, of: place) else {
                return .never
            }
            return "\(column) = \(url)"
        }
    }
}
