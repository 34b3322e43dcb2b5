/// A call of a function.
final class FunctionNode: Node, @unchecked Sendable {
    let name: String
    let function: Function
    let arguments: [Node]
    /// The type that the first argument names, for `is`, `as`, `ofType` and the like.
    let type: TypeName?
    /// Whether each key of `sort` is descending.
    let descending: [Bool]

    init(_ name: String, function: Function, arguments: [Node], type: TypeName?, descending: [Bool], position: Int) {
        self.name = name
        self.function = function
        self.arguments = arguments
        self.type = type
        self.descending = descending
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        let results = try function.evaluate(self, focus, evaluator)
        try evaluator.count(results.count + 1 + Evaluator.steps(ofTexts: results), at: position)
        return results
    }

    // MARK: - Arguments

    /// The argument's results on `$this`, which is what arguments of most functions see.
    func argument(_ number: Int, _ evaluator: Evaluator) throws -> [Item] {
        guard number < arguments.count else { return [] }
        return try arguments[number].scoped(evaluator.this, evaluator)
    }

    /// The one value of an argument in FHIRPath's own types; nil for none.
    func value(_ number: Int, _ evaluator: Evaluator) throws -> Item? {
        guard number < arguments.count else { return nil }
        return try arguments[number].operand(evaluator.this, evaluator)
    }

    /// The text of an argument; nil for none.
    func text(_ number: Int, _ evaluator: Evaluator) throws -> String? {
        guard let value = try value(number, evaluator) else { return nil }
        guard case .string(let text) = value else { throw error("argument \(number + 1) of '\(name)' is a string") }
        return text
    }

    /// The integer of an argument; nil for none.
    func integer(_ number: Int, _ evaluator: Evaluator) throws -> Int64? {
        guard let value = try value(number, evaluator) else { return nil }
        switch value {
        case .integer(let integer), .long(let integer): return integer
        default: throw error("argument \(number + 1) of '\(name)' is an integer")
        }
    }

    // MARK: - Input

    /// The one item that the function is called on; nil for none.
    func single(_ focus: [Item]) throws -> Item? {
        guard focus.count <= 1 else { throw error("'\(name)' needs one value, found \(focus.count)") }
        return focus.first
    }

    /// The text that the function is called on; nil for none.
    func text(_ focus: [Item]) throws -> String? {
        guard let item = try single(focus), let value = item.system else { return nil }
        guard case .string(let text) = value else { throw error("'\(name)' needs a string") }
        return text
    }

    /// Calls `body` with each item, which is then `$this`, and with the item as a collection, until it returns false.
    func forEach(_ focus: [Item], _ evaluator: Evaluator, _ body: (Item, [Item]) throws -> Bool) throws {
        let (this, index) = (evaluator.this, evaluator.index)
        defer { (evaluator.this, evaluator.index) = (this, index) }
        try evaluator.count(focus.count, at: position)
        for (place, item) in focus.enumerated() {
            let own = [item]
            evaluator.this = own
            evaluator.index = Int64(place)
            if try !body(item, own) { return }
        }
    }

    func checkLength(_ length: Int) throws {
        if length > Evaluator.maximumText { throw FHIRPathError(.limit, "'\(name)' makes a text that is too long", at: position) }
    }
}
