import Foundation

/// A change on its way to the server.
struct PushEntry: Sendable {
    /// What the server shall do.
    enum Kind: Sendable { case create, update, delete }

    /// The number of the change.
    let number: Int64
    let key: SyncKey
    /// The number of the last log entry in it, to notice later ones.
    let sequence: Int64
    let kind: Kind
    /// The content after the change, as JSON; nil of a deletion.
    let content: Data?
    /// Whether it was sent before without an answer.
    let wasSent: Bool
    var entry: FHIRBundleEntry

    /// About the number of bytes in a Bundle.
    var size: Int { (entry.request.body?.count ?? 0) + 256 }
}

/// Changes that are sent together: all or none of each component.
struct PushBundle: Sendable {
    /// Changes that cannot be sent without each other, such as new resources that refer to each other in a cycle.
    typealias Component = [PushEntry]

    var components: [Component]

    var entries: [PushEntry] { components.flatMap { $0 } }
    var count: Int { components.reduce(0) { $0 + $1.count } }
}
