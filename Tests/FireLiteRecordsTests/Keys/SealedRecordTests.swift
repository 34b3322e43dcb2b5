import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

@Suite(.timeLimit(.minutes(30))) struct SealedRecordTests {
    private func sealed(_ store: FHIRStore) throws -> RecordKeyring {
        let keyring = try RecordKeyring()
        store.records.encryption = .perRecord(
            keyring, resources: ["Observation": .keeping("status", "effective"), "Patient": .only("name", "address")])
        return keyring
    }

    private func run(_ store: FHIRStore, _ sql: String) throws {
        try store.write { tx in try tx.run(on: RecordTables.records.module, sql) }
    }

    private func code(_ body: () throws -> Void) -> RecordError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    @Test func onlyDeclaredElementsAreInTheClear() throws {
        try withRecordStore { store in
            _ = try sealed(store)
            try store.records.create(observation("a", "secret-code", date: "2024-01-10"), annotations: ["secret-word"])
            try store.records.create(
                Patient {
                    $0.id = "p"
                    $0.name = [HumanName { $0.family = "secret-name" }]
                    $0.gender = .female
                })
            let stub = try #require(try store.resource(Observation.self, id: "a"))
            #expect(stub.code == nil && stub.effectiveDateTime != nil)
            let record = try #require(try store.records.query(Observation.self).dated(from: "2024").annotated("SECRET-word").first())
            #expect(record.resource.code?.text == "secret-code" && record.annotations == ["secret-word"])
            #expect(try store.records.fetch(Patient.self, id: "p")?.resource.name.first?.family == "secret-name")
            #expect(try store.query(Patient.self).where { $0.gender == .female }.first()?.name.isEmpty == true)
            for table in ["_record", "_record_annotation", "_record_key", "_record_content"] {
                let text = try store.sql("SELECT * FROM \(table)").map { "\($0.values)" }.joined()
                #expect(!text.contains("secret"))
                let bytes = try store.sql("SELECT * FROM \(table)").flatMap { $0.values.map(\.data) }
                for data in bytes { #expect(data.range(of: Data("secret".utf8)) == nil) }
            }
            #expect(try store.records.summary("Observation", id: "a")?.isSealed == true)
        }
    }

    @Test func updatesSealAgainAndAnnotationsFollow() throws {
        try withRecordStore { store in
            _ = try sealed(store)
            try store.records.create(observation("a", "one"), annotations: ["x"])
            let record = try #require(try store.records.fetch(Observation.self, id: "a"))
            record.resource.code?.text = "two"
            let updated = try store.records.update(record.resource)
            #expect(updated.annotations == ["x"])
            try store.records.annotate("Observation", id: "a", with: ["y"])
            let again = try #require(try store.records.fetch(Observation.self, id: "a"))
            #expect(again.resource.code?.text == "two" && again.annotations == ["y"])
            #expect(try store.records.query(Observation.self).annotated("x").count() == 0)
            #expect(try store.records.query(Observation.self).annotated("y").count() == 1)
            #expect(code { _ = try store.write { tx in try tx.upsert(observation("a", "clear", date: "2020")) } } == .sealed)
            #expect(try store.resource(Observation.self, id: "a")?.code == nil)
            let stub = try #require(try store.resource(Observation.self, id: "a"))
            #expect(code { _ = try store.records.update(stub) } == .sealed)
        }
    }

    @Test func swappedAndRolledBackRecordsAreRefused() throws {
        try withRecordStore { store in
            _ = try sealed(store)
            for id in ["a", "b"] { try store.records.create(observation(id, id), annotations: [id]) }
            try run(store, "UPDATE _record_key SET owner = -owner")
            try run(store, "UPDATE _record_key SET owner = owner + (SELECT min(root) + max(root) FROM _record)")
            #expect(code { _ = try store.records.fetch(Observation.self, id: "a") } == .cannotOpen)
            try run(store, "UPDATE _record_content SET owner = -owner")
            try run(store, "UPDATE _record_content SET owner = owner + (SELECT min(root) + max(root) FROM _record)")
            #expect(code { _ = try store.records.fetch(Observation.self, id: "a") } == .cannotOpen)
            try run(store, "UPDATE _record_key SET owner = -owner")
            try run(store, "UPDATE _record_key SET owner = owner + (SELECT min(root) + max(root) FROM _record)")
            try run(store, "UPDATE _record_content SET owner = -owner")
            try run(store, "UPDATE _record_content SET owner = owner + (SELECT min(root) + max(root) FROM _record)")
            #expect(try store.records.fetch(Observation.self, id: "a")?.resource.code?.text == "a")
            let old = try store.sql(
                "SELECT k.annotations, c.content FROM _record_key k JOIN _record_content c USING (owner) WHERE owner = (SELECT min(root) FROM _record)"
            )[0]
            try store.records.update(observation("a", "new"))
            try store.write { tx in
                try tx.run(
                    on: RecordTables.records.module, "UPDATE _record_content SET content = ? WHERE owner = (SELECT min(root) FROM _record)",
                    [old[1]])
            }
            #expect(code { _ = try store.records.fetch(Observation.self, id: "a") } == .cannotOpen)
            try store.write { tx in
                try tx.run(
                    on: RecordTables.records.module, "UPDATE _record_key SET annotations = ? WHERE owner = (SELECT min(root) FROM _record)",
                    [old[0]])
            }
            #expect(code { _ = try store.records.fetch(Observation.self, id: "a") } == .cannotOpen)
            #expect(try store.records.query(Observation.self).opened().failed.map(\.id) == ["a"])
        }
    }

    @Test func aLostKeyIsAnErrorOfThatRecordAlone() throws {
        try withRecordStore { store in
            let keyring = try sealed(store)
            try store.records.create(observation("a"))
            let second = try keyring.addKey()
            try keyring.makePrimary(second)
            try store.records.create(observation("b"))
            #expect(throws: RecordError.self) { try keyring.removeKey(second) }
            let copy = try RecordKeyring(exported: keyring.exported())
            try keyring.removeKey(RecordKeyring.firstID)
            let result = try store.records.fetch(Observation.self, ids: ["a", "b"])
            #expect(result.succeeded.map(\.id) == ["b"] && result.failed.map(\.id) == ["a"])
            #expect((result.failed.first?.error as? RecordError)?.code == .missingKey)
            store.records.encryption = .perRecord(copy)
            #expect(try store.records.fetch(Observation.self, ids: ["a", "b"]).isComplete)
            store.records.encryption = .none
            #expect(code { _ = try store.records.fetch(Observation.self, id: "b") } == .missingKey)
        }
    }

    @Test func deletingShredsTheKey() throws {
        try withRecordStore { store in
            _ = try sealed(store)
            try store.records.create(observation("a"), annotations: ["x"])
            try store.appData.put(Data("secret".utf8), id: "s", annotations: ["x"])
            try store.write { tx in _ = try tx.delete(Observation.self, id: "a") }
            try store.appData.delete("s")
            for table in ["_record_key", "_record_content", "_appdata_key", "_appdata_content"] {
                #expect(try store.sql("SELECT count(*) FROM \(table)")[0][0] == 0)
            }
            #expect(try store.records.summary("Observation", id: "a")?.metadata.status == .deleted)
        }
    }

    @Test func rewrappingChangesNoSealedByte() throws {
        try withRecordStore { store in
            let keyring = try sealed(store)
            let count = Effort.isNightly ? 100_000 : Effort.count(3_000)
            try store.records.create((0..<count).map { observation("\($0)", "text \($0)") }, annotations: ["x"])
            try store.appData.put(["one": Data("1".utf8), "two": Data("2".utf8)])
            let contents = """
                SELECT owner, content, (SELECT annotations FROM _record_key k WHERE k.owner = c.owner) FROM _record_content c
                UNION ALL SELECT owner, content, (SELECT annotations FROM _appdata_key k WHERE k.owner = c.owner) FROM _appdata_content c
                """
            let before = try store.sql(contents).map(\.values)
            let fresh = try keyring.addKey()
            let nothing = try store.records.rewrap()
            #expect(nothing.wrapped == 0 && nothing.failed == 0)
            try keyring.makePrimary(fresh)
            var calls = 0
            var part = 0
            #expect(throws: CancellationError.self) {
                try store.records.rewrap {
                    calls += 1
                    part = $0.completed
                    throw CancellationError()
                }
            }
            #expect(part == min(1_000, count) && calls == 1)
            let rest = try store.records.rewrap()
            #expect(part + rest.wrapped == count + 2 && rest.failed == 0)
            try keyring.removeKey(RecordKeyring.firstID)
            #expect(try store.sql(contents).map(\.values) == before)
            #expect(try store.records.fetch(Observation.self, id: "\(count - 1)")?.resource.code?.text == "text \(count - 1)")
            #expect(try store.appData.get("two")?.data == Data("2".utf8))
        }
    }

    @Test func anUnknownElementIsRefused() throws {
        try withRecordStore { store in
            store.records.encryption = .perRecord(try RecordKeyring(), resources: ["Observation": .only("nothing")])
            #expect(code { _ = try store.records.create(observation("a")) } == .invalidArgument)
            #expect(try store.records.count() == 0)
        }
    }

    @Test func keyringsAreExportedAndPrintNoKeys() throws {
        let keyring = try RecordKeyring()
        let id = try keyring.addKey()
        let copy = try RecordKeyring(exported: keyring.exported())
        #expect(copy.ids == keyring.ids && copy.primaryID == RecordKeyring.firstID)
        #expect(copy.key(id) == keyring.key(id))
        let key = try #require(keyring.key(id))
        try copy.addKey(key, id: id)
        #expect(throws: RecordError.self) { try copy.addKey(Secret(Data(count: 32)), id: id) }
        #expect(throws: RecordError.self) { try copy.addKey(Secret(Data(count: 31)), id: "x") }
        #expect(throws: RecordError.self) { try copy.makePrimary("x") }
        #expect(throws: RecordError.self) { try RecordKeyring(exported: "{}") }
        #expect("\(keyring)" == "keyring of 2 common keys")
    }

    @Test func pythonOpensWhatIsSealed() throws {
        let script = """
            import sys, json, base64
            try:
                from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            except ImportError:
                print("missing"); sys.exit(0)
            given = json.load(sys.stdin)
            get = lambda name: base64.b64decode(given[name])
            def open_(key, sealed, context):
                return AESGCM(key).decrypt(sealed[:12], sealed[12:], context.encode())
            key = open_(get("common"), get("wrapped"), "firelite/1\\nkey\\nresource\\nObservation\\na\\n")
            content = open_(key, get("content"), "firelite/1\\ncontent\\nresource\\nObservation\\na\\n2")
            words = open_(key, get("annotations"), "firelite/1\\nannotations\\nresource\\nObservation\\na\\n%s" % given["edition"])
            print(json.loads(content)["code"]["text"], json.loads(words))
            """
        try withRecordStore { store in
            let keyring = try sealed(store)
            try store.records.create(observation("a", "first"), annotations: ["x"])
            try store.records.update(observation("a", "opened by python"))
            let row = try store.sql(
                """
                SELECT wrapped, annotations, content, edition FROM _record JOIN _record_key k ON k.owner = root
                JOIN _record_content c ON c.owner = root
                """)[0]
            let common = try #require(keyring.key(RecordKeyring.firstID)).bytes
            let input = try JSONSerialization.data(withJSONObject: [
                "common": common.base64EncodedString(),
                "wrapped": row[0].data.base64EncodedString(), "annotations": row[1].data.base64EncodedString(),
                "content": row[2].data.base64EncodedString(), "edition": "\(row[3].integer ?? 0)",
            ])
            guard let output = try python(script, input), output != "missing" else {
                print("python3 with cryptography is missing: nothing was opened by it")
                return
            }
            #expect(output == "opened by python ['x']")
        }
    }

    /// What a script prints; nil without Python.
    private func python(_ script: String, _ input: Data) throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: input)
        try standardInput.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus != 127 else { return nil }
        #expect(process.terminationStatus == 0)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
