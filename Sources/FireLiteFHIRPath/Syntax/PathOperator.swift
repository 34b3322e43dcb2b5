/// The operators with two operands, and how tightly they bind (FHIRPath 2.0, Operator precedence).
package enum PathOperator: String, Sendable, CaseIterable {
    case multiply = "*"
    case divide = "/"
    case div
    case mod
    case add = "+"
    case subtract = "-"
    case concatenate = "&"
    case union = "|"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="
    case notEqual = "!="
    case equivalent = "~"
    case notEquivalent = "!~"
    case isIn = "in"
    case contains
    case and
    case or
    case xor
    case implies

    /// A higher one binds tighter. 8 is that of `is` and `as`.
    var precedence: Int {
        switch self {
        case .multiply, .divide, .div, .mod: 10
        case .add, .subtract, .concatenate: 9
        case .union: 7
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 6
        case .equal, .notEqual, .equivalent, .notEquivalent: 5
        case .isIn, .contains: 4
        case .and: 3
        case .or, .xor: 2
        case .implies: 1
        }
    }

    /// The precedence of `is` and `as`.
    static let typePrecedence = 8
    /// The precedence of a sign, above the operators.
    static let signPrecedence = 11
}
