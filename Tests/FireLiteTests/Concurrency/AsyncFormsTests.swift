import FireLite
import FireLiteR4
import Foundation
import Testing

/// Every call that touches the file has an asynchronous form of the same name.
@Suite struct AsyncFormsTests {
    private func filled(_ path: String = ":memory:") throws -> FHIRStore {
        let store = try FHIRStore(path: path, release: .r4)
        try store.track(.changes)
        try store.track(.history, of: Patient.self)
        try store.write { tx in
            for id in 1...4 {
                try tx.add(
                    Patient {
                        $0.id = "\(id)"
                        $0.birthDate = FHIRDate(year: 1990 + id)
                        $0.gender = id == 4 ? .male : .female
                        $0.name = [HumanName { $0.family = "Family \(id)" }]
                    })
            }
        }
        try store.write { try $0.resource(Patient.self, id: "1")?.active = true }
        try store.createIndex(Patient.self) { $0.birthDate }
        try store.createIndexes(.codes)
        return store
    }

    private func state(_ store: FHIRStore) throws -> String {
        "\(try rowCounts(store).sorted { $0.key < $1.key }) \(AsyncForm.text(try store.query(Patient.self).all())) \(try store.indexes())"
    }

    @Test(arguments: AsyncForm.reading + AsyncForm.writing + AsyncForm.queries)
    func anAsynchronousFormDoesWhatTheBlockingOneDoes(_ form: AsyncForm) async throws {
        let (one, other) = (try filled(), try filled())
        let blocking = try form.blocking(one)
        #expect(try await form.awaiting(other) == blocking)
        #expect(try state(other) == state(one))
    }

    @Test func fullTextIndexesAreCreatedAndDropped() async throws {
        guard Library.hasFullText else { return }
        let store = try filled()
        try await store.createFullTextIndex(Patient.self) { [$0.name.family] }
        #expect(try await store.query(Patient.self).matching("4").ids() == ["4"])
        try await store.dropFullTextIndex(Patient.self)
        #expect(try await store.indexes().allSatisfy { $0.kind != .fullText })
    }

    @Test(.enabled(if: Library.hasPageChecksums, "needs SQLite 3.32 or newer"))
    func filesAreOpenedCopiedRecoveredResealedAndClosed() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await filled(folder + "/store.sqlite").close()
        let store = try await FHIRStore.open(path: folder + "/store.sqlite", release: .r4)
        let count = try await store.count(Patient.self)
        #expect(count == 4)
        try await store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
        let report = try await FHIRStore.recover(
            from: URL(fileURLWithPath: folder + "/copy.sqlite"), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
        #expect(report.recovered == 4)
        let resealed = try await FHIRStore.reseal(URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
        #expect(resealed.resources == 4)
        try await store.close()
        let error = await #expect(throws: FHIRStoreError.self) { try await store.count(Patient.self) }
        #expect(error?.code == .closed)
    }

    @Test func changingTheKeyOfAPlainStoreIsRefusedInBothForms() async throws {
        let store = try filled()
        let error = await #expect(throws: FHIRStoreError.self) { try await store.rekey(to: Secret("secret".utf8)) }
        #expect(error?.code == .notEncrypted)
    }

    // MARK: - Handing over

    @Test func anObjectThatNobodyElseHasIsStoredAndReturned() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = Patient { $0.id = "1" }
        try await store.write { tx in try tx.upsert(patient) }
        let other = Patient { $0.id = "2" }
        let stored = try await store.write { tx in try tx.upsert(other) }
        try store.blocking { try $0.write { _ in stored.active = true } }
        #expect(stored.id == "2" && stored.active == true)
        let found = try await store.read { tx in try tx.resources(Patient.self, ids: ["2", "1"]) }
        #expect(found.map(\.id) == ["2", "1"])
    }

    @Test func theBlockingFormIsCalledByName() async throws {
        let store = try filled()
        let patient = try #require(try store.blocking { try $0.resource(Patient.self, id: "2") })
        try store.blocking { try $0.write { _ in patient.active = true } }
        let active = try store.blocking { try $0.query(Patient.self).where { $0.active == true }.ids() }
        // The object stays with this function.
        #expect(active == ["1", "2"] && patient.active == true)
    }

    @Test func aStoreIsReleasedWhenItsLastCallHasReturned() async throws {
        final class Weak {
            weak var store: FHIRStore?
            init(_ store: FHIRStore) { self.store = store }
        }
        func use() async throws -> Weak {
            let store = try FHIRStore.inMemory(release: .r4)
            try await store.write { try $0.add(Patient { $0.id = "1" }) }
            let patient = try await store.read { try $0.resource(Patient.self, id: "1") }
            #expect(patient?.id == "1")
            return Weak(store)
        }
        for _ in 0..<200 { #expect(try await use().store == nil) }
    }
}
