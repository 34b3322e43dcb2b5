import FireLite
import Foundation

/// The way of one type to one external store, batch after batch.
struct SampleTransfer: Sendable {
    let engine: SampleEngine
    let destination: any ExternalStore
    let type: SampleType
    let tally: SampleTally

    private var delegate: (any SampleDelegate)? { engine.delegate }
    private var committing: (any CommittingStore)? { destination as? any CommittingStore }
    private var appendOnly: (any AppendOnlyStore)? { destination as? any AppendOnlyStore }
    private var ledger: SampleLedger { SampleLedger(target: destination.name, isLocal: committing?.isLocal ?? false) }

    private var limit: Int {
        max(1, engine.configuration.batchSize ?? (committing?.isLocal == true ? Self.localBatch : Self.externalBatch))
    }

    /// Two batches are in memory at once. With larger ones the store gains no more; a server gets one request for each.
    private static let localBatch = 2_000
    private static let externalBatch = 500

    func run() async throws {
        switch await delegate?.shouldRun(type, at: destination) ?? .proceed {
        case .proceed: break
        case .skip: return
        case .stop: return try tally.add(SampleRunResult.stopped)
        }
        let (ledger, type, source) = (ledger, type, engine.source.name)
        let anchor = try await engine.store.read { tx in try ledger.anchor(tx, source: source, type: type) }
        var stage = try await stage(after: anchor, besides: nil)
        if engine.configuration.readsAgain, anchor != nil, stage.changes.isComplete, stage.result.read == 0 {
            stage = try await self.stage(after: nil, besides: nil)
        }
        while !stage.result.isStopped, !stage.changes.isComplete {
            let current = stage
            if delegate == nil, committing != nil {
                // The next batch is read and prepared while this one is written.
                async let next = self.stage(after: current.changes.anchor, besides: current.batch)
                try await finish(current)
                stage = try await next
            } else {
                try await finish(current)
                stage = try await self.stage(after: current.changes.anchor, besides: nil)
            }
        }
        try await finish(stage)
    }

    // MARK: - A batch

    /// A batch that is to be committed.
    private struct Stage: Sendable {
        let changes: SampleChanges
        let isNew: Bool
        var batch = SampleBatch()
        var locations: [UUID: String] = [:]
        var prepared: PreparedSamples?
        var result = SampleRunResult()
    }

    /// Reads a batch and does what precedes the write: deletes, then fetches, adds and updates.
    ///
    /// - Parameter last: the batch before, which may not be committed yet.
    private func stage(after anchor: SampleAnchor?, besides last: SampleBatch?) async throws -> Stage {
        try Task.checkCancellation()
        var changes = try await engine.source.changes(of: type, after: anchor, limit: limit)
        // All samples pass here, whatever their source.
        if let first = changes.added.firstIndex(where: { !$0.isFinite }) {
            for sample in changes.added[first...] where !sample.isFinite {
                changes.rejections.note(SampleError(.damaged, "\(sample): \(Sample.tooLarge)"))
            }
            changes.added.removeAll { !$0.isFinite }
        }
        var stage = Stage(changes: changes, isNew: changes.anchor != anchor)
        stage.result.read = changes.added.count + changes.deleted.count
        stage.result.rejections = changes.rejections
        let known = try await known(changes, besides: last)
        stage.batch.deleted = try await deletions(changes, known, &stage.result)
        if committing == nil, !stage.batch.deleted.isEmpty { try await destination.delete(stage.batch.deleted) }
        var objects = additions(changes, known, &stage.result)
        if !stage.result.isStopped, committing == nil { objects = try await fetched(objects, &stage.result) }
        if !stage.result.isStopped { try await choose(objects, &stage.batch, &stage.result) }
        if let committing {
            stage.prepared = try committing.prepare(stage.batch)
        } else {
            if !stage.batch.added.isEmpty { stage.locations = try await destination.add(stage.batch.added) }
            if !stage.batch.updated.isEmpty { try await destination.update(stage.batch.updated) }
        }
        stage.result.deleted = stage.batch.deleted.count
        stage.result.added = stage.batch.added.count
        stage.result.updated = stage.batch.updated.count
        return stage
    }

    /// Commits a batch and reports it.
    private func finish(_ stage: Stage) async throws {
        if stage.isNew || !stage.batch.isEmpty { try await commit(stage) }
        await report(stage.batch)
        try tally.add(stage.result)
    }

    private func known(_ changes: SampleChanges, besides last: SampleBatch?) async throws -> [UUID: SampleLedger.Known] {
        let (ledger, uuids) = (ledger, changes.added.map(\.uuid) + changes.deleted)
        if uuids.isEmpty { return [:] }
        var known = try await engine.store.read { tx in try ledger.known(tx, uuids) }
        // Whether the read saw the last batch or not: that is how it will be.
        if let last {
            for object in last.deleted { known[object.uuid] = nil }
            for object in last.added + last.updated { known[object.uuid] = SampleLedger.Known(digest: object.digest, location: nil) }
        }
        return known
    }

    /// What is to be deleted: what the store has.
    private func deletions(
        _ changes: SampleChanges, _ known: [UUID: SampleLedger.Known], _ result: inout SampleRunResult
    ) async throws -> [ExternalObject] {
        if appendOnly != nil {
            result.skipped += changes.deleted.count { known[$0] != nil }
            return []
        }
        var objects: [ExternalObject] = []
        var unknown: [ExternalObject] = []
        for uuid in changes.deleted {
            let object = ExternalObject(uuid: uuid, sample: nil, location: known[uuid]?.location)
            if known[uuid] != nil { objects.append(object) } else { unknown.append(object) }
        }
        if committing == nil, !unknown.isEmpty {
            // An earlier run may have added them without noting it.
            let found = try await destination.existingLocations(of: unknown)
            objects += unknown.compactMap { object in
                found[object.uuid].map { ExternalObject(uuid: object.uuid, sample: nil, location: $0) }
            }
        }
        guard let delegate else { return objects }
        var chosen: [ExternalObject] = []
        for object in objects {
            switch await delegate.shouldDelete(object, at: destination) {
            case .proceed: chosen.append(object)
            case .skip: result.skipped += 1
            case .stop:
                result.isStopped = true
                return chosen
            }
        }
        return chosen
    }

    /// The samples that the store does not have in this form; each once, the last one of a UUID.
    private func additions(
        _ changes: SampleChanges, _ known: [UUID: SampleLedger.Known], _ result: inout SampleRunResult
    ) -> [(object: ExternalObject, isKnown: Bool)] {
        var objects: [(object: ExternalObject, isKnown: Bool)] = []
        var places: [UUID: Int] = [:]
        let form = destination.encodingVersion
        for sample in changes.added {
            var fingerprint = SampleFingerprint()
            fingerprint.add(form)
            fingerprint.add(sample)
            let state = known[sample.uuid]
            if state?.digest == fingerprint.number {
                result.unchanged += 1
                continue
            }
            let object = ExternalObject(uuid: sample.uuid, sample: sample, location: state?.location, digest: fingerprint.number)
            if let place = places[sample.uuid] {
                objects[place] = (object, state != nil)
                result.unchanged += 1
            } else {
                places[sample.uuid] = objects.count
                objects.append((object, state != nil))
            }
        }
        return objects
    }

    /// Asks the external store for what the file does not know.
    private func fetched(
        _ objects: [(object: ExternalObject, isKnown: Bool)], _ result: inout SampleRunResult
    ) async throws -> [(object: ExternalObject, isKnown: Bool)] {
        var asked: [ExternalObject] = []
        var kept: [(object: ExternalObject, isKnown: Bool)] = []
        for item in objects {
            let decision = item.isKnown ? .proceed : await delegate?.shouldFetch(item.object, at: destination) ?? .proceed
            if decision == .stop {
                result.isStopped = true
                return []
            }
            if decision == .skip {
                result.skipped += 1
                continue
            }
            if !item.isKnown { asked.append(item.object) }
            kept.append(item)
        }
        guard !asked.isEmpty else { return kept }
        let found = try await destination.existingLocations(of: asked)
        for index in kept.indices where !kept[index].isKnown {
            if let location = found[kept[index].object.uuid] {
                kept[index].object.location = location
                kept[index].isKnown = true
            }
            await delegate?.fetchComplete(kept[index].object, at: destination)
        }
        return kept
    }

    private func choose(
        _ objects: [(object: ExternalObject, isKnown: Bool)], _ batch: inout SampleBatch, _ result: inout SampleRunResult
    ) async throws {
        for (object, isKnown) in objects {
            var decision = SampleDecision.proceed
            if let appendOnly, isKnown || !(object.sample.map(appendOnly.takes) ?? false) {
                decision = .skip
            } else if let delegate {
                decision =
                    isKnown ? await delegate.shouldUpdate(object, at: destination) : await delegate.shouldAdd(object, at: destination)
            }
            switch decision {
            case .proceed where isKnown: batch.updated.append(object)
            case .proceed: batch.added.append(object)
            case .skip: result.skipped += 1
            case .stop:
                result.isStopped = true
                return
            }
        }
    }

    /// Notes the batch and the anchor in one write, in which stores that commit do their work too.
    private func commit(_ stage: Stage) async throws {
        let (ledger, committing, source, type) = (ledger, committing, engine.source.name, type)
        let anchor = stage.result.isStopped ? nil : stage.changes.anchor
        try await engine.store.write(besides: engine.store.participant(SampleKeeper.self)) { tx in
            try committing?.commit(stage.batch, stage.prepared, in: tx)
            if !ledger.isLocal { try ledger.note(tx, stage.batch, stage.locations) }
            try ledger.save(tx, anchor, source: source, type: type)
        }
        if let committing, !stage.batch.isEmpty { tally.wait(try await committing.finish(engine.store)) }
    }

    private func report(_ batch: SampleBatch) async {
        guard let delegate else { return }
        for object in batch.deleted { await delegate.deleteComplete(object, at: destination) }
        for object in batch.added { await delegate.addComplete(object, at: destination) }
        for object in batch.updated { await delegate.updateComplete(object, at: destination) }
    }
}

extension SampleRunResult {
    fileprivate static var stopped: SampleRunResult {
        var result = SampleRunResult()
        result.isStopped = true
        return result
    }
}
