/// An expression as it was written, with positions: what the parser makes and everything else works from.
package struct Syntax: Sendable, Equatable {
    /// The forms of an expression.
    package indirect enum Form: Sendable, Equatable {
        /// `{}`
        case empty
        case boolean(Bool)
        case string(String)
        case integer(Int64)
        case long(Int64)
        case decimal(PathDecimal)
        case temporal(PathTemporal)
        case quantity(PathQuantity)
        /// `%name`
        case variable(String)
        /// `$this`
        case this
        /// `$index`
        case index
        /// `$total`
        case total
        /// The name of an element, or of a type at the beginning.
        case member(String)
        case function(String, [Syntax])
        /// `a.b`
        case invocation(Syntax, Syntax)
        /// `a[0]`
        case indexer(Syntax, Syntax)
        /// `+a` and `-a`
        case sign(isNegative: Bool, Syntax)
        case binary(PathOperator, Syntax, Syntax)
        /// `a is T`
        case isType(Syntax, TypeName)
        /// `a as T`
        case asType(Syntax, TypeName)
        /// A key of `sort` with `asc` or `desc`.
        case sortKey(Syntax, isDescending: Bool)
    }

    package let form: Form
    /// The offset of the token that makes the form, in bytes.
    package let position: Int
    /// The levels of operators and functions below and including this one.
    let depth: Int

    init(_ form: Form, _ position: Int) {
        self.form = form
        self.position = position
        depth = 1 + (Self.operands(of: form).map(\.depth).max() ?? 0)
    }

    private static func operands(of form: Form) -> [Syntax] {
        switch form {
        case .empty, .boolean, .string, .integer, .long, .decimal, .temporal, .quantity, .variable, .this, .index, .total, .member: []
        case .function(_, let arguments): arguments
        case .invocation(let left, let right), .indexer(let left, let right), .binary(_, let left, let right): [left, right]
        case .sign(_, let operand), .isType(let operand, _), .asType(let operand, _), .sortKey(let operand, _): [operand]
        }
    }

    /// Whether both are the same expression; positions do not count.
    package static func == (left: Syntax, right: Syntax) -> Bool { left.form == right.form }

    /// The type that an expression names, `Patient` or `FHIR.Patient`, for `is(…)`, `as(…)` and `ofType(…)`.
    package var typeName: TypeName? {
        switch form {
        case .member(let name): return TypeName(namespace: nil, name: name)
        case .invocation(let left, let right):
            guard case .member(let namespace) = left.form, case .member(let name) = right.form else { return nil }
            return TypeName(namespace: namespace, name: name)
        default: return nil
        }
    }
}
