/// Makes the nodes of an expression from its syntax.
struct Compiler {
    /// The members met so far, each of which has a place in the evaluator's cache.
    private(set) var members = 0

    mutating func compile(_ syntax: Syntax, isFirst: Bool = true) throws -> Node {
        let position = syntax.position
        switch syntax.form {
        case .empty: return ConstantNode([], position)
        case .boolean(let value): return ConstantNode([.boolean(value)], position)
        case .string(let text): return ConstantNode([.string(text)], position)
        case .integer(let value): return ConstantNode([.integer(value)], position)
        case .long(let value): return ConstantNode([.long(value)], position)
        case .decimal(let value): return ConstantNode([.decimal(value)], position)
        case .temporal(let value): return ConstantNode([.temporal(value)], position)
        case .quantity(let value): return ConstantNode([.quantity(value)], position)
        case .variable(let name): return VariableNode(name, position)
        case .this: return SpecialNode(.this, position)
        case .index: return SpecialNode(.index, position)
        case .total: return SpecialNode(.total, position)
        case .member(let name):
            defer { members += 1 }
            return MemberNode(name, isFirst: isFirst, number: members, position)
        case .function(let name, let arguments): return try function(name, arguments, position)
        case .invocation(let left, let right):
            let first = try compile(left, isFirst: isFirst)
            let second = try compile(right, isFirst: false)
            return FollowNode.joining(first, second, position) ?? InvocationNode(first, second, position)
        case .indexer(let left, let index):
            let first = try compile(left, isFirst: isFirst)
            return IndexerNode(first, try compile(index), position)
        case .sign(let isNegative, let operand):
            return SignNode(isNegative: isNegative, try compile(operand, isFirst: isFirst), position)
        case .binary(let operation, let left, let right):
            let first = try compile(left)
            return Self.binary(operation, left: first, right: try compile(right), position: position)
        case .isType(let operand, let type): return TypeNode(isAs: false, try compile(operand), type, position)
        case .asType(let operand, let type): return TypeNode(isAs: true, try compile(operand), type, position)
        case .sortKey(let key, _): return try compile(key)
        }
    }

    private static func binary(_ operation: PathOperator, left: Node, right: Node, position: Int) -> Node {
        switch operation {
        case .and, .or, .xor, .implies: LogicNode(operation, left: left, right: right, position: position)
        case .equal, .notEqual, .equivalent, .notEquivalent: EqualityNode(operation, left: left, right: right, position: position)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: OrderNode(operation, left: left, right: right, position: position)
        case .isIn: MembershipNode(left, in: right, position)
        case .contains: MembershipNode(right, in: left, position)
        case .union: UnionNode(left, right, position)
        case .multiply, .divide, .div, .mod, .add, .subtract, .concatenate:
            ArithmeticNode(operation, left: left, right: right, position: position)
        }
    }

    private mutating func function(_ name: String, _ arguments: [Syntax], _ position: Int) throws -> Node {
        guard let function = Function.named(name) else { throw FHIRPathError(.semantic, Function.unknown(name), at: position) }
        guard function.counts.contains(arguments.count) else {
            let expected = function.counts
            let number =
                expected.lowerBound == expected.upperBound ? "\(expected.lowerBound)" : "\(expected.lowerBound) to \(expected.upperBound)"
            throw FHIRPathError(
                .semantic, "'\(name)' takes \(number) argument\(number == "1" ? "" : "s"), not \(arguments.count)", at: position)
        }
        var nodes: [Node] = []
        var descending: [Bool] = []
        switch function.arguments {
        case .type, .optionalType:
            if let argument = arguments.first, argument.typeName == nil {
                throw FHIRPathError(.semantic, "'\(name)' takes the name of a type", at: argument.position)
            }
        case .sortKeys:
            for argument in arguments {
                let key = Self.sortKey(argument)
                nodes.append(try compile(key.0))
                descending.append(key.1)
            }
        default: nodes = try arguments.map { try compile($0) }
        }
        return FunctionNode(
            name, function: function, arguments: nodes, type: arguments.first?.typeName, descending: descending, position: position)
    }

    /// The key and the order of an argument of `sort`: a minus before a key, even one of text, means descending.
    private static func sortKey(_ argument: Syntax) -> (Syntax, Bool) {
        switch argument.form {
        case .sortKey(let key, let isDescending): (key, isDescending)
        case .sign(isNegative: true, let key): (key, true)
        default: (argument, false)
        }
    }
}
