/// A path to sort by, with its direction and the position of absent values.
public struct SortKey: Sendable {
    /// The position of resources without a value.
    public enum Nulls: Sendable {
        case first, last
    }

    package let path: QueryPath
    package let isDescending: Bool
    package let nulls: Nulls

    package init(path: QueryPath, isDescending: Bool, nulls: Nulls) {
        self.path = path
        self.isDescending = isDescending
        self.nulls = nulls
    }
}
