import FireLite
import FireLiteClient
import FireLiteTrust
import Foundation

/// Commits writes that wait at the same time together, as a commit costs a sync of the disk and what is written hardly counts.
///
/// Each is answered after the commit, so nothing is acknowledged that a crash could lose. If one of a group fails, the group is undone and each is done
/// by itself.
///
/// `@unchecked Sendable`: `lock` guards `waiting` and `isRunning`.
final class WriteGroup: @unchecked Sendable {
    private struct Waiting {
        let call: ServiceCall
        let continuation: CheckedContinuation<ServiceResponse, any Error>
    }

    private let lock = NSLock()
    private var waiting: [Waiting] = []
    private var isRunning = false

    /// The number of writes of a commit.
    private static let maximum = 256

    /// Answers a write when it is committed.
    func answer(_ call: ServiceCall, _ service: FHIRService) async throws -> ServiceResponse {
        try await withCheckedThrowingContinuation { continuation in
            let starts = lock.withLock {
                waiting.append(Waiting(call: call, continuation: continuation))
                defer { isRunning = true }
                return !isRunning
            }
            // Not in the task of one client, which may be cancelled.
            if starts { Task.detached { await self.drain(service) } }
        }
    }

    private func drain(_ service: FHIRService) async {
        while true {
            let group = next(service)
            guard !group.isEmpty else { return }
            let calls = group.map(\.call)
            do {
                let answers = try await service.store.writing(until: service.deadline) { Self.answers(calls, service) }
                for (place, answer) in answers.enumerated() { group[place].continuation.resume(with: answer) }
            } catch {
                for one in group { one.continuation.resume(throwing: error) }
            }
        }
    }

    /// The writes of the next commit, in their order.
    private func next(_ service: FHIRService) -> [Waiting] {
        lock.withLock {
            var count = 0
            var seen: Set<String> = []
            // An audit names the one who writes, for a whole commit.
            let isTogether = service.store.auditTrail == nil
            for one in waiting.prefix(isTogether ? Self.maximum : 1) {
                guard let change = Self.change(one.call) else { break }
                if case .of(let resource) = change { guard seen.insert(resource).inserted else { break } }
                count += 1
            }
            // What cannot be with others is alone.
            count = min(max(count, 1), waiting.count)
            let group = Array(waiting.prefix(count))
            waiting.removeFirst(count)
            if group.isEmpty { isRunning = false }
            return group
        }
    }

    private enum Change {
        case new
        case of(String)
    }

    /// What a write changes; nil for one that depends on others. Two changes of a resource in a commit would be one version.
    private static func change(_ call: ServiceCall) -> Change? {
        switch (call.route, call.request.method) {
        case (.type, .post) where call.request.fields["If-None-Exist"] == nil && call.query.conditions.isEmpty: .new
        case (.instance(let type, let id), .put), (.instance(let type, let id), .delete), (.instance(let type, let id), .patch):
            .of("\(type)/\(id)")
        default: nil
        }
    }

    // MARK: - Writing

    private static func answers(_ calls: [ServiceCall], _ service: FHIRService) -> [Result<ServiceResponse, any Error>] {
        if calls.count > 1, let outcomes = try? outcomes(calls, service) {
            return zip(calls, outcomes).map { call, outcome in Result { try response(outcome, call, service) } }
        }
        return calls.map { call in
            Result {
                let outcome = try outcomes([call], service)[0]
                return try response(outcome, call, service)
            }
        }
    }

    private static func outcomes(_ calls: [ServiceCall], _ service: FHIRService) throws -> [WriteOutcome] {
        try service.write(for: calls) { try $0.answer() }
    }

    private static func response(_ outcome: WriteOutcome, _ call: ServiceCall, _ service: FHIRService) throws -> ServiceResponse {
        try outcome.answer(call, service).responseAfterCommit(call.presentation, service.release)
    }
}
