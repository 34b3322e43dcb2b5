import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Pushes of so many resources that their rows are read, written and deleted together.
@Suite struct PushBatchTests {
    private let server = ModelServer()
    /// More than one statement notes, and not a multiple of it.
    private static let ids = (0..<120).map { "p\($0)" }

    private func rows(_ device: Device, _ sql: String) async throws -> [[SQLValue]] {
        try await device.synchronizer.journal { journal in try journal.rows(sql).map(\.values) }
    }

    @Test(arguments: [120, 8]) func everyNewResourceIsNotedOnce(bundleCount: Int) async throws {
        let device = try Device(server) { $0.maximumBundleCount = bundleCount }
        try await device.sync()
        try device.edit { tx in for id in Self.ids { try tx.upsert(samplePatient(id)) } }
        #expect(try await device.sync(.push).created == 120)
        #expect(server.history.count == 120 && server.history.values.allSatisfy { $0.count == 1 })
        let known = try await rows(device, "SELECT type, version, own FROM _sync_resource ORDER BY id")
        #expect(known.count == 120 && known.allSatisfy { $0 == [.text("Patient"), .text("1"), .integer(1)] })
        #expect(try await rows(device, "SELECT change FROM _sync_change").isEmpty)
        #expect(try await device.sync().pushed == 0)
    }

    /// Of what is sent together, what was changed again meanwhile is sent again, based on what was sent.
    @Test func whatIsChangedWhileABundleIsSentIsSentAgain() async throws {
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in for id in Self.ids { try tx.upsert(samplePatient(id, "One")) } }
        let (store, synchronizer) = (device.store, device.synchronizer)
        let isFirst = Switch(true)
        let server = server
        let transport = StubServer { request, _ in
            let answer = try await server.send(request)
            if request.method == .post, isFirst.value {
                isFirst.value = false
                try await store.write { tx in for id in ["p3", "p77"] { try tx.upsert(samplePatient(id, "Two")) } }
                #expect(try await synchronizer.changes().count == 120)
            }
            return answer
        }
        let other = try Device(transport, store: store, clock: device.clock)
        let result = try await other.sync(.push)
        #expect(result.created == 120 && result.updated == 2)
        #expect(server.history.values.map(\.count).sorted() == Array(repeating: 1, count: 118) + [2, 2])
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// The version counts that the server has said, also of a resource that something was known of already.
    @Test func whatIsKnownMeanwhileGetsTheNewVersion() async throws {
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in for id in Self.ids { try tx.upsert(samplePatient(id)) } }
        let synchronizer = device.synchronizer
        let server = server
        let transport = StubServer { request, _ in
            if request.method == .post {
                try await synchronizer.journal { try $0.remember(SyncKey(typeName: "Patient", id: "p7"), version: "old") }
            }
            return try await server.send(request)
        }
        let other = try Device(transport, store: device.store, clock: device.clock)
        #expect(try await other.sync(.push).created == 120)
        let known = try await rows(device, "SELECT DISTINCT version, own FROM _sync_resource")
        #expect(known == [[.text("1"), .integer(1)]])
    }

    /// New resources that are noted together keep their place among other changes.
    @Test func theOrderOfTheLogIsKeptAmongNewAndChangedResources() async throws {
        let device = try Device(server) { $0.grouping = .single }
        try device.edit { tx in for id in ["k1", "k2"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        for id in ["n1", "k1", "n2", "n3", "k2", "n4"] {
            try device.edit { try $0.upsert(samplePatient(id, "Two")) }
        }
        server.clear()
        try await device.sync()
        #expect(server.writes.map(\.url.lastPathComponent) == ["n1", "k1", "n2", "n3", "k2", "n4"])
    }

    /// A new resource whose content cannot be read is not sent without the tag that its condition names.
    @Test func whatCannotBeReadIsNotSentWithoutItsTag() async throws {
        let device = try Device(server, scope: .types("Patient")) {
            $0.sendsEachVersion = true
            $0.newIDs = .server
        }
        try device.edit { try $0.upsert(samplePatient("a")) }
        #expect(try await device.synchronizer.changes().isEmpty)
        try await device.synchronizer.journal { journal in
            try journal.begin()
            try journal.run("UPDATE _sync_change SET content = replace(content, '\"name\":', '\"unknown\":')")
        }
        #expect(try await device.sync(.push).damaged == 1)
        #expect(server.writes.isEmpty)
        let changes = try await device.synchronizer.changes()
        #expect(changes.map(\.state) == [.pending])
        #expect(changes[0].issues.first?.diagnostics?.hasPrefix("Patient/a is not sent, as it cannot be read here: ") == true)
    }
}
