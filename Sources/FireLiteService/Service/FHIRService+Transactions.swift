import FireLite
import FireLiteTrust
import Foundation

// Every read and write of the service begins here. References under the server's own address are to its own resources then, for what a client asks and
// for what its scopes hide alike, and a write is stamped with a time after which nothing earlier can be committed.

extension FHIRService {
    /// Runs `body` on a snapshot of the store; inside another read or write on this thread, on that one's.
    func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> Value {
        try store.read { transaction in try transaction.served(under: base) { try body(transaction) } }
    }

    /// Runs `body` as one write that no client asks for, or not directly.
    ///
    /// - Parameter body: gets the write and its time.
    @discardableResult
    func write<Value>(_ body: (WriteTransaction, Date) throws -> Value) throws -> Value {
        try store.write { transaction in
            // The file's lock is held, by whatever process: writes before are committed, and later ones have a later time.
            let now = configuration.clock.now()
            return try transaction.served(under: base) { try body(transaction, now) }
        }
    }

    /// Runs `body` for each of several calls as one write, and notes for the audit what it has recorded itself.
    func write<Value>(for calls: [ServiceCall], _ body: (WriteRun) throws -> Value) throws -> [Value] {
        let (values, written) = try write { transaction, now -> ([Value], [WrittenResource]) in
            let values = try calls.map { call -> Value in
                transaction.setAuditParty(AuditParty(call.access.subject))
                return try body(WriteRun(self, call.written(at: now), transaction))
            }
            return (values, calls.contains { $0.notes != nil } ? transaction.written : [])
        }
        // Now that it is committed.
        for call in calls { call.notes?.add(written) }
        return values
    }

    /// Runs `body` as one write for a call.
    func write<Value>(for call: ServiceCall, _ body: (WriteRun) throws -> Value) throws -> Value {
        try write(for: [call], body)[0]
    }
}
