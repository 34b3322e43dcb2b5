import FireLite
import FireLiteCore
import FireLiteXML
import Foundation

extension SyncRun {
    /// What a push has seen.
    private struct PushState {
        /// Changes that wait for the next sync.
        var skipped: Set<Int64> = []
        /// Deletions of resources that others still refer to: they are sent again after everything else.
        var postponed: Set<Int64> = []
        var hasPostponed = false
        /// How often a change met another version.
        var collisions: [SyncKey: Int] = [:]
        var interruptions = 0
        var failures = 0
        var done = 0
        let total: Int
        let form: PushForm
        let grouping: Synchronizer.Configuration.Grouping
    }

    mutating func push() async throws {
        var state = try await beginPush()
        let limit = state.grouping == .single ? 1 : max(configuration.maximumBundleCount, 1)
        while true {
            try Task.checkCancellation()
            let (skipped, damaged, form) = (state.skipped, self.damaged, state.form)
            let next = try await journal { try $0.nextPush(skipping: skipped, damaged, limit: limit, form) }
            result.parked += next.newlyParked
            self.damaged.formUnion(next.newlyDamaged)
            if !next.bundle.components.isEmpty {
                try await send(next.bundle, &state)
                continue
            }
            if !state.postponed.isEmpty {
                state.skipped.subtract(state.postponed)
                state.postponed = []
                state.hasPostponed = true
                continue
            }
            // A change without a version at the server would overwrite others' changes: first the version is read.
            let keys = next.withoutVersion.filter { state.collisions[$0] == nil }
            guard !keys.isEmpty else {
                try await journal { try $0.noteWithoutVersion(next.withoutVersion) }
                break
            }
            for key in keys { state.collisions[key] = 1 }
            try await settle(keys)
        }
        result.waiting = Int(try await journal { try $0.waitingCount })
    }

    private mutating func beginPush() async throws -> PushState {
        var grouping = configuration.grouping
        if grouping == .automatic {
            let abilities = try await self.abilities()
            grouping = abilities.hasTransactions ? .transactions : abilities.hasBatches ? .batches : .single
        }
        var form = PushForm(release: client.release)
        form.newIDs = configuration.newIDs
        form.separatesDependents = grouping == .batches
        if configuration.updateFormat != .whole {
            let formats = try await abilities().patchFormats
            let format = configuration.updateFormat
            let isOffered = formats.map { MediaType($0) }.contains {
                format == .jsonPatch ? $0.isJSONPatch : $0.isFHIRJSON || $0.isFHIRXML
            }
            if isOffered { form.updateFormat = format }
        }
        let (total, locked) = try await journal { (try $0.waitingCount, try $0.lockedChanges()) }
        // What refers to them waits with them.
        return PushState(skipped: locked, total: Int(total), form: form, grouping: grouping)
    }

    // MARK: - Sending

    /// An answer to an entry.
    private struct EntryAnswer: Sendable {
        let status: Int
        var id: String?
        var version: String?
        var issues: [OutcomeIssue] = []
        /// The resource as the server has it, as JSON; nil if it was not returned.
        var resource: Data?
        /// Whether the answer is about the entry. If not, nobody knows what has happened to it.
        var isClear = true

        var isSuccess: Bool { 200..<300 ~= status }
    }

    /// Sends changes and notes at once what the server has done.
    private mutating func send(_ bundle: PushBundle, _ state: inout PushState) async throws {
        let entries = bundle.entries
        do {
            let answers = try await self.answers(entries, state.grouping)
            let unclear = zip(entries, answers).filter { !$0.1.isClear }.map(\.0)
            if unclear.isEmpty { state.interruptions = 0 }
            let successes = zip(entries, answers).filter { $0.1.isSuccess && $0.1.isClear }
            let noted = successes.map {
                SyncJournal.Success(entry: $0.0, id: $0.1.id, version: $0.1.version, resource: $0.1.resource)
            }
            let client = client
            result.deferred += try await journal { journal in try journal.note(noted) { try client.decodedResource($0) } }
            for (entry, _) in successes { note(entry, &state) }
            for (entry, answer) in zip(entries, answers) where !answer.isSuccess {
                try await refused([entry], status: answer.status, issues: answer.issues, error: nil, state: &state)
            }
            if !unclear.isEmpty {
                try await interrupted(
                    unclear,
                    FHIRClientError(
                        .invalidResponse,
                        "the server's answer to \(unclear.count) changes of a Bundle is not about these: nobody knows what was done"),
                    &state)
            }
        } catch let error as FHIRClientError {
            try await failed(bundle, error, &state)
        }
        try progress.report(SyncProgress(phase: .push, typeName: nil, done: state.done, total: max(state.total, state.done)))
    }

    private mutating func note(_ entry: PushEntry, _ state: inout PushState) {
        switch entry.kind {
        case .create: result.created += 1
        case .update: result.updated += 1
        case .delete: result.deleted += 1
        }
        state.failures = 0
        state.done += 1
    }

    /// Sends one change by itself, or several in a Bundle.
    private func answers(_ entries: [PushEntry], _ grouping: Synchronizer.Configuration.Grouping) async throws -> [EntryAnswer] {
        if entries.count == 1 || grouping == .single {
            var answers: [EntryAnswer] = []
            for entry in entries { answers.append(try await answer(entry)) }
            return answers
        }
        let kind: FHIRClient.BundleKind = grouping == .batches ? .batch : .transaction
        return zip(entries, try await client.confirmed(entries.map(\.entry), as: kind)).map { entry, answer in
            let (result, receipt) = answer
            return EntryAnswer(
                status: result.status, id: receipt?.id, version: receipt?.version, issues: result.issues,
                resource: entry.kind == .delete ? nil : receipt?.resource, isClear: receipt != nil || !(200..<300 ~= result.status))
        }
    }

    private func answer(_ entry: PushEntry) async throws -> EntryAnswer {
        var request = entry.entry.request
        // With the resource as it is there, it need not be read back.
        if request.method != .delete { request.fields["Prefer"] = "return=representation" }
        do {
            let receipt = try await client.confirmed(request)
            return EntryAnswer(status: receipt.status, id: receipt.id, version: receipt.version, resource: receipt.resource)
        } catch let error as FHIRClientError where entry.kind == .delete && error.saysAbsent {
            // It is gone already.
            return EntryAnswer(status: 204)
        }
    }

    // MARK: - Failures

    /// What a failure says about the changes that were sent.
    private enum Failure {
        /// They were not made, and sending them again soon is of no use.
        case notMade
        /// Nobody knows.
        case unknown
        /// The server does not accept at least one of them.
        case refused
    }

    private func failure(_ error: FHIRClientError) -> Failure {
        switch error.code {
        case .connectionLost, .invalidResponse: .unknown
        case .serverFailed: error.status == 500 ? .refused : .unknown
        case .conflict, .preconditionFailed, .notFound, .gone, .rejected, .forbidden: .refused
        default: .notMade
        }
    }

    private mutating func failed(_ bundle: PushBundle, _ error: FHIRClientError, _ state: inout PushState) async throws {
        let entries = bundle.entries
        // Something on the way has answered, and not a FHIR server.
        if error.isGatewaysAbsence { return try await interrupted(entries, error, &state) }
        switch failure(error) {
        case .notMade:
            try await journal { try $0.unmark(entries) }
            throw error
        case .unknown: try await interrupted(entries, error, &state)
        case .refused:
            if error.status != 500 { try await journal { try $0.unmark(entries) } }
            guard bundle.components.count > 1 else {
                return try await refused(entries, status: error.status, issues: error.issues, error: error, state: &state)
            }
            // One of them is at fault: halving finds it, and the others go on.
            let middle = bundle.components.count / 2
            for half in [bundle.components[..<middle], bundle.components[middle...]] {
                let part = PushBundle(components: Array(half))
                let unchanged = try await journal { try $0.markUnchanged(part) }
                if !unchanged.components.isEmpty { try await send(unchanged, &state) }
            }
        }
    }

    /// Nobody knows what has become of changes: the server is asked, after a while.
    private mutating func interrupted(_ entries: [PushEntry], _ error: FHIRClientError, _ state: inout PushState) async throws {
        state.interruptions += 1
        if error.code == .invalidResponse { try await journal { try $0.noteAnswer(to: entries) } }
        guard state.interruptions <= configuration.maximumInterruptions else { throw error }
        try await client.configuration.retry.pause(afterAttempt: state.interruptions, retryAfter: error.retryAfter, by: clock)
        try await settle(entries.map(\.key))
    }

    /// The server does not accept changes that belong together.
    private mutating func refused(
        _ entries: [PushEntry], status: Int?, issues: [OutcomeIssue], error: FHIRClientError?, state: inout PushState
    ) async throws {
        if status == 409, !state.hasPostponed, entries.allSatisfy({ $0.kind == .delete }) {
            state.skipped.formUnion(entries.map(\.number))
            state.postponed.formUnion(entries.map(\.number))
            return
        }
        let isCollision = [404, 409, 410, 412].contains(status)
        let collisions = entries.map { state.collisions[$0.key, default: 0] }.max() ?? 0
        if isCollision, collisions < 3 {
            for entry in entries { state.collisions[entry.key, default: 0] += 1 }
            return try await settle(entries.map(\.key))
        }
        // Refused is what a FHIR server refuses: anything on the way may answer without an OperationOutcome, and stops doing so some day.
        // Nor is a request that came too late or too early (408, 425).
        let isRefusal = (error.map { $0.outcome != nil } ?? true) && status != 408 && status != 425
        let isFailure = status.map { $0 >= 500 } ?? true
        if isFailure || !isRefusal {
            // Perhaps the server, perhaps the change: others are tried first.
            state.failures += 1
            for entry in entries { state.skipped.insert(entry.number) }
            let limit = Int64(configuration.maximumFailures)
            let parked = try await journal { journal in
                var parked = 0
                for entry in entries {
                    try journal.noteFailure(entry.number, status: status)
                    let attempts = try journal.changes("change = ?", [.integer(entry.number)]).first?.attempts ?? 0
                    guard isFailure, attempts >= limit else { continue }
                    try journal.setAside(entry.number, .parked, status: status, issues: issues)
                    parked += 1
                }
                return parked
            }
            result.parked += parked
            if let error, state.failures >= 3 { throw error }
            return
        }
        try await journal { journal in
            for entry in entries { try journal.setAside(entry.number, .parked, status: status, issues: issues) }
        }
        result.parked += entries.count
    }
}
