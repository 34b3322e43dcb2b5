import Foundation

extension Outbox {
    /// Sends an entry once.
    ///
    /// - Throws: `CancellationError` only.
    func exchange(_ entry: OutboxOutgoing) async throws -> OutboxAnswer {
        do {
            let response = try await sender(of: entry).send(entry.request)
            // The condition of a create has found what an earlier attempt had created.
            let wasDone = entry.isUncertain && entry.request.method == .post && response.status == 200
            return .accepted(OutboxReceipt(entry, status: response.status, fields: response.fields, wasDone: wasDone))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            let failure = OutboxFailure(error)
            guard failure.isRefusal, let status = failure.status else { return .failed(failure) }
            // What should be deleted is not there.
            let isGone = entry.request.method == .delete && (status == 404 || status == 410)
            if isGone || (status == 409 || status == 412) && entry.isUncertain {
                if try await wasDone(entry, isGone: isGone) {
                    return .accepted(OutboxReceipt(entry, status: status, fields: [:], wasDone: entry.isUncertain))
                }
            }
            return .failed(failure)
        }
    }

    /// Whether an earlier attempt, whose answer got lost, was done: then the server has another version than the entry asks for, and it is the
    /// entry's own.
    private func wasDone(_ entry: OutboxOutgoing, isGone: Bool) async throws -> Bool {
        if isGone { return true }
        guard entry.endpoint == nil, entry.request.method == .put, entry.request.fields["If-Match"] != nil, let own = entry.request.body
        else { return false }
        do {
            let current = try await sender(of: entry).send(FHIRRequest(.get, entry.request.path))
            return try Self.content(current.body) == Self.content(own)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            // Not to be known: then it is what the server says that it is.
            return false
        }
    }

    /// A resource without what servers add to it.
    private static func content(_ json: Data) throws -> [String: JSONValue] {
        var members = try JSONDecoder().decode([String: JSONValue].self, from: json)
        members["meta"] = nil
        return members
    }
}
