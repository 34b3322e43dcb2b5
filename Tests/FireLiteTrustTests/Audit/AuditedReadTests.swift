import FireLiteR4
import FireLiteRecords
import FireLiteSearch
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// An audit of every read.
@Suite struct AuditedReadTests {
    /// A store with three patients and an observation, all of whose reads are audited from now on.
    private struct Ward {
        let store: FHIRStore
        let signer: SigningIdentity
        /// The number of entries that were seen.
        private var seen: Int64 = 0

        init(path: String = ":memory:", signer key: any IdentityKey, includesReads: Bool = true) throws {
            store = try FHIRStore(path: path, release: .r4)
            signer = SigningIdentity(id: "device", key: key)
            try store.track(.history)
            try store.track(.changes)
            try store.write { tx in
                for number in 1...3 { try tx.upsert(auditedPatient("\(number)", "Family\(number)")) }
                try tx.upsert(
                    Observation {
                        $0.id = "o"
                        $0.subject = Reference { $0.reference = "Patient/1" }
                    })
            }
            try store.startAudit(by: signer, includesReads: includesReads)
        }

        /// The entries since the last call, such as `R Patient/1 v1`.
        mutating func entries(by party: AuditParty = AuditParty("device")) throws -> [String] {
            let entries = try store.read { try $0.auditEntries(after: seen) }
            seen = entries.last?.number ?? seen
            return entries.map { entry in
                #expect(entry.party == party)
                let access = entry.access
                let name = [access.typeName ?? "", access.id].compactMap { $0 }.joined(separator: "/")
                return "\(access.action.rawValue) \(name)" + (access.version.map { " v\($0)" } ?? "")
            }
        }

        mutating func blockingEntries() throws -> [String] { try entries() }
    }

    private static let all = ["R Patient/1 v1", "R Patient/2 v1", "R Patient/3 v1"]

    @Test func eachReadOfAStoreLeavesRows() throws {
        var ward = try Ward(signer: PrivateKey())
        let store = ward.store
        func check(_ expected: [String], _ line: SourceLocation = #_sourceLocation, _ read: () throws -> Bool) throws {
            #expect(try read(), sourceLocation: line)
            let found = try ward.entries()
            #expect(found == expected, sourceLocation: line)
        }
        let first = ["R Patient/1 v1"]
        try check(first) { try store.resource(Patient.self, id: "1") != nil }
        try check(first) { try store.resource(typeName: "Patient", id: "1") != nil }
        try check([]) { try store.resource(Patient.self, id: "9") == nil }
        try check(["R Patient/3 v1", "R Patient/1 v1"].sorted()) {
            try store.resources(Patient.self, ids: ["3", "9", "1"]).count == 2
        }
        try check(["R Patient"]) { try store.count(Patient.self) == 3 }
        try check(["R Observation", "R Patient"]) { try store.counts().count == 2 }
        try check(Self.all) { try store.query(Patient.self).all().count == 3 }
        try check(first) { try store.query(Patient.self).first()?.id == "1" }
        try check(["R Patient"]) { try store.query(Patient.self).where { $0.id == "9" }.all().isEmpty }
        try check(["R Patient"]) { try store.query(Patient.self).where { $0.name.family == "Family1" }.count() == 1 }
        try check(["R Patient"]) { try store.query(Patient.self).values { $0.id }.count == 3 }
        try check(["R Patient"]) { try store.query(Patient.self).distinct { $0.id }.count == 3 }
        try check(["R Patient"]) { try store.query(Patient.self).ids().count == 3 }
        try check(Self.all) { try store.query(Patient.self).forEach(batch: 1) { _ in } == () }
        try check(["R Observation/o v1"]) { try store.search("Observation?subject:Patient.family=Family1").matches.count == 1 }
        try check(["R Observation/o v1"] + first) {
            let found = try store.search("Observation?_include=Observation:subject")
            return found.matches.count == 1 && found.included.count == 1
        }
        try check(["R Patient"]) { try store.sql("SELECT count(*) FROM Patient_name").count == 1 }
        try check([]) { try store.sql("SELECT 1").count == 1 }
        try check([]) { try store.read { try $0.lastAuditHead() } != nil }
        try check(["R Patient/1"]) { try store.read { try $0.history(of: Patient.self, id: "1") }.count == 1 }
        try check(Self.all + ["R Observation/o v1"]) { try store.read { try $0.changes(since: 1) }.count == 4 }
        // Several reads on one snapshot are one commit of the trail.
        let heads = try store.read { try $0.auditHeads() }.count
        try check(first + ["R Patient"] + Self.all) {
            try store.read { tx in
                let isThere = try tx.resource(Patient.self, id: "1") != nil
                let count = try tx.count(Patient.self)
                try tx.forEach(Patient.self) { _ in }
                return isThere && count == 3
            }
        }
        #expect(try store.read { try $0.auditHeads() }.count == heads + 1)
        let verification = try store.verifyAudit(from: nil, signedBy: [ward.signer.key.publicKey])
        #expect(verification.isIntact)
    }

    @Test func readsInWritesAreCommittedWithThem() throws {
        struct Stop: Error {}
        var ward = try Ward(signer: PrivateKey())
        let store = ward.store
        let heads = try store.read { try $0.auditHeads() }.count
        let doctor = AuditParty("dr", purpose: "TREAT")
        try store.write { tx in
            tx.setAuditParty(doctor)
            try tx.resource(Patient.self, id: "2")?.active = true
        }
        let rows1 = try ward.entries(by: doctor)
        #expect(rows1 == ["R Patient/2 v1", "U Patient/2 v2"])
        try store.write { tx in
            tx.setAuditParty(doctor)
            _ = try tx.count(Patient.self)
        }
        let rows2 = try ward.entries(by: doctor)
        #expect(rows2 == ["R Patient"])
        #expect(try store.read { try $0.auditHeads() }.count == heads + 2)
        // What was read before the write was rolled back was read.
        #expect(throws: Stop.self) {
            try store.write { tx in
                tx.setAuditParty(doctor)
                try tx.resource(Patient.self, id: "2")?.active = false
                throw Stop()
            }
        }
        let rows3 = try ward.entries(by: doctor)
        #expect(rows3 == ["R Patient/2 v2"])
        // Writes alone are as without the reads.
        try store.write { tx in try tx.upsert(auditedPatient("4", "Family4")) }
        let rows4 = try ward.entries()
        #expect(rows4 == ["C Patient/4 v1"])
    }

    @Test func aReadSaysWhoReads() throws {
        var ward = try Ward(signer: PrivateKey())
        let doctor = AuditParty("dr", purpose: "TREAT")
        _ = try ward.store.read { tx in
            tx.setAuditParty(doctor)
            return try tx.resource(Patient.self, id: "1")
        }
        let rows5 = try ward.entries(by: doctor)
        #expect(rows5 == ["R Patient/1 v1"])
    }

    @Test func onlyWritesLeaveRowsUnlessReadsAreIncluded() throws {
        var ward = try Ward(signer: PrivateKey(), includesReads: false)
        #expect(try ward.store.query(Patient.self).all().count == 3)
        let rows6 = try ward.entries()
        #expect(rows6 == [])
        // Starting again changes what is audited.
        try ward.store.startAudit(by: ward.signer, includesReads: true)
        #expect(try ward.store.query(Patient.self).all().count == 3)
        let rows7 = try ward.entries()
        #expect(rows7 == Self.all)
        ward.store.stopAudit()
        #expect(try ward.store.query(Patient.self).all().count == 3)
        let rows8 = try ward.entries()
        #expect(rows8 == [])
    }

    @Test func aViewsReadsLeaveOneRow() throws {
        var ward = try Ward(signer: PrivateKey())
        let store = ward.store
        store.stopAudit()
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        let rule = AccessRule(.permit, to: ["dr"], compartments: ["Patient/1"])
        try store.write { tx in
            try tx.setIdentity(Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)]))
            try tx.grant(AccessPermission(grantor: "owner", rule: rule), signedBy: owner)
        }
        try store.startAudit(by: ward.signer, includesReads: true)
        let (view, doctor) = (store.restricted(to: "dr"), AuditParty("dr"))
        #expect(try view.query(Patient.self).all().count == 1)
        let rows9 = try ward.entries(by: doctor)
        #expect(rows9 == ["R Patient/1 v1"])
        #expect(try view.read { try $0.count(Patient.self) } == 1)
        let rows10 = try ward.entries(by: doctor)
        #expect(rows10 == ["R Patient"])
        let patient = try #require(try view.search("Patient").matches.first)
        let rows11 = try ward.entries(by: doctor)
        #expect(rows11 == ["R Patient/1 v1"])
        try store.write { tx in try tx.upsert(auditedPatient("1", "New")) }
        let rows12 = try ward.entries()
        #expect(rows12 == ["U Patient/1 v2"])
        #expect(try patient.refresh())
        let rows13 = try ward.entries(by: doctor)
        #expect(rows13 == ["R Patient/1 v2"])
        #expect(try store.write { _ in try view.query(Patient.self).all().count } == 1)
        let rows14 = try ward.entries(by: doctor)
        #expect(rows14 == ["R Patient/1 v2"])
    }

    @Test func aReadWithoutItsRowsHandsOutNothing() throws {
        final class Broken: IdentityKey, @unchecked Sendable {
            // `lock` guards whether the key works.
            private let lock = NSLock()
            private var works = true
            private let key: PrivateKey
            init() throws { key = try PrivateKey() }
            var publicKey: PublicKey { key.publicKey }
            func breakDown() { lock.withLock { works = false } }
            func signature(of message: Data) throws -> Data {
                guard lock.withLock({ works }) else { throw TestError() }
                return try key.signature(of: message)
            }
        }
        struct TestError: Error {}
        let key = try Broken()
        var ward = try Ward(signer: key)
        let store = ward.store
        key.breakDown()
        #expect(throws: TestError.self) { try store.resource(Patient.self, id: "1") }
        #expect(throws: TestError.self) { try store.query(Patient.self).count() }
        #expect(throws: TestError.self) { try store.search("Patient") }
        #expect(throws: TestError.self) { try store.sql("SELECT * FROM Patient") }
        #expect(throws: TestError.self) { try store.write { try $0.count(Patient.self) } }
        let rows15 = try ward.entries()
        #expect(rows15 == [])
    }

    @Test func asynchronousAndLiveReadsLeaveRows() async throws {
        let folder = try TemporaryFolder()
        var ward = try Ward(path: folder.file("ward.sqlite"), signer: PrivateKey())
        let store = ward.store
        let count = try await store.query(Patient.self).all().count
        #expect(count == 3)
        let rows16 = try ward.blockingEntries()
        #expect(rows16 == Self.all)
        var seen = 0
        for try await patient in store.query(Patient.self).results() {
            #expect(patient.id != nil)
            seen += 1
        }
        #expect(seen == 3)
        let rows17 = try ward.blockingEntries()
        #expect(rows17 == Self.all)
        var lines = 0
        for try await _ in store.exportedLines() { lines += 1 }
        #expect(lines == 4)
        let rows18 = try ward.blockingEntries().sorted()
        #expect(rows18 == (Self.all + ["R Observation/o v1"]).sorted())
        // An observer's reads are reads; the rows that they leave do not wake it again.
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        _ = try await updates.next()
        let rows19 = try ward.blockingEntries()
        #expect(rows19 == Self.all)
        try await store.write { tx in try tx.upsert(auditedPatient("2", "New")) }
        _ = try await updates.next()
        let rows20 = try ward.blockingEntries()
        #expect(rows20 == ["U Patient/2 v2", "R Patient/2 v2"])
    }

    @Test func payloadsThatAreReadLeaveTheirHash() throws {
        let folder = try TemporaryFolder()
        var ward = try Ward(path: folder.file("ward.sqlite"), signer: PrivateKey())
        let store = ward.store
        let reference = try store.attachments.put(Data("a payload".utf8))
        _ = try ward.entries()
        #expect(try store.attachments.data(reference) == Data("a payload".utf8))
        let hash = reference.hash.map { String(format: "%02x", $0) }.joined()
        let rows21 = try ward.entries()
        #expect(rows21 == ["R /" + hash])
        #expect(try store.attachments.data(reference, in: 2..<9) == Data("payload".utf8))
        let rows22 = try ward.entries()
        #expect(rows22 == ["R /" + hash])
    }
}
