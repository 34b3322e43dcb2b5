/// A place in the order of a query's results: after the resource it was made for. Codable, so that it can be handed out and come back.
///
/// What others write meanwhile does not move it: a resource is never shown twice for another's sake, and none is left out.
public struct QueryCursor: Sendable, Hashable, Codable {
    /// The values that the query sorts by.
    let values: [SQLValue]
    /// The key of the resource.
    let key: Int64
}
