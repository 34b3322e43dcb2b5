import FireLite
import Foundation

extension ReadTransaction {
    /// The requests in the store's outbox, in the order of sending.
    ///
    /// - Parameter server: the base address of a server; nil for all.
    /// - Throws: ``OutboxError/Code/invalidArgument`` if that is not a server's address; `FHIRStoreError`.
    public func outboxEntries(for server: URL? = nil) throws -> [OutboxEntry] {
        let name = try server.map { try OutboxServer.name($0) }
        return try outboxRows(
            "SELECT \(OutboxEntry.columns) FROM _outbox" + (name == nil ? "" : " WHERE server = ?") + " ORDER BY seq",
            name.map { [.text($0)] } ?? []
        ).map { OutboxEntry($0) }
    }

    /// An entry of the store's outbox; nil if there is none with this number, as it was sent or discarded.
    ///
    /// - Throws: `FHIRStoreError`.
    package func outboxEntry(_ number: Int64) throws -> OutboxEntry? {
        try outboxRows("SELECT \(OutboxEntry.columns) FROM _outbox WHERE seq = ?", [.integer(number)]).first.map { OutboxEntry($0) }
    }

    /// The request of an entry as it is sent: a create with its condition, a sealed one with its envelope. Nil if there is no such entry.
    ///
    /// - Throws: ``OutboxError``; `FHIRStoreError`.
    package func outboxRequest(_ number: Int64) throws -> FHIRRequest? {
        try outboxRows("SELECT \(OutboxOutgoing.columns) FROM _outbox WHERE seq = ?", [.integer(number)]).first
            .map { try OutboxOutgoing($0).request }
    }
}
