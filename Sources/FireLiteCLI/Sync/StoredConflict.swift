import FireLite
import FireLiteSync
import Foundation

/// A deferred conflict as the database keeps it, with both sides and their merge as resources.
struct StoredConflict {
    let server: String
    private let conflict: DeferredConflict
    let release: FHIRRelease
    /// The state that both sides began with; nil if there was none.
    let base: FHIRResource?
    /// The database's state; nil if it was deleted.
    let local: FHIRResource?
    /// The server's state; nil if it was deleted.
    let remote: FHIRResource?
    private let merged: FHIRResource?

    init(_ conflict: DeferredConflict, server: String, release: FHIRRelease) throws {
        func state(_ json: String?) throws -> FHIRResource? {
            try json.map { try FHIRJSON.resource(from: Data($0.utf8), release: release) }
        }
        (self.conflict, self.server, self.release) = (conflict, server, release)
        (base, local, remote) = (try state(conflict.base), try state(conflict.local), try state(conflict.remote))
        merged = try state(conflict.merged)
    }

    var typeName: String { conflict.typeName }
    var id: String { conflict.id }
    var name: String { "\(typeName)/\(id)" }
    /// The elements that both sides have changed in different ways.
    var clash: [String] { conflict.paths }
    /// Both changes together; nil if one side has deleted the resource, or if they clash.
    var merge: FHIRResource? { clash.isEmpty ? merged : nil }

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
        guard let local, let remote, let merged else { return [] }
        let first = base ?? local.layout.makeObject()
        let changes = [local, remote, merged].map { later in
            Dictionary(first.differences(to: later).map { ($0.path, $0) }) { first, _ in first }
        }
        let paths = Set(changes.flatMap(\.keys)).filter { path in !Self.remoteOnly.contains { path.hasPrefix($0) } && path != "id" }
        return paths.sorted().map { path in
            let begin = changes.lazy.compactMap { $0[path] }.first?.old
            let values = changes.map { $0[path].map(\.new) ?? begin }
            let isClash = clash.contains { path == $0 || path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[") || $0.hasPrefix(path) }
            return Element(
                path: path, base: begin, client: values[0], server: values[1], merge: isClash ? nil : values[2], isClash: isClash)
        }
    }
}
