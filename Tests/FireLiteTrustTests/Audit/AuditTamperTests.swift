import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

/// Whatever is changed in a trail afterwards is found, at the right row.
@Suite(.timeLimit(.minutes(30))) struct AuditTamperTests {
    private static let operations = Effort.isNightly ? 10_000 : 300
    private static let tampers = Effort.isNightly ? 500 : 35

    /// A store with so many audited operations, in commits of one to five rows.
    private static func filled(_ random: inout SeededGenerator) throws -> (AuditedStore, heads: [AuditHead]) {
        let audited = try AuditedStore()
        var count = 0
        while count < operations {
            let size = min(random.int(1...5), operations - count)
            let ids = (0..<size).map { "\(count + $0)" }
            if random.percent(50) {
                try audited.store.write { tx in try tx.upsert(ids.map { auditedPatient($0, "A") }) }
            } else {
                let party = AuditParty("Practitioner/\(random.int(1...9))", purpose: "TREAT")
                try audited.trail.append(ids.map { AuditAccess(.read, "Patient", id: $0, version: 1) }, by: party)
            }
            count += size
        }
        let heads = try audited.store.read { try $0.auditHeads() }
        return (audited, heads)
    }

    private static let columns = ["at", "actor", "action", "type", "id", "version", "outcome", "purpose", "value", "salt", "hash"]

    /// Changes one bit, or one character, of a column that is not empty.
    private static func flip(_ row: Int64, _ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        while true {
            let column = random.pick(columns)
            let value = try tx.auditRows("SELECT \(column) FROM _audit WHERE seq = ?", [.integer(row)])[0][0]
            let changed: SQLValue
            switch value {
            case .integer(let number): changed = .integer(number ^ 1 << Int64(random.int(0...62)))
            case .text(let text):
                var bytes = Array(text.utf8)
                bytes[random.int(0...bytes.count - 1)] ^= 1
                changed = .text(String(decoding: bytes, as: UTF8.self))
            case .blob(var bytes):
                bytes[random.int(0...bytes.count - 1)] ^= 1 << UInt8(random.int(0...7))
                changed = .blob(bytes)
            default: continue
            }
            try tx.runAudit("UPDATE _audit SET \(column) = ? WHERE seq = ?", [changed, .integer(row)])
            return
        }
    }

    private enum Tamper: CaseIterable { case flip, delete, swap, insert, append, cut, cutWithHeads }

    /// Tampers with the trail and returns the first row that is not what it was.
    private static func tamper(
        _ kind: Tamper, _ heads: [AuditHead], _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws -> Int64 {
        let size = Int64(operations)
        let row = Int64(random.int(1...operations))
        switch kind {
        case .flip:
            try flip(row, tx, &random)
            return row
        case .delete:
            try tx.runAudit("DELETE FROM _audit WHERE seq = ?", [.integer(row)])
            return row
        case .swap:
            var other = row
            while other == row { other = Int64(random.int(1...operations)) }
            try tx.runAudit("UPDATE _audit SET seq = -1 WHERE seq = ?", [.integer(row)])
            try tx.runAudit("UPDATE _audit SET seq = ? WHERE seq = ?", [.integer(row), .integer(other)])
            try tx.runAudit("UPDATE _audit SET seq = ? WHERE seq = -1", [.integer(other)])
            return min(row, other)
        case .insert:
            let columns = columns.joined(separator: ", ")
            try tx.runAudit("UPDATE _audit SET seq = -seq - 1 WHERE seq > ?", [.integer(row)])
            try tx.runAudit("UPDATE _audit SET seq = -seq WHERE seq < 0")
            try tx.runAudit(
                "INSERT INTO _audit(seq, \(columns)) SELECT ?, \(columns) FROM _audit WHERE seq = ?",
                [.integer(row + 1), .integer(row)])
            return row + 1
        case .append:
            let entry = AuditEntry(
                number: size + 1, milliseconds: 1, party: AuditParty("x"), access: AuditAccess(.read), value: nil)
            let salt = [UInt8](repeating: 7, count: AuditSalt.length)
            try tx.runAudit(
                "INSERT INTO _audit(seq, at, actor, action, outcome, salt, hash) VALUES (?, 1, 'x', 'R', '0', ?, ?)",
                [.integer(size + 1), .blob(salt), .blob(MerkleTree.leafHash(entry.leaf(salt: salt)))])
            return size + 1
        case .cut:
            try tx.runAudit("DELETE FROM _audit WHERE seq >= ?", [.integer(row)])
            return row
        case .cutWithHeads:
            let head = heads[random.int(0...heads.count - 2)]
            try tx.runAudit("DELETE FROM _audit WHERE seq > ?", [.integer(head.size)])
            try tx.runAudit("DELETE FROM _audit_head WHERE number > ?", [.integer(head.number)])
            for node in try tx.auditRows("SELECT node FROM _audit_node").compactMap(\.[0].integer)
            where (node >> 6 + 1) << (node & 63) > head.size {
                try tx.runAudit("DELETE FROM _audit_node WHERE node = ?", [.integer(node)])
            }
            return head.size + 1
        }
    }

    @Test func everyTamperingIsFoundAtItsRow() throws {
        // Signatures take most of the time: each token is verified once.
        var signed: [String: Bool] = [:]
        var random = SeededGenerator(seed: 25)
        let (audited, heads) = try Self.filled(&random)
        let last = try audited.head()
        let before = try audited.verification(from: [last])
        #expect(before.isIntact && before.size == Int64(Self.operations), "\(String(describing: before.finding))")
        for number in 0..<Self.tampers {
            let kind = Tamper.allCases[number % Tamper.allCases.count]
            try audited.tampering { tx in
                let row = try Self.tamper(kind, heads, tx, &random)
                let signature = AuditSignature(audited.keys)
                var verifier = AuditVerifier(tx, kept: [last]) { head in
                    if let known = signed[head.token] { return known }
                    signed[head.token] = try signature.isValid(head)
                    return signed[head.token] ?? false
                }
                let result = try verifier.run()
                #expect(result.finding?.row == row, "tampering \(number), \(kind): \(String(describing: result.finding))")
            }
        }
        #expect(try audited.verification(from: [last]).isIntact)
        print("audit: \(Self.tampers) tamperings with \(Self.operations) rows, each found at its row")
    }

    /// Neither is a trail that was emptied, with its heads and without a kept one.
    @Test func aStoreWithoutATrailIsNotIntact() throws {
        let plain = try FHIRStore.inMemory(release: .r4)
        let never = try plain.verifyAudit(from: nil)
        #expect(!never.isIntact && never.finding?.kind == .missing && never.headCount == 0)
        let audited = try AuditedStore()
        #expect(try audited.verification().isIntact && audited.verification().size == 0)
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        let emptied = try audited.tampering { tx in
            for table in ["_audit", "_audit_head", "_audit_node"] { try tx.runAudit("DELETE FROM \(table)", []) }
            return try tx.verifyAudit(signedBy: audited.keys)
        }
        #expect(!emptied.isIntact && emptied.finding?.kind == .missing && emptied.finding?.row == 1)
        #expect(try audited.verification().isIntact)
    }

    /// The check of an audited store verifies its trail, also when the audit has stopped.
    @Test(arguments: [
        ("UPDATE _audit SET actor = 'x' WHERE seq = 2", "_audit", "the audit trail: row 2 was changed"),
        ("DELETE FROM _audit WHERE seq = 3", "_audit", "the audit trail: row 3 and all later ones are missing"),
        ("DELETE FROM _audit_head", "_audit", "the audit trail: row 1 is in no signed head"),
        ("DELETE FROM _audit_head WHERE number = 1", "_audit_head", "the audit trail: head 1, which covers row 1, is missing"),
        ("DELETE FROM _trust_key", "_audit_head", "or the file has lost the key that signed it"),
        ("UPDATE _trust_key SET jwk = '-' || jwk", "_trust_key", "the audit trail cannot be verified"),
    ]) func checkFindsAnEditedTrail(_ damage: String, _ table: String, _ text: String) throws {
        let audited = try AuditedStore()
        let store = audited.store
        for number in 1...3 { try store.write { try $0.upsert(auditedPatient("\(number)", "A")) } }
        #expect(try store.check().isEmpty)
        store.stopAudit()
        try store.write { tx in
            try tx.run(on: damage.contains("_trust") ? TrustTables.module : AuditTables.module, damage)
        }
        let findings = try store.check()
        #expect(findings.contains { $0.kind == .mismatch && $0.table == table && $0.text.contains(text) }, "\(findings)")
    }

    @Test func checkFindsAnEmptiedTrail() throws {
        let store = try AuditedStore().store
        try store.write { try $0.upsert(auditedPatient("1", "A")) }
        try store.write { tx in
            for table in ["_audit", "_audit_head", "_audit_node"] { try tx.runAudit("DELETE FROM \(table)", []) }
        }
        #expect(try store.check().map(\.table) == ["_audit"])
        #expect(try store.check().first?.text.contains("it never began, or was removed") == true)
        // A store without a trail has nothing to verify.
        let plain = try FHIRStore.inMemory(release: .r4)
        plain.checkTrail()
        #expect(try !plain.hasTrail && plain.check().isEmpty)
    }

    /// A failure to read the store's keys is none of the signature: it is thrown, and the next verification reads them again.
    @Test func keysThatCannotBeReadAreNoUnknownKeys() throws {
        let audited = try AuditedStore()
        try audited.store.write { tx in
            try tx.upsert([auditedPatient("1", "A")])
        }
        #expect(try audited.store.verifyAudit(from: nil).isIntact)
        let head = try audited.head()
        try audited.tampering { tx in
            let signature = AuditSignature(tx)
            try tx.run(on: TrustTables.module, "UPDATE _trust_key SET jwk = '-' || jwk")
            #expect(throws: CryptoError.self) { try signature.verify(head) }
            #expect(throws: CryptoError.self) { try tx.verifyAudit() }
            try tx.run(on: TrustTables.module, "UPDATE _trust_key SET jwk = substr(jwk, 2)")
            #expect(try signature.isValid(head))
        }
        let stranger = AuditSignature([try PrivateKey().publicKey])
        #expect(try !stranger.isValid(head))
    }

    /// Each byte of a row that says something, and the salt of its value among them.
    @Test func everyByteOfARowIsCovered() throws {
        let audited = try AuditedStore()
        try audited.store.write { tx in try tx.upsert((1...3).map { auditedPatient("\($0)", "A") }) }
        for column in ["value", "salt", "hash"] {
            let bytes = try audited.store.read { try $0.auditRows("SELECT \(column) FROM _audit WHERE seq = 2")[0][0].bytes }.unwrapped()
            #expect(bytes.count == 32)
            for place in bytes.indices {
                var changed = bytes
                changed[place] ^= 1
                let finding = try audited.tampering { tx in
                    try tx.runAudit("UPDATE _audit SET \(column) = ? WHERE seq = 2", [.blob(changed)])
                    return [try tx.verifyAudit(signedBy: audited.keys).finding]
                }[0]
                #expect(finding?.row == 2, "byte \(place) of \(column)")
            }
        }
    }

    @Test func aRowThatWasWrittenAgainWithItsHashIsFoundInItsCommit() throws {
        var random = SeededGenerator(seed: 26)
        let (audited, heads) = try Self.filled(&random)
        for _ in 0..<10 {
            let number = Int64(random.int(1...Self.operations))
            try audited.tampering { tx in
                let row = try tx.auditRow(number).unwrapped()
                let old = try row.entry.unwrapped()
                let entry = AuditEntry(
                    number: number, milliseconds: old.milliseconds, party: AuditParty("Practitioner/0"), access: old.access,
                    value: old.value)
                try tx.runAudit(
                    "UPDATE _audit SET actor = 'Practitioner/0', purpose = NULL, hash = ? WHERE seq = ?",
                    [.blob(MerkleTree.leafHash(entry.leaf(salt: AuditSalt.ofLeaf(row.salt)))), .integer(number)])
                let result = try tx.verifyAudit(signedBy: audited.keys)
                let first = try (heads.last { $0.size < number }).unwrapped().size + 1
                #expect(result.finding?.row == first && result.finding?.kind == .rewritten, "\(String(describing: result.finding))")
            }
        }
    }

    @Test func changedHeadsAndNodesAreFound() throws {
        var random = SeededGenerator(seed: 27)
        let (audited, heads) = try Self.filled(&random)
        func finding(_ sql: String, _ arguments: [SQLValue]) throws -> AuditFinding? {
            try audited.tampering { tx in
                try tx.runAudit(sql, arguments)
                return [try tx.verifyAudit(signedBy: audited.keys).finding]
            }[0]
        }
        let place = random.int(2...heads.count - 2)
        let (head, row) = (heads[place], heads[place - 1].size + 1)
        let other = heads[place + 1]
        for (sql, arguments) in [
            ("DELETE FROM _audit_head WHERE number = ?", []),
            ("UPDATE _audit_head SET size = size + 1 WHERE number = ?", []),
            ("UPDATE _audit_head SET at = at + 1 WHERE number = ?", []),
            ("UPDATE _audit_head SET root = ?2 WHERE number = ?1", [SQLValue.blob(other.root)]),
            ("UPDATE _audit_head SET token = ?2 WHERE number = ?1", [.text(other.token)]),
            ("UPDATE _audit_head SET token = ?2 WHERE number = ?1", [.text("x.y.z")]),
        ] as [(String, [SQLValue])] {
            let finding = try finding(sql, [.integer(head.number)] + arguments)
            #expect(finding?.kind == .head && finding?.row == row, "\(sql): \(String(describing: finding))")
        }
        // A head that somebody else has signed.
        let stranger = try AuditedStore()
        let forged = try stranger.signer.sign(JWS(head.token).payload, type: AuditSignature.type).text()
        let found = try finding("UPDATE _audit_head SET token = ?2 WHERE number = ?1", [.integer(head.number), .text(forged)])
        #expect(found?.kind == .head && found?.row == row)
        // The node over the rows from 65 to 128.
        let key = AuditTables.key(level: 6, index: 1)
        let missing = try finding("DELETE FROM _audit_node WHERE node = ?", [key])
        #expect(missing?.kind == .node && missing?.row == 65)
        let changed = try finding("UPDATE _audit_node SET hash = ?2 WHERE node = ?1", [key, .blob(head.root)])
        #expect(changed?.kind == .node && changed?.row == 65)
    }

    /// Who has the key can sign a head that does not continue the one before it.
    @Test(arguments: [true, false]) func aHeadThatDoesNotContinueTheOneBeforeItIsFound(_ namesAnother: Bool) throws {
        let audited = try AuditedStore()
        for number in 1...3 { try audited.store.write { _ = try $0.upsert(auditedPatient("\(number)", "A")) } }
        let last = try audited.head()
        let first = try audited.store.read { try $0.auditHeads(limit: 1)[0] }
        let content = AuditHeadContent(
            trail: last.trail, number: last.number, size: last.size, root: Data(last.root).base64URL, at: last.milliseconds,
            previous: namesAnother ? first.digest : nil)
        let token = try AuditSigner(audited.signer.key).sign(Data(content.json.utf8))
        let result = try audited.tampering { tx in
            try tx.runAudit("UPDATE _audit_head SET token = ? WHERE number = ?", [.text(token), .integer(last.number)])
            return try tx.verifyAudit(signedBy: audited.keys)
        }
        #expect(result.finding?.kind == .head && result.finding?.row == 3, "\(String(describing: result.finding))")
    }

    @Test func keptHeadsThatNobodyKnownHasSignedAreRefused() throws {
        let (audited, stranger) = (try AuditedStore(), try AuditedStore())
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        let head = try audited.head()
        let forged = try AuditHead(token: stranger.signer.sign(JWS(head.token).payload, type: AuditSignature.type).text())
        for heads in [[forged], [head, forged]] {
            let error = #expect(throws: AuditError.self) { try audited.verification(from: heads) }
            #expect(error?.code == .invalidSignature)
        }
        #expect(try audited.verification(from: [head]).isIntact)
    }

    @Test func nothingIsAppendedToATrailWithAnotherEnd() throws {
        let folder = try TemporaryFolder()
        let audited = try AuditedStore(path: folder.file("store.sqlite"))
        try audited.store.write { try $0.upsert((1...3).map { auditedPatient("\($0)", "A") }) }
        audited.store.stopAudit()
        try audited.store.write { try $0.runAudit("UPDATE _audit SET hash = zeroblob(32) WHERE seq = 3") }
        try audited.store.startAudit(by: audited.signer)
        let error = #expect(throws: AuditError.self) { try audited.store.write { try $0.upsert(auditedPatient("4", "A")) } }
        #expect(error?.code == .damaged)
        #expect(try audited.store.count(Patient.self) == 3)
    }

    /// Rows after the last head: the next one, and one after a gap that a commit would fill.
    @Test(arguments: [4, 6]) func nothingIsAppendedAfterRowsWithoutAHead(_ number: Int64) throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert((1...3).map { auditedPatient("\($0)", "A") }) }
        audited.store.stopAudit()
        try audited.store.write { _ = try $0.runAudit("INSERT INTO _audit(seq, hash) VALUES (?, zeroblob(32))", [.integer(number)]) }
        try audited.store.startAudit(by: audited.signer)
        let error = #expect(throws: AuditError.self) { try audited.store.write { try $0.upsert(auditedPatient("4", "A")) } }
        #expect(error?.code == .damaged)
        #expect(try audited.store.count(Patient.self) == 3)
    }
}
