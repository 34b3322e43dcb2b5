import FireLite
import Foundation

extension AuditTrail {
    /// Passes a head to a closure in each period, to be kept outside the file, until its task is cancelled. If nothing happened in a
    /// period, it signs a head that says so.
    ///
    /// - Parameters:
    ///   - period: the time between two heads.
    ///   - keep: stores the head, for example on a server.
    /// - Throws: errors of `keep`; `CancellationError`; `AuditError`; `FHIRStoreError`.
    public func publishHeads(every period: Duration, _ keep: @Sendable (AuditHead) async throws -> Void) async throws {
        var last: AuditHead?
        while true {
            var head = try await store.read { try $0.lastAuditHead() }
            if head == nil || head == last { head = try await seal() }
            if let head { try await keep(head) }
            last = head
            try await Task.sleep(for: period)
        }
    }

    /// Adds the last head to a file of kept heads. If the file already has it, nothing has happened since, and the trail signs and adds a
    /// head that says so.
    ///
    /// - Parameter file: a file, if possible not on the store's disk or device.
    /// - Returns: the head.
    /// - Precondition: not inside a read or write of the store.
    /// - Throws: `AuditError.invalidProof` if the trail does not continue the kept heads, or is another trail; `AuditError.file`;
    ///   `FHIRStoreError`.
    @discardableResult
    public func saveHead(to file: AuditHeadFile) throws -> AuditHead {
        let kept = try file.heads(mayBeEmpty: true).last
        var head = try store.read { try $0.lastAuditHead() }
        if head == nil || head == kept { head = try seal() }
        guard let head else { throw AuditError(.notFound, "the store has no audit trail: start it") }
        if let kept {
            let same = try store.read { try $0.auditHeads(after: kept.number - 1, limit: 1).first }
            guard same?.token == kept.token else {
                throw AuditError(.invalidProof, "the trail does not continue the kept \(kept): verify it from that head")
            }
        }
        try file.append(head)
        return head
    }

    /// Adds the last head to a file of kept heads, without blocking the caller: see the blocking form.
    ///
    /// - Parameter file: a file, if possible not on the store's disk or device.
    /// - Returns: the head.
    /// - Throws: as the blocking form does; `CancellationError`.
    @discardableResult
    public func saveHead(to file: AuditHeadFile) async throws -> AuditHead {
        try await store.transferring { try self.saveHead(to: file) }
    }
}
