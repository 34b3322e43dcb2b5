import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// The examples of the page on synchronizing, with a server in memory.
@Suite struct SynchronizingExamples {
    private let server = ModelServer()

    private func client() throws -> FHIRClient {
        try FHIRClient(base: testBase, release: .r4, transport: server)
    }

    @Test func synchronizing() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let client = try client()
        server.put(samplePatient("123"))
        // example Synchronizing.md
        let synchronizer = Synchronizer(store, client, scope: .types("Patient", "Observation"))
        let result = try await synchronizer.sync()
        print(result.pulled, result.pushed, result.deferred)
        // end
        #expect(result.pulled == 1)
        server.put(samplePatient("123", "Remote"))
        try await store.write { tx in _ = try tx.upsert(samplePatient("123", "Local")) }
        #expect(try await synchronizer.sync().deferred == 1)
        // example Synchronizing.md
        for conflict in try await synchronizer.changes(.conflict) {
            try await synchronizer.resolve(conflict.typeName, id: conflict.id) { conflict in
                print(conflict.paths)
                return .remote
            }
        }
        // end
        #expect(try await synchronizer.changes().isEmpty)
        server.put(samplePatient("123", "Remote again"))
        try await store.write { tx in _ = try tx.upsert(samplePatient("123", "Local again")) }
        #expect(try await synchronizer.sync().deferred == 1)
        // example Synchronizing.md
        for conflict in try await synchronizer.conflicts() {
            print(conflict.typeName, conflict.id, conflict.paths, conflict.merged ?? "deleted on one side")
            try await synchronizer.resolve(conflict.typeName, id: conflict.id, with: .mergePreferring(.local))
        }
        // end
        #expect(try await synchronizer.sync().updated == 1)
        // example Synchronizing.md
        let last = try await synchronizer.sync { progress in
            print(progress.phase, progress.typeName ?? "", progress.done, progress.total ?? 0)
        }
        print(try await synchronizer.state(of: "Patient", id: "123") == .synced, last.endedAt)
        for change in try await synchronizer.changes(.parked) {
            print(change.typeName, change.id, change.status ?? 0, change.issues.compactMap(\.diagnostics))
        }
        // end
        #expect(last.pushed == 0)
        // A gap of the log: nobody knows who deleted the resource.
        try store.blocking { store in
            try store.stopTracking(.changes)
            try store.write { tx in _ = try tx.delete(Patient.self, id: "123") }
        }
        #expect(try await synchronizer.sync().undecided == 1)
        // example Synchronizing.md
        for change in try await synchronizer.changes(.undecided) {
            // Fetched with the next pull; retry(_:id:) would delete it at the server, and purge(_:id:force:) leave it there alone.
            try await synchronizer.discard(change.typeName, id: change.id)
        }
        // end
        #expect(try await synchronizer.sync().undecided == 0)
        #expect(try await store.read { try $0.resource(Patient.self, id: "123") } != nil)
    }

    @Test func scopesAndPolicies() async throws {
        // example Synchronizing.md
        let scope =
            SyncScope.search("Patient", ["general-practitioner": "Practitioner/7"])
            + .compartment("Patient", id: "123", types: ["Observation", "Condition"])
            + .group(id: "study-1", types: ["Patient", "Observation"])
        // end
        #expect(scope.parts.count == 4)
        // example Synchronizing.md
        var configuration = Synchronizer.Configuration()
        configuration.conflicts = ConflictPolicy { conflict in
            guard let local = conflict.local as? Patient, let remote = conflict.remote as? Patient else { return .deferred }
            remote.telecom = local.telecom
            return .merged(remote)
        }
        // end
        let conflict = SyncConflict(
            typeName: "Patient", id: "a", base: nil, local: samplePatient("a"), remote: samplePatient("a"), remoteVersion: nil)
        guard case .merged = try configuration.conflicts.resolve(conflict) else {
            Issue.record("not merged")
            return
        }
    }
}
