import FireLiteR4
import FireLiteTrust
import Foundation
import Testing

@Suite struct RestrictedAuditTests {
    /// An audited store with three patients, of whom `dr` may see the first two.
    private static func practice(signer key: any IdentityKey) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        let rule = AccessRule(.permit, to: ["dr"], compartments: ["Patient/1", "Patient/2"])
        try store.write { tx in
            try tx.setIdentity(Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)]))
            for number in 1...3 { try tx.upsert(Patient { $0.id = "\(number)" }) }
            try tx.grant(AccessPermission(grantor: "owner", rule: rule), signedBy: owner)
        }
        try store.startAudit(by: SigningIdentity(id: "device", key: key))
        return store
    }

    /// The accesses in the trail, such as `Patient/1`.
    private static func rows(_ store: FHIRStore) throws -> [String] {
        try store.read { try $0.auditEntries(after: 0) }.map { entry in
            #expect(entry.party == AuditParty("dr", purpose: "TREAT") && entry.access.action == .read)
            return [entry.access.typeName ?? "", entry.access.id].compactMap { $0 }.joined(separator: "/")
        }
    }

    @Test func eachReadOfAViewLeavesRows() throws {
        let store = try Self.practice(signer: PrivateKey())
        let view = store.restricted(to: "dr", purpose: "TREAT")
        var expected: [String] = []
        func check(_ added: [String], _ line: SourceLocation = #_sourceLocation) throws {
            expected += added
            #expect(try Self.rows(store) == expected, sourceLocation: line)
        }
        let both = ["Patient/1", "Patient/2"]
        #expect(try view.query(Patient.self).all().count == 2)
        try check(both)
        #expect(try view.query(Patient.self).first()?.id == "1")
        try check(["Patient/1"])
        #expect(try view.query(Patient.self).page(of: 1).resources.count == 1)
        try check(["Patient/1"])
        #expect(try view.query(Patient.self).count() == 2)
        try check(["Patient"])
        #expect(try view.query(Patient.self).ids() == ["1", "2"])
        try check(["Patient"])
        #expect(try view.query(Patient.self).distinct { $0.id } == ["1", "2"])
        try check(["Patient"])
        #expect(try view.query(Patient.self).values { $0.id } == ["1", "2"])
        try check(["Patient"])
        try view.query(Patient.self).forEach(batch: 1) { _ in }
        try check(both)
        #expect(try view.resource(Patient.self, id: "1") != nil)
        try check(["Patient/1"])
        // What is not permitted is not there, for the trail either.
        #expect(try view.resource(Patient.self, id: "3") == nil)
        try check([])
        #expect(try view.resources(Patient.self, ids: ["3", "2"]).count == 1)
        try check(["Patient/2"])
        #expect(try view.search("Patient?_id=1,3").matches.count == 1)
        try check(["Patient/1"])
        #expect(try view.count(Patient.self) == 2)
        try check(["Patient"])
        _ = try view.counts()
        try check([""])
        try view.read { tx in
            #expect(try tx.query(Patient.self).all().count == 2)
            #expect(try tx.query(Patient.self).count() == 2)
            try tx.forEach(Patient.self) { _ in }
        }
        try check(both + ["Patient"] + both)
        // What was handed out before an error leaves rows too.
        struct Stop: Error {}
        #expect(throws: Stop.self) { try view.query(Patient.self).forEach(batch: 1) { _ in throw Stop() } }
        try check(["Patient/1"])
        #expect(throws: Stop.self) { try view.read { tx in try tx.forEach(Patient.self) { _ in throw Stop() } } }
        try check(["Patient/1"])
        store.stopAudit()
        #expect(try view.query(Patient.self).all().count == 2)
        try check([])
    }

    @Test func asynchronousReadsOfAViewLeaveRows() async throws {
        let store = try Self.practice(signer: PrivateKey())
        let view = store.restricted(to: "dr", purpose: "TREAT")
        let found = try await view.query(Patient.self).all().count
        let count = try await view.read { try $0.count(Patient.self) }
        let matches = try await view.search("Patient?_id=2").matches.count
        #expect(found == 2 && count == 2 && matches == 1)
        let rows = try store.blocking { try Self.rows($0) }
        #expect(rows == ["Patient/1", "Patient/2", "Patient", "Patient/2"])
    }

    @Test func aReadThatLeavesNoRowHandsOutNothing() throws {
        final class Fading: IdentityKey, @unchecked Sendable {
            // `lock` guards the number of signatures.
            private let lock = NSLock()
            private var left = 1
            private let key: PrivateKey
            init() throws { key = try PrivateKey() }
            var publicKey: PublicKey { key.publicKey }
            func signature(of message: Data) throws -> Data {
                try lock.withLock {
                    left -= 1
                    guard left >= 0 else { throw TestError() }
                }
                return try key.signature(of: message)
            }
        }
        struct TestError: Error {}
        let store = try Self.practice(signer: Fading())
        let view = store.restricted(to: "dr", purpose: "TREAT")
        #expect(throws: (any Error).self) { try view.query(Patient.self).all() }
        #expect(throws: (any Error).self) { try view.query(Patient.self).count() }
        #expect(throws: (any Error).self) { try view.resource(Patient.self, id: "1") }
        #expect(throws: (any Error).self) { try view.search("Patient") }
        #expect(try Self.rows(store).isEmpty)
    }

    @Test func auditedViewsAreNotReadInsideOtherReads() throws {
        let store = try Self.practice(signer: PrivateKey())
        let view = store.restricted(to: "dr", purpose: "TREAT")
        #expect(throws: TrustError.self) { try store.read { _ in try view.query(Patient.self).count() } }
        #expect(throws: TrustError.self) { try view.read { _ in try view.count(Patient.self) } }
        #expect(try store.write { _ in try view.query(Patient.self).all().count } == 2)
        #expect(try Self.rows(store) == ["Patient/1", "Patient/2"])
    }
}
