/// A word of a FHIRPath expression.
struct Token {
    enum Kind: Equatable {
        /// A name or a keyword.
        case identifier(String)
        /// A name between backticks.
        case delimited(String)
        case string(String)
        /// Digits without a point.
        case integer(Int64)
        /// Digits with `L`.
        case long(Int64)
        case decimal(PathDecimal)
        case temporal(PathTemporal)
        /// `%name`
        case variable(String)
        /// `$this`, `$index` or `$total`, without the sign.
        case special(String)
        /// An operator or a bracket.
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The offset of its first byte.
    let position: Int
    /// The offset after its last byte.
    let end: Int
}
