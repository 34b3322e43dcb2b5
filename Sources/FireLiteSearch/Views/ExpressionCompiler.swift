import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// Turns expressions into SQL on the tables, as far as they are paths, conditions and a few functions. For others it throws `NotCompiled`.
///
/// Empty collections are NULL, and SQL's three-valued logic is FHIRPath's.
struct ExpressionCompiler {
    let walk: TableWalk
    let constants: [String: ViewDefinition.Constant]
    /// Whether the SQL outlives the columns that the file has now.
    let isLasting: Bool
    /// The base addresses under which references are to the store's own resources.
    let bases: SQLText.Bases

    /// What an expression is evaluated on.
    struct Focus {
        var item: SQLCollection
        /// The number of the row; nil if it cannot be said in SQL.
        var rowIndex: SQLFragment?
    }

    // MARK: - Values

    func collection(_ syntax: Syntax, _ focus: Focus) throws -> SQLCollection { try resolve(syntax, focus, on: focus.item) }

    func value(_ syntax: Syntax, on input: SQLCollection, _ focus: Focus) throws -> SQLCollection {
        switch syntax.form {
        case .function(let name, let arguments): return try function(name, arguments, on: input, focus)
        case .variable(let name): return try variable(name, focus)
        case .boolean(let value): return .computed(value ? "1" : "0", .boolean)
        case .string(let text): return .computed("\(bind: .text(text))", .text)
        case .integer(let value): return .computed("\(value)", .integer)
        case .decimal(let value): return try decimal(FHIRPathValue(.decimal(value)).string ?? "")
        case .temporal(let value): return SQLCollection(.moment(value))
        case .sign(let isNegative, let operand): return try signed(resolve(operand, focus, on: input), isNegative)
        case .empty: return .nothing
        case .binary(let operation, let left, let right):
            let scope = Focus(item: input.rows.isEmpty ? input : focus.item, rowIndex: focus.rowIndex)
            return try binary(operation, left: left, right: right, focus: scope)
        default: throw NotCompiled(what: "'\(syntax)'")
        }
    }

    private func variable(_ name: String, _ focus: Focus) throws -> SQLCollection {
        if let constant = constants[name] {
            switch constant.type.storage {
            case .boolean: return .computed(constant.literal == "true" ? "1" : "0", .boolean)
            case .integer:
                guard let number = Int64(constant.literal) else { throw NotCompiled(what: "%\(name)") }
                return .computed("\(number)", .integer)
            case .decimal: return try decimal(constant.literal)
            case .text: return .computed("\(bind: .text(constant.literal))", .text)
            case .temporal:
                guard let moment = PathTemporal(text: constant.literal, of: constant.type) else { throw NotCompiled(what: "%\(name)") }
                return SQLCollection(.moment(moment))
            }
        }
        guard name == ViewPlan.rowIndex, let index = focus.rowIndex else { throw NotCompiled(what: "%\(name)") }
        return .computed(index, .integer)
    }

    private func decimal(_ literal: String) throws -> SQLCollection {
        guard let number = Double(literal), number.isFinite else { throw NotCompiled(what: "a number") }
        return .computed("\(bind: .real(number))", .decimal)
    }
}

/// An expression that has no form in SQL here.
struct NotCompiled: Error {
    let what: String
    /// Whether it is about an element that the type does not have.
    var isUnknownElement = false
}

/// What the values of a column of SQL are.
enum SQLKind: Equatable {
    case boolean, integer, decimal, text, temporal(PrimitiveType)

    init(_ type: PrimitiveType) {
        switch type.storage {
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .decimal: self = .decimal
        case .temporal: self = .temporal(type)
        case .text: self = .text
        }
    }

    var isNumber: Bool { self == .integer || self == .decimal }
}
