import FireLite
import FireLiteSync
import Foundation

/// The servers that a database was synchronized with, and the conflicts with them. Nothing is sent to them.
struct ConflictServers {
    private let store: FHIRStore
    let bases: [String]

    /// - Parameter only: the base address of one server; nil for all.
    /// - Throws: `ToolError` with status 1 if the database was never synchronized with that server.
    init(_ store: FHIRStore, only base: String?) throws {
        self.store = store
        let known = try store.synchronizedServers()
        guard var base else {
            bases = known
            return
        }
        while base.hasSuffix("/") { base.removeLast() }
        guard known.contains(base) else {
            guard !known.isEmpty else { throw ToolError.incomplete("--server is \(base), but the database was never synchronized") }
            let names = known.joined(separator: ", ")
            throw ToolError.incomplete("--server is \(base), but the database was synchronized only with \(names)")
        }
        bases = [base]
    }

    /// A synchronizer for what the database knows of a server, without access to it.
    func synchronizer(_ base: String) throws -> Synchronizer {
        guard let url = URL(string: base) else { throw ToolError.failed("the database has a server whose address is none") }
        var configuration = FHIRClient.Configuration()
        if let host = url.host { configuration.plainHTTPHosts = [host] }
        return Synchronizer(store, try FHIRClient(base: url, release: store.release, configuration: configuration))
    }

    /// The servers with which a resource is undecided: missing, while nothing says that it was deleted here.
    func undecided() throws -> [(name: String, server: String)] {
        try bases.flatMap { base in try store.undecidedResources(at: base).map { ($0, base) } }
    }

    /// The conflicts in the order of their changes, server by server.
    func conflicts() throws -> [StoredConflict] {
        try bases.flatMap { base in
            let synchronizer = try synchronizer(base)
            return try awaiting { try await synchronizer.conflicts() }.map {
                try StoredConflict($0, server: base, release: store.release)
            }
        }
    }
}
