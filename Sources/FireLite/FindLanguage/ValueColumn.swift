import FireLiteCore

/// What a column of `firelite find --values` shows of each result.
package struct ValueColumn: Sendable {
    package enum Kind: Sendable {
        /// The value of a primitive.
        case value(PrimitiveType)
        /// Every value at a path through lists, in the order of the document.
        case list(PrimitiveType)
        /// How many elements there are at the path.
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

/// What one result has in a column; values by their literals.
package enum ValueCell: Sendable, Hashable {
    case absent
    case value(String)
    case list([String])
    case count(Int)
}
