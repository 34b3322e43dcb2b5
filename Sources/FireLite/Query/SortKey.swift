/// A path to sort by, with its direction and the position of absent values.
public struct SortKey: Sendable {
    /// The position of resources without a value.
    public enum Nulls: Sendable {
        /// They precede all others, in either direction.
        case first
        /// They follow all others, in either direction.
        case last
    }

    /// The paths to the values, of which the least counts in ascending and the greatest in descending order: usually one.
    package let paths: [SortPath]
    package let isDescending: Bool
    package let nulls: Nulls

    package init(path: QueryPath, isDescending: Bool, nulls: Nulls) {
        self.init(paths: [SortPath(path)], isDescending: isDescending, nulls: nulls)
    }

    package init(paths: [SortPath], isDescending: Bool, nulls: Nulls) {
        self.paths = paths
        self.isDescending = isDescending
        self.nulls = nulls
    }
}
