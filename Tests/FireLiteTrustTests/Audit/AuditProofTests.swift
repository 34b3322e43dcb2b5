import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

@Suite struct AuditProofTests {
    private static func filled(_ count: Int = 200) throws -> AuditedStore {
        let audited = try AuditedStore()
        for start in stride(from: 1, through: count, by: 7) {
            try audited.store.write { tx in
                try tx.upsert((start..<min(start + 7, count + 1)).map { auditedPatient("\($0)", "Family \($0)") })
            }
        }
        return audited
    }

    @Test func aProofIsVerifiedWithoutTheStoreAndShowsNothingElse() throws {
        let audited = try Self.filled()
        let keys = audited.keys
        for number in [1, 2, 63, 64, 65, 128, 199, 200] {
            let json = try audited.store.read { try $0.auditProof(of: "Patient", id: "\(number)").json }
            let proof = try AuditProof(json: json)
            try proof.verify(signedBy: keys)
            #expect(proof.entry.number == Int64(number))
            let patient = try FHIRJSON.decode(Patient.self, from: Data(proof.resource.unwrapped().utf8))
            #expect(patient.id == "\(number)" && patient.name[0].family == "Family \(number)")
            #expect(!String(decoding: json, as: UTF8.self).contains("Family \(number % 200 + 1)\\\""))
            let later = try audited.store.read { try $0.auditProof(of: "Patient", id: "\(number)", at: $0.lastAuditHead()) }
            try later.verify(signedBy: keys)
            #expect(later.head.size == 200)
        }
        let bare = try audited.store.read { try $0.auditProof(ofEntry: 5) }
        try bare.verify(signedBy: keys)
        #expect(try bare.resource == nil && !String(decoding: try bare.json, as: UTF8.self).contains("Family"))
    }

    /// With heads of several rows, of one, and of none in between.
    @Test func theHeadOfARowIsThatOfItsCommit() throws {
        let audited = try AuditedStore()
        for size in [1, 1, 0, 0, 5, 1, 0, 30, 0, 0, 0, 1, 2] {
            try audited.trail.append(Array(repeating: AuditAccess(.read, "Patient", id: "1"), count: size))
        }
        let heads = try audited.store.read { try $0.auditHeads() }
        let found = try audited.store.read { tx in try (1...41).map { try tx.auditHead(covering: $0) } }
        #expect(found == (1...41).map { row in heads.first { $0.size >= row } })
        #expect(try audited.store.read { try $0.auditHead(covering: 42) } == nil)
        // A missing head leaves the next one.
        let other = try audited.tampering { tx in
            try tx.runAudit("DELETE FROM _audit_head WHERE number = ?", [.integer(heads[5].number)])
            return try tx.auditHead(covering: 7)?.number
        }
        #expect(heads[5].size == 7 && other == heads[6].number)
    }

    @Test func everyChangeOfAProofIsRefused() throws {
        let audited = try Self.filled(40)
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "5", at: $0.lastAuditHead()) }
        let json = try proof.json
        try AuditProof(json: json).verify(signedBy: audited.keys)
        var refused = 0
        let places = Effort.sample(Array(json.indices), 300)
        for place in places {
            var changed = json
            changed[place] ^= 1
            guard let other = try? AuditProof(json: changed) else { refused += 1; continue }
            // Base64 may have bits after the last byte; without its resource a proof is one of the entry.
            if other == proof || other.resource == nil { continue }
            #expect(throws: (any Error).self, "byte \(place)") { try other.verify(signedBy: audited.keys) }
            refused += 1
        }
        #expect(refused > places.count * 9 / 10)
        #expect(throws: AuditError.self) { try proof.verify(signedBy: []) }
        #expect(throws: AuditError.self) { try proof.verify(signedBy: [PrivateKey().publicKey]) }
    }

    @Test func proofsWithExtremeNumbersAreRefused() throws {
        let audited = try Self.filled(3)
        let proof = try audited.store.read { try $0.auditProof(ofEntry: 2) }
        let text = String(decoding: try proof.json, as: UTF8.self)
        for number in ["-9223372036854775808", "0", "9223372036854775807", "99999999999999999999", "1.5"] {
            let changed = text.replacing(#""number":2"#, with: #""number":\#(number)"#)
            #expect(changed != text)
            #expect(throws: AuditError.self) { try AuditProof(json: Data(changed.utf8)).verify(signedBy: audited.keys) }
        }
        for wrong in ["", "{}", "[]", "null", text + "x"] {
            #expect(throws: AuditError.self) { try AuditProof(json: Data(wrong.utf8)) }
        }
    }

    @Test func anEarlierVersionIsProvedFromTheHistory() throws {
        let audited = try AuditedStore()
        try audited.store.track(.history)
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        try audited.store.write { try $0.upsert(auditedPatient("1", "B")) }
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "1", version: 1) }
        try proof.verify(signedBy: audited.keys)
        #expect(proof.resource?.contains("\"A\"") == true && proof.entry.access.version == 1)
    }

    @Test func aWritePastTheAuditHasNoProof() throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        audited.store.stopAudit()
        try audited.store.write { try $0.upsert(auditedPatient("1", "B")) }
        let error = #expect(throws: AuditError.self) { try audited.store.read { try $0.auditProof(of: "Patient", id: "1") } }
        #expect(error?.code == .invalidProof)
    }

    @Test func headsAreConsistentWithLaterOnesAndWithNoOthers() throws {
        let audited = try Self.filled(150)
        let heads = try audited.store.read { try $0.auditHeads() }
        for (place, first) in heads.enumerated() {
            for second in [heads[place], heads[heads.count - 1], heads[(place + heads.count) / 2]] {
                let json = try audited.store.read { try $0.auditConsistencyProof(from: first, to: second).json }
                try AuditConsistencyProof(json: json).verify(signedBy: audited.keys)
            }
        }
        let other = try Self.filled(150)
        let strange = try other.head()
        #expect(throws: AuditError.self) { try audited.store.read { try $0.auditConsistencyProof(from: strange) } }
        #expect(throws: AuditError.self) { try audited.store.read { try $0.auditConsistencyProof(from: heads[9], to: heads[3]) } }
        let proof = try audited.store.read { try $0.auditConsistencyProof(from: heads[5]) }
        let wrong = AuditConsistencyProof(first: heads[6], second: proof.second, path: proof.path)
        #expect(throws: AuditError.self) { try wrong.verify(signedBy: audited.keys) }
    }

    /// Another program, in another language, computes the leaf, the value and the root.
    @Test func pythonVerifiesAProof() throws {
        let audited = try Self.filled(77)
        let folder = try TemporaryFolder()
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "33", at: $0.lastAuditHead()) }
        let path = try folder.write("proof.json", proof.json)
        let script = try folder.write("verify.py", Self.script)
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", script, path]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        python.waitUntilExit()
        guard python.terminationStatus != 127 else { return print("python3 is not on this machine: the proof was not verified by it") }
        #expect(text == "verified 33 of 77\n")
    }

    private static let script = """
        import base64, hashlib, json, struct, sys
        proof = json.load(open(sys.argv[1]))
        entry = proof["entry"]
        raw = base64.b64decode
        sha = lambda data: hashlib.sha256(data).digest()
        def field(value):
            if value is None: return b"\\xff\\xff\\xff\\xff"
            data = value if isinstance(value, bytes) else str(value).encode()
            return struct.pack(">I", len(data)) + data
        assert sha(raw(proof["resourceSalt"]) + proof["resource"].encode()) == raw(entry["value"])
        leaf = b"\\x01" + raw(proof["salt"]) + struct.pack(">qq", entry["number"], entry["at"])
        for name in ["actor", "action", "type", "id", "version", "outcome", "purpose"]: leaf += field(entry.get(name))
        node = sha(b"\\x00" + leaf + field(raw(entry["value"])))
        part = proof["head"].split(".")[1]
        head = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        index, last = entry["number"] - 1, head["size"] - 1
        for step in map(raw, proof["path"]):
            if index % 2 == 1 or index == last:
                node = sha(b"\\x01" + step + node)
                while index % 2 == 0 and index != 0: index, last = index >> 1, last >> 1
            else: node = sha(b"\\x01" + node + step)
            index, last = index >> 1, last >> 1
        assert last == 0 and node == base64.urlsafe_b64decode(head["root"] + "=")
        print("verified", entry["number"], "of", head["size"])
        """
}
