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
    private var ledger: SampleLedger { SampleLedger(target: destination.name, isLocal: committing?.isLocal ?? false) }

    func run() async throws {
        switch await delegate?.shouldRun(type, at: destination) ?? .proceed {
        case .proceed: break
        case .skip: return
        case .stop: return tally.add(SampleRunResult.stopped)
        }
        let (ledger, type, source) = (ledger, type, engine.source.name)
        var anchor = try await engine.store.read { tx in try ledger.anchor(tx, source: source, type: type) }
        while true {
            try Task.checkCancellation()
            let changes = try await engine.source.changes(of: type, after: anchor, limit: engine.configuration.batchSize)
            let result = try await transfer(changes, isNew: changes.anchor != anchor)
            tally.add(result)
            if result.isStopped || changes.isComplete { return }
            anchor = changes.anchor
        }
    }

    // MARK: - A batch

    /// Does a batch: deletes, then fetches, adds and updates.
    private func transfer(_ changes: SampleChanges, isNew: Bool) async throws -> SampleRunResult {
        var result = SampleRunResult()
        result.read = changes.added.count + changes.deleted.count
        let known = try await known(changes)
        var batch = SampleBatch()
        batch.deleted = try await deletions(changes, known, &result)
        if committing == nil, !batch.deleted.isEmpty { try await destination.delete(batch.deleted) }
        var objects = additions(changes, known, &result)
        if !result.isStopped, committing == nil { objects = try await fetched(objects, &result) }
        if !result.isStopped { try await choose(objects, &batch, &result) }
        var locations: [UUID: String] = [:]
        if committing == nil {
            if !batch.added.isEmpty { locations = try await destination.add(batch.added) }
            if !batch.updated.isEmpty { try await destination.update(batch.updated) }
        }
        if isNew || !batch.isEmpty { try await commit(batch, locations, anchor: result.isStopped ? nil : changes.anchor) }
        result.deleted = batch.deleted.count
        result.added = batch.added.count
        result.updated = batch.updated.count
        await report(batch)
        return result
    }

    private func known(_ changes: SampleChanges) async throws -> [UUID: SampleLedger.Known] {
        let (ledger, uuids) = (ledger, changes.added.map(\.uuid) + changes.deleted)
        return try await engine.store.read { tx in try ledger.known(tx, uuids) }
    }

    /// What is to be deleted: what the store has.
    private func deletions(
        _ changes: SampleChanges, _ known: [UUID: SampleLedger.Known], _ result: inout SampleRunResult
    ) async throws -> [ExternalObject] {
        var objects: [ExternalObject] = []
        var unknown: [ExternalObject] = []
        for uuid in changes.deleted {
            let object = ExternalObject(uuid: uuid, sample: nil, location: known[uuid]?.location)
            if known[uuid] != nil { objects.append(object) } else { unknown.append(object) }
        }
        if committing == nil, !unknown.isEmpty {
            // An earlier run may have added them without noting it.
            let found = try await destination.fetch(unknown)
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
        let form = destination.form
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
        let found = try await destination.fetch(asked)
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
            if let delegate {
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
    private func commit(_ batch: SampleBatch, _ locations: [UUID: String], anchor: SampleAnchor?) async throws {
        let (ledger, committing, source, type) = (ledger, committing, engine.source.name, type)
        try await engine.store.write { tx in
            try committing?.commit(batch, in: tx)
            if !ledger.isLocal { try ledger.note(tx, batch, locations) }
            try ledger.save(tx, anchor, source: source, type: type)
        }
        if let committing, !batch.isEmpty { tally.wait(try await committing.finish(engine.store)) }
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
