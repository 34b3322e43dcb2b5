/// A place in the order of a query's results, after a resource. Codable, so that it can be passed to a client and back.
///
/// Concurrent writes do not move it: they never cause a resource to be repeated or skipped.
public struct QueryCursor: Sendable, Hashable, Codable {
    /// The values that the query sorts by.
    package let values: [SQLValue]
    /// The key of the resource.
    package let key: Int64
    /// The place as a restricted view hands it out, which only that view can read; nil for others.
    package let sealed: String?

    package init(values: [SQLValue], key: Int64) {
        self.values = values
        self.key = key
        sealed = nil
    }

    /// - Parameter sealed: the place as a restricted view hands it out.
    package init(sealed: String) {
        (values, key) = ([], 0)
        self.sealed = sealed
    }
}
