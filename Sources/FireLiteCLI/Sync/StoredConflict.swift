import FireLite
import FireLiteSync
import Foundation

/// A deferred conflict as the database keeps it, with both sides.
struct StoredConflict {
    let server: String
    let typeName: String
    let id: String
    /// The state that both sides began with; nil if there was none.
    let base: FHIRResource?
    /// The database's state; nil if it was deleted.
    let local: FHIRResource?
    /// The server's state; nil if it was deleted.
    let remote: FHIRResource?
    let release: FHIRRelease

    var name: String { "\(typeName)/\(id)" }

    /// Both changes together; nil if one side has deleted the resource.
    var merge: ThreeWayMerge? {
        guard let local, let remote else { return nil }
        return ThreeWayMerge(base: base, local: local, remote: remote)
    }

    // MARK: - Elements

    /// An element that is not the same everywhere, as JSON; nil if it is absent.
    struct Element {
        let path: String
        let base: String?
        let client: String?
        let server: String?
        /// Nil for elements that clash, too.
        let merge: String?
        let isClash: Bool
    }

    /// What only the server decides.
    private static let remoteOnly = ["meta.versionId", "meta.lastUpdated", "meta.source"]

    /// The elements that one side has changed, in the order of their paths; empty if one side has deleted the resource.
    var elements: [Element] {
        guard let local, let remote, let merge else { return [] }
        let first = base ?? local.layout.makeObject()
        let changes = [local, remote, merge.resource].map { later in
            Dictionary(first.differences(to: later).map { ($0.path, $0) }) { first, _ in first }
        }
        let paths = Set(changes.flatMap(\.keys)).filter { path in !Self.remoteOnly.contains { path.hasPrefix($0) } && path != "id" }
        return paths.sorted().map { path in
            let begin = changes.lazy.compactMap { $0[path] }.first?.old
            let values = changes.map { $0[path].map(\.new) ?? begin }
            let isClash = merge.conflicts.contains {
                path == $0 || path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[") || $0.hasPrefix(path)
            }
            return Element(
                path: path, base: begin, client: values[0], server: values[1], merge: isClash ? nil : values[2], isClash: isClash)
        }
    }
}

/// What becomes of a conflict.
enum ConflictDecision: Sendable {
    case client, server
    /// Another state, as JSON.
    case other(Data, FHIRRelease)

    func resolution() throws -> SyncConflict.Resolution {
        switch self {
        case .client: .local
        case .server: .remote
        case .other(let json, let release): .merged(try FHIRJSON.resource(from: json, release: release))
        }
    }

    /// What happens now.
    var effect: String {
        switch self {
        case .client: "the next push sends the database's state"
        case .server: "the database has the server's state"
        case .other: "the database has the new state, and the next push sends it"
        }
    }
}
