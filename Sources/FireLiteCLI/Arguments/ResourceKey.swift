/// A resource named by its type and logical id: `Patient/1`.
struct ResourceKey: CustomStringConvertible {
    let type: String
    let id: String

    var description: String { "\(type)/\(id)" }

    /// - Throws: `ToolError` with status 2 if the text is not `Type/id` or the release has no such type.
    init(_ text: String, in database: DatabaseArgument) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw ToolError.usage("'\(text)' is not of the form Type/id") }
        _ = try database.resourceLayout(named: parts[0])
        (type, id) = (parts[0], parts[1])
    }
}
