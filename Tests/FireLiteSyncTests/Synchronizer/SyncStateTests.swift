import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What a synchronizer keeps and shows.
@Suite struct SyncStateTests {
    private let server = ModelServer()

    /// Behaviour 23: one sync a server over all processes; a lease that is not renewed ends.
    @Test func oneSyncRunsAtATime() async throws {
        let device = try Device(server)
        let other = try Device(server, store: device.store, clock: device.clock)
        try await device.synchronizer.journal("other process") { _ in }
        let error = await #expect(throws: SyncError.self) { try await other.sync() }
        #expect(error?.code == .busy)
        device.clock.advance(121)
        try await other.sync()
        // The one whose lease has ended notices that another has it.
        try await device.synchronizer.journal("other process") { _ in }
        let late = await #expect(throws: SyncError.self) { try await device.synchronizer.journal("third") { _ in } }
        #expect(late?.code == .busy)
    }

    /// Behaviour 23: writes go on during a sync, and what they change is sent afterwards.
    @Test func writesGoOnDuringASync() async throws {
        let device = try Device(server) { $0.grouping = .single }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id, "One")) } }
        let store = device.store
        server.behavior.after = { request, _ in
            guard request.method == .put, request.text.contains("One") else { return }
            try store.write { tx in _ = try tx.upsert(samplePatient("a", "Two")) }
        }
        try await device.sync(.push)
        #expect(server.contents["Patient/a"]?.contains("Two") == true && server.version("Patient", "a") == 2)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 24: pending, parked and synced for each resource; progress; the last result.
    @Test func statesProgressAndTheLastResultAreKept() async throws {
        server.behavior.refuses = { ($0 as? Patient)?.id == "p" ? 422 : nil }
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in for id in ["a", "p"] { try tx.upsert(samplePatient(id)) } }
        #expect(try await device.synchronizer.state(of: "Patient", id: "a") == .pending)
        #expect(try await device.synchronizer.state(of: "Patient", id: "z") == nil)
        let calls = ProgressLog()
        let result = try await device.synchronizer.sync { calls.note($0) }
        #expect(try await device.synchronizer.state(of: "Patient", id: "a") == .synced)
        #expect(try await device.synchronizer.state(of: "Patient", id: "p") == .parked)
        #expect(try await device.synchronizer.lastResult() == result && result.created == 1 && result.parked == 1)
        #expect(calls.noted.contains { $0.phase == .push && $0.done == 1 && $0.total == 2 })
        #expect(calls.noted.contains { $0.phase == .pull && $0.typeName == "Patient" })
        server.behavior.refuses = { _ in nil }
        #expect(try await device.synchronizer.retry("Patient", id: "p"))
        try await device.sync()
        #expect(try await device.synchronizer.state(of: "Patient", id: "p") == .synced)
    }

    /// Behaviour 24: the result of a sync that failed is kept too, without values of records.
    @Test func failuresAreKept() async throws {
        let device = try Device(server)
        server.behavior.before = { _, _ in throw HTTPTransportError(.cannotConnect, "the server was not reached") }
        await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(try await device.synchronizer.lastResult()?.failure?.contains("not reached") == true)
    }

    /// Behaviour 24: cancelling ends a sync, which gives its lease back.
    @Test func cancellationEndsASync() async throws {
        for number in 0..<10 { server.put(samplePatient("p\(number)")) }
        let device = try Device(server) { $0.pageSize = 2 }
        let task = _Concurrency.Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do { try await device.sync() } catch is CancellationError { return true } catch {}
            return false
        }
        #expect(await task.value)
        #expect(try await device.sync().pulled == 10)
    }

    /// Behaviour 25: purging sends nothing and keeps what was not sent.
    @Test func purgingSendsNothing() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("b", "Edited")) }
        #expect(try await device.synchronizer.purge("Patient", id: "a"))
        let error = await #expect(throws: SyncError.self) { try await device.synchronizer.purge("Patient", id: "b") }
        #expect(error?.code == .notSent)
        server.clear()
        try await device.sync()
        #expect(server.contents.count == 2 && server.writes.count == 1)
        #expect(try await device.synchronizer.purge("Patient", id: "b", force: true))
        #expect(try device.contents().isEmpty)
        #expect(try await device.synchronizer.state(of: "Patient", id: "a") == nil)
        // Not even if the change log was lost, and what is missing is taken for deleted.
        try await device.synchronizer.journal { try $0.run("UPDATE _sync_server SET started = 0") }
        #expect(try await device.sync(.push).pushed == 0)
        #expect(server.contents.count == 2)
    }

    /// A server without histories does not say what was deleted there, and the result says that.
    @Test func typesWhoseDeletionsAreNotKnownAreNamed() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        // There is nothing yet that could have been deleted.
        #expect(try await device.sync().typesWithoutDeletions.isEmpty)
        server.behavior.hasHistory = false
        server.remove("Patient", "a")
        #expect(try await device.sync().typesWithoutDeletions == ["Patient"])
        #expect(try await device.synchronizer.lastResult()?.typesWithoutDeletions == ["Patient"])
        #expect(try device.patient("a") != nil)
        server.behavior.hasHistory = true
        #expect(try await device.sync().typesWithoutDeletions.isEmpty)
        #expect(try device.patient("a") == nil)
    }

    // MARK: - Gaps of the change log

    /// A device that has the server's patients, lacks some of them, and whose log does not say why.
    private func deviceWithGap(_ ids: [String], lacking lost: [String]) async throws -> Device {
        for id in ids { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        try device.store.blocking { store in
            try store.stopTracking(.changes)
            try store.write { tx in for id in lost { try #require(try tx.delete(Patient.self, id: id)) } }
        }
        server.clear()
        return device
    }

    /// What the server has and the store lacks is deleted at the server only if the log says that it was deleted here.
    @Test(arguments: [SyncDirection.both, .pull, .push]) func whatNothingSaysToBeDeletedIsNot(direction: SyncDirection) async throws {
        let device = try await deviceWithGap(["a", "b", "c"], lacking: ["b"])
        // A newer state at the server changes nothing about that.
        server.put(samplePatient("b", "Newer"))
        for _ in 0..<2 {
            let result = try await device.sync(direction)
            #expect(result.deleted == 0 && result.undecided == 1)
            #expect(try await device.synchronizer.lastResult() == result)
        }
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b", "Patient/c"])
        #expect(!server.writes.contains { $0.method == .delete })
        #expect(try device.patient("b") == nil)
        #expect(try await device.synchronizer.changes(.undecided).map(\.id) == ["b"])
        #expect(try await device.synchronizer.state(of: "Patient", id: "b") == .undecided)
        #expect(try await device.synchronizer.preview(.push).undecided == 1)
    }

    @Test func whatIsUndecidedIsDeletedIfSomebodySaysSo() async throws {
        let device = try await deviceWithGap(["a", "b"], lacking: ["b"])
        try await device.sync()
        #expect(try await device.synchronizer.retry("Patient", id: "b"))
        let result = try await device.sync()
        #expect(result.deleted == 1 && result.undecided == 0)
        #expect(server.contents.keys.sorted() == ["Patient/a"])
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    @Test func whatIsUndecidedIsFetchedIfSomebodySaysSo() async throws {
        let device = try await deviceWithGap(["a", "b", "c", "d"], lacking: ["b", "c", "d"])
        try await device.sync()
        server.remove("Patient", "d")
        for id in ["b", "d"] { #expect(try await device.synchronizer.discard("Patient", id: id)) }
        // Only a pull fetches it, and until then it is listed.
        try await device.sync(.push)
        #expect(try device.patient("b") == nil)
        let result = try await device.sync()
        #expect(result.undecided == 1 && server.contents.keys.sorted() == ["Patient/a", "Patient/b", "Patient/c"])
        #expect(try device.patient("b")?.name.first?.family == "Smith")
        #expect(try await device.synchronizer.changes().map(\.id) == ["c"])
        server.clear()
        #expect(try await device.sync().pulled == 0)
        #expect(server.writes.isEmpty)
    }

    /// A resource that is stored again, or deleted again, is one of which the log says what happened.
    @Test func anEditDecides() async throws {
        let device = try await deviceWithGap(["a", "b"], lacking: ["a", "b"])
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Again")) }
        #expect(try await device.synchronizer.changes(.pending).map(\.id) == ["a"])
        // Nothing is stored that it could delete.
        #expect(try await !device.synchronizer.purge("Patient", id: "b", force: true))
        let result = try await device.sync()
        #expect(result.undecided == 0 && result.updated == 1)
        #expect(server.contents["Patient/a"]?.contains("Again") == true && server.contents["Patient/b"] != nil)
    }

    /// A change in the list whose resource is gone after a gap is no deletion either. The list does not say which changes were deletions.
    @Test func aChangeWhoseResourceWasLostIsNoDeletion() async throws {
        let device = try await deviceWithGap(["a", "b"], lacking: [])
        try await device.sync()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.active = true
            _ = try tx.delete(Patient.self, id: "b")
        }
        #expect(try await device.synchronizer.changes(.pending).map(\.id).sorted() == ["a", "b"])
        try device.store.blocking { store in
            try store.stopTracking(.changes)
            try store.write { tx in try #require(try tx.delete(Patient.self, id: "a")) }
        }
        #expect(try await device.sync().undecided == 2)
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/b"])
    }

    /// A row with a state that this version does not know is not sent, not replaced, and listed.
    @Test func anUnknownStateIsUndecided() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Edited")) }
        #expect(try await device.synchronizer.changes().count == 1)
        try await device.synchronizer.journal { try $0.run("UPDATE _sync_change SET state = 9") }
        server.put(samplePatient("a", "Theirs"))
        #expect(try await device.sync().undecided == 1)
        #expect(server.contents["Patient/a"]?.contains("Theirs") == true)
        #expect(try device.patient("a")?.name.first?.family == "Edited")
        #expect(try await device.synchronizer.changes(.undecided).map(\.id) == ["a"])
        #expect(try device.store.blocking { try $0.read { try $0.syncStandings(of: "Patient", id: "a").map(\.state) } } == [.undecided])
    }

    /// The numbers of the log were given again, as its settings were lost: what is edited from then on is sent all the same.
    @Test func aPlaceBeyondTheLogIsAGap() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        try await device.synchronizer.journal { try $0.run("UPDATE _change_reader SET seq = seq + 1000") }
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Edited"))
            _ = try tx.delete(Patient.self, id: "b")
        }
        let result = try await device.sync()
        #expect(result.updated == 1 && result.undecided == 1)
        #expect(server.contents["Patient/a"]?.contains("Edited") == true && server.contents["Patient/b"] != nil)
        #expect(try await device.sync().pushed == 0)
    }

    /// Behaviour 25: a narrower scope drops what it no longer contains, never what was not sent.
    @Test func aNarrowerScopeDropsWhatItDoesNotContain() async throws {
        server.put(samplePatient("a"))
        for id in ["x", "y"] { server.put(sampleObservation(id, of: "a")) }
        let device = try Device(server)
        try await device.sync()
        let edited = sampleObservation("y", of: "a")
        edited.status = .amended
        try device.edit { try $0.upsert(edited) }
        let narrow = try Device(server, store: device.store, scope: .types("Patient"))
        #expect(try await narrow.synchronizer.dropOutOfScope() == 1)
        #expect(try device.contents().keys.sorted() == ["Observation/y", "Patient/a"])
        try await narrow.sync()
        #expect(server.contents["Observation/y"]?.contains("amended") == true && server.contents["Observation/x"] != nil)
    }

    /// Behaviour 25: what another search of the scope has found too comes back with the next pull.
    @Test func whatAnotherSearchHasFoundTooComesBack() async throws {
        let patient = samplePatient("a")
        patient.gender = .female
        server.put(patient)
        let kept = SyncScope.search("Patient", ["_id": "a"])
        let wide = try Device(server, scope: .search("Patient", ["gender": "female"]) + kept) { $0.overlap = .zero }
        try await wide.sync()
        server.put(samplePatient("b"))
        let narrow = try Device(server, store: wide.store, scope: kept) { $0.overlap = .zero }
        #expect(try await narrow.synchronizer.dropOutOfScope() == 1)
        try await narrow.sync()
        #expect(try narrow.contents().keys.sorted() == ["Patient/a"])
    }

    /// A change that is given up leaves the state before it.
    @Test func discardingBringsBackTheStateBefore() async throws {
        server.put(samplePatient("a", "Base"))
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Edited"))
            try tx.upsert(samplePatient("new"))
        }
        #expect(try await device.synchronizer.discard("Patient", id: "a"))
        #expect(try await device.synchronizer.discard("Patient", id: "new"))
        #expect(try device.contents() == server.contents)
        #expect(try await device.sync().pushed == 0)
    }

    /// A preview counts and leaves nothing behind, and a sync afterwards works.
    @Test func aPreviewChangesNothing() async throws {
        server.put(samplePatient("there"))
        let device = try Device(server)
        try device.edit { try $0.upsert(samplePatient("here")) }
        let preview = try await device.synchronizer.preview()
        #expect(preview.toPull == 1 && preview.toCreate == 1 && preview.toUpdate == 0 && preview.toDelete == 0)
        let tables = try device.store.blocking { try $0.sql("SELECT name FROM sqlite_master WHERE name LIKE '\\_sync%' ESCAPE '\\'") }
        #expect(tables.isEmpty && server.writes.isEmpty)
        #expect(try await device.sync().pushed == 1)
        try device.edit { _ = try $0.delete(Patient.self, id: "here") }
        #expect(try await device.synchronizer.preview(.push).toDelete == 1)
        #expect(try await device.sync().deleted == 1)
    }

    /// The bookkeeping is in the store's file and is found again.
    @Test func theBookkeepingIsInTheStoresFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
        let path = folder.appendingPathComponent("a.sqlite").path
        server.put(samplePatient("a"))
        do {
            let device = try Device(server, store: try FHIRStore(path: path, release: .r4))
            try await device.sync()
            try device.edit { try $0.upsert(samplePatient("b")) }
            try device.store.blocking { try $0.close() }
        }
        let device = try Device(server, store: try FHIRStore(path: path, release: .r4))
        let result = try await device.sync()
        #expect(result.pulled == 0 && result.created == 1)
        #expect(try device.store.blocking { try $0.check() }.isEmpty)
    }

    /// Devices that edit in turns end equal.
    @Test func threeDevicesConverge() async throws {
        let devices = try (0..<3).map { _ in try Device(server) { $0.conflicts = .merge(preferring: .remote) } }
        var seed: UInt64 = 7
        func random(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        for step in 0..<120 {
            let device = devices[random(3)]
            let id = "p\(random(12))"
            switch random(8) {
            case 0: try device.edit { _ = try $0.delete(Patient.self, id: id) }
            case 1, 2: try await device.sync()
            default:
                try device.edit { tx in
                    let patient = try tx.resource(Patient.self, id: id) ?? tx.upsert(samplePatient(id))
                    patient.identifier.append(Identifier { $0.value = "v\(step)" })
                }
            }
        }
        for _ in 0..<4 { for device in devices { try await device.sync() } }
        for device in devices { #expect(try device.contents() == server.contents) }
    }
}

/// Notes progress.
///
/// `@unchecked Sendable`: the lock guards the values.
private final class ProgressLog: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [SyncProgress] = []

    var noted: [SyncProgress] { lock.withLock { values } }
    func note(_ value: SyncProgress) { lock.withLock { values.append(value) } }
}
