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

    /// The resources about which nobody knows what the database wants from a server.
    func undecided() throws -> [UndecidedResource] {
        try bases.flatMap { base in
            try store.undecidedResources(at: base).map { name in
                let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
                let (type, id) = (parts.first ?? "", parts.last ?? "")
                return UndecidedResource(typeName: type, id: id, server: base, isHere: try store.has(type, id: id))
            }
        }
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

/// A resource that the server has, and about which nobody knows what the database wants.
struct UndecidedResource {
    let typeName: String
    let id: String
    let server: String
    /// Whether the database has the resource: its row in the journal is damaged then.
    let isHere: Bool

    var name: String { "\(typeName)/\(id)" }
    var line: String { "undecided \(name) at \(server): \(Self.reason(isHere: isHere))" }

    var figures: [Report.Figure] {
        [.init("type", .text(typeName)), .init("id", .text(id)), .init("server", .text(server))]
    }

    static func reason(isHere: Bool) -> String {
        isHere
            ? "it is here, and its row in the journal does not say whether the server has it"
            : "it is missing here, and the change log does not say whether it was deleted"
    }
}

extension FHIRStore {
    /// Whether the database has a resource; false for a type that its release does not have.
    func has(_ type: String, id: String) throws -> Bool {
        guard release.resourceLayout(named: type) != nil else { return false }
        return try read { try $0.registered(type, id: id) != nil }
    }
}
