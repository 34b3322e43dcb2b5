/// A row of a table in a statement, whatever its name. It gets one when the statement is written.
package struct RowAlias: Sendable {
    let number: Int32
    /// Whether the row is that of a resource that is not contained.
    let isResource: Bool

    init(_ number: Int32, isResource: Bool = false) { (self.number, self.isResource) = (number, isResource) }

    /// The row of a query's result, which is called `r`. Others are called `t1`, `t2`, … in the order of the statement.
    static let result = RowAlias(0)

    /// The same row, as that of a resource that is not contained.
    var ofResource: RowAlias { RowAlias(number, isResource: true) }
}

extension RowAlias: Hashable {
    package static func == (left: RowAlias, right: RowAlias) -> Bool { left.number == right.number }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
