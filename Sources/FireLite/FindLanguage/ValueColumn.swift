import FireLiteCore

/// A column of `firelite find --values`.
package struct ValueColumn: Sendable {
    package enum Kind: Sendable {
        /// The value of a primitive.
        case value(PrimitiveType)
        /// All values at a path through lists, in document order.
        case list(PrimitiveType)
        /// The number of elements at the path.
        case count
    }

    package let path: QueryPath
    package let kind: Kind

    /// The type of the values; nil for counts.
    package var type: PrimitiveType? {
        switch kind {
        case .value(let type), .list(let type): type
        case .count: nil
        }
    }
}

/// The content of a column for one result; values as literals.
package enum ValueCell: Sendable, Hashable {
    case absent
    case value(String)
    case list([String])
    case count(Int)
}
