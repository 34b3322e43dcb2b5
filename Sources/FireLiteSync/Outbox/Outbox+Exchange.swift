import Foundation

extension Outbox {
    /// Sends an entry once. One that the server says it has done, or may have done and that creates resources, is read back first.
    ///
    /// - Parameter mayRepeat: whether such an entry may be sent again if a search shows that it was not done.
    /// - Throws: `CancellationError` only.
    func exchange(_ entry: OutboxOutgoing, mayRepeat: Bool = true) async throws -> OutboxAnswer {
        do {
            if try !entry.isDecided && (entry.isAnswered || isDoubtfulCreation(entry)) {
                switch try await sender(of: entry).standing(of: entry.request) {
                case .shown: return .accepted(OutboxReceipt(entry, WriteReceipt(status: 200), wasAlreadyApplied: true))
                case .absent where mayRepeat: break
                case .absent: return .failed(OutboxFailure(unshown: "\(Self.unshown(entry)) show it yet; \(Self.remedy(entry))"))
                // Nobody has said that it was done, and its conditions say what may be done twice.
                case .unsearchable where !entry.isAnswered: break
                case .partlyShown(let count):
                    let what = "the server shows some entries of the request \(entry.number), and \(count) others not"
                    return .failed(OutboxFailure(unshown: "\(entry.request): \(what); \(Self.remedy(entry))"))
                case .unsearchable(let count), .unknown(let count):
                    let what = "\(Self.unshown(entry)) let \(count) of its entries be read back"
                    return .failed(OutboxFailure(unshown: "\(what); \(Self.remedy(entry))"))
                }
            }
            let receipt = try await self.receipt(entry)
            // The condition of a create has found what an earlier attempt had created.
            let wasAlreadyApplied = entry.isUncertain && entry.request.method == .post && receipt.status == 200
            return .accepted(OutboxReceipt(entry, receipt, wasAlreadyApplied: wasAlreadyApplied))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if let error = error as? UnshownEntries {
                return .failed(OutboxFailure(unshown: "\(error.cause); \(Self.remedy(entry))"))
            }
            let failure = OutboxFailure(error)
            guard failure.isRefusal, let status = failure.status else { return .failed(failure) }
            // What should be deleted is not there, by the server's own word.
            let isGone = entry.request.method == .delete && (error as? FHIRClientError)?.saysAbsent == true
            if isGone || (status == 409 || status == 412) && entry.isUncertain {
                if try await wasDone(entry, isGone: isGone) {
                    return .accepted(OutboxReceipt(entry, WriteReceipt(status: status), wasAlreadyApplied: entry.isUncertain))
                }
            }
            return .failed(failure)
        }
    }

    /// Whether an entry is a Bundle that creates resources on a condition, and whose answer got lost: there are servers that ignore conditions.
    private func isDoubtfulCreation(_ entry: OutboxOutgoing) throws -> Bool {
        guard entry.isUncertain, entry.endpoint == nil, let (_, requests, _) = entry.request.entries(try sender(of: entry)) else {
            return false
        }
        return requests.contains { $0.method == .post && $0.fields["If-None-Exist"] != nil }
    }

    private static func unshown(_ entry: OutboxOutgoing) -> String {
        let what = entry.isAnswered ? "says that it has done" : "may have done"
        return "\(entry.request): the server \(what) the request \(entry.number), but does not"
    }

    private static func remedy(_ entry: OutboxOutgoing) -> String {
        "the next flush asks again; to end that, retry \(entry.number) to send it again, which may do it twice, or discard it if the server has it"
    }

    /// What the server has of an entry. A second endpoint gets sealed content, so the policy says what shows that it has accepted it.
    private func receipt(_ entry: OutboxOutgoing) async throws -> WriteReceipt {
        let client = try sender(of: entry)
        guard entry.endpoint != nil else { return try await client.confirmed(entry.request) }
        let response = try await client.send(entry.request)
        guard 200..<300 ~= response.status, envelopes?.proof.isGiven(response) == true else {
            throw entry.request.noEvidence(
                response, "the answer does not show that the second endpoint has accepted it (an EnvelopePolicy.Proof says what does)")
        }
        let location = ResourceLocation(response.fields["Location"] ?? response.fields["Content-Location"])
        return WriteReceipt(
            status: response.status, fields: response.fields, id: location?.id,
            version: FHIRRequest.version(inEntityTag: response.fields["ETag"]) ?? location?.version)
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
