/// How often an element may occur.
struct Cardinality: Hashable, Sendable, CustomStringConvertible {
    var minimum: Int
    /// `nil` for `*`.
    var maximum: Int?

    var isList: Bool { maximum != 1 }

    var description: String { "\(minimum)..\(maximum.map(String.init) ?? "*")" }
}
