/// A resource by its type and id.
struct SyncKey: Hashable, Sendable {
    let typeName: String
    let id: String

    var path: String { "\(typeName)/\(id)" }
}
