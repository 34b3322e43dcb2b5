import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRecords

/// What is sealed goes out and comes in whole, or not at all.
@Suite(.timeLimit(.minutes(30))) struct SealedTransferTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-sealed-\(UUID().uuidString)")
    private let keyring: RecordKeyring

    init() throws {
        keyring = try RecordKeyring()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func open(_ encryption: RecordEncryption? = nil) throws -> FHIRStore {
        let store = try FHIRStore(path: folder.appendingPathComponent("store.sqlite").path, release: .r4)
        if let encryption { store.records.encryption = encryption }
        return store
    }

    private var sealing: RecordEncryption {
        .perRecord(keyring, resources: ["Observation": .keeping("status", "effective")])
    }

    private func sealedStore() throws -> FHIRStore {
        let store = try open(sealing)
        try store.records.create(observation("a", "secret-1", date: "2024"), annotations: ["word"])
        return store
    }

    private func lines(_ resources: [Observation]) throws -> URL {
        let file = folder.appendingPathComponent("\(UUID().uuidString).ndjson")
        try Data(resources.map { FHIRJSON.string($0) + "\n" }.joined().utf8).write(to: file)
        return file
    }

    private func exported(_ store: FHIRStore) throws -> String {
        let target = folder.appendingPathComponent("\(UUID().uuidString)")
        _ = try store.export(to: target)
        return try String(contentsOf: target.appendingPathComponent("Observation.ndjson"), encoding: .utf8)
    }

    /// Everything that is in the file.
    private func bytes() throws -> Data {
        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("store.sqlite") {
            bytes += try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return bytes
    }

    private func code(_ body: () throws -> Void) -> FHIRStoreError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? FHIRStoreError)?.code }
    }

    @Test func anExportHasWhatIsSealedOrDoesNotExist() throws {
        let text = try exported(sealedStore())
        #expect(text.contains("secret-1") && text.contains("2024"))
        // Other store objects of the file: with the keyring alone, without it, and without the module.
        #expect(try exported(open(.perRecord(keyring))) == text)
        #expect(code { _ = try exported(open(RecordEncryption.none)) } == .missingKey)
        #expect(code { _ = try exported(open()) } == .missingKey)
        #expect(code { _ = try exported(open(.perRecord(RecordKeyring()))) } == .wrongKey)
        let stub = try #require(try open().resource(Observation.self, id: "a"))
        #expect(code { _ = try open().attachments.resolvingPayloads(in: stub) } == .missingKey)
        let store = try open(.perRecord(keyring))
        #expect(
            try store.attachments.resolvingPayloads(in: #require(try store.resource(Observation.self, id: "a"))).code?.text == "secret-1")
    }

    @Test func anImportSealsWhatComesIn() throws {
        let store = try sealedStore()
        let counts = try store.importResources(
            from: [lines([observation("a", "secret-2", date: "2025"), observation("b", "secret-3", date: "2023")])]
        ).counts
        #expect(counts.updated == 1 && counts.added == 1)
        let records = try store.records.fetch(Observation.self, ids: ["a", "b"]).succeeded
        #expect(records.map { $0.resource.code?.text } == ["secret-2", "secret-3"] && records[0].annotations == ["word"])
        // What is in the clear follows; the rest is nowhere.
        #expect(try store.resource(Observation.self, id: "a")?.effectiveDateTime == FHIRDateTime("2025"))
        #expect(try store.resource(Observation.self, id: "b")?.code == nil)
        #expect(try store.importResources(from: [lines([observation("a", "secret-2", date: "2025")])]).counts.unchanged == 1)
        try store.close()
        let bytes = try bytes()
        for number in 1...3 { #expect(bytes.range(of: Data("secret-\(number)".utf8)) == nil, "\(number)") }
    }

    /// A program that has only the keyring shows no more than the one that sealed the first.
    @Test func aKeyringAloneSealsLikeTheFirst() throws {
        try sealedStore().close()
        let store = try open(.perRecord(keyring))
        _ = try store.importResources(
            from: [lines([observation("a", "secret-2", date: "2025"), observation("b", "secret-3", date: "2023")])])
        #expect(
            try store.records.fetch(Observation.self, ids: ["a", "b"]).succeeded.map { $0.resource.code?.text } == ["secret-2", "secret-3"])
        let stub = try #require(try store.resource(Observation.self, id: "b"))
        #expect(stub.code == nil && stub.effectiveDateTime != nil)
        // Types of which nothing is sealed stay as they are.
        try store.write { tx in try tx.upsert(Patient { $0.id = "p" }) }
        #expect(try store.records.summary("Patient", id: "p")?.isSealed == false)
    }

    @Test func withoutTheKeyringSealedResourcesAreLeftAlone() throws {
        try sealedStore().close()
        let encryptions: [RecordEncryption?] = [nil, RecordEncryption.none, try .perRecord(RecordKeyring())]
        for encryption in encryptions {
            let store = try open(encryption)
            var options = ImportOptions()
            options.onFault = .skip
            let other = FHIRJSON.string(Patient { $0.id = "p" })
            let file = folder.appendingPathComponent("mixed.ndjson")
            let texts = [FHIRJSON.string(observation("a", "clear", date: "2030")), other]
            try Data((texts.joined(separator: "\n") + "\n").utf8).write(to: file)
            let result = try store.importResources(from: [file], options: options)
            #expect(result.counts.rejected == 1 && result.rejects.first.map { "\($0)".contains("seal") } == true, "\(result.rejects)")
            #expect(try store.resource(Patient.self, id: "p") != nil)
            #expect(try store.resource(Observation.self, id: "a")?.effectiveDateTime == FHIRDateTime("2024"))
            try store.close()
        }
        #expect(try open(sealing).records.fetch(Observation.self, id: "a")?.resource.code?.text == "secret-1")
    }

    /// The module need not be there for the file to be safe from a program without it.
    @Test func aStoreThatKnowsNothingOfSealsDoesNotChangeWhatIsSealed() throws {
        try sealedStore().close()
        let store = try open()
        let error = code { try store.write { tx in _ = try tx.upsert(observation("a", "clear", date: "2030")) } }
        #expect(error == .missingKey)
        let stub = try #require(try store.resource(Observation.self, id: "a"))
        #expect(code { try store.write { _ in stub.status = .final } } == .missingKey)
        #expect(try store.resource(Observation.self, id: "a")?.effectiveDateTime == FHIRDateTime("2024"))
    }

    @Test func aChangeOfSealedContentAloneIsAChange() throws {
        let store = try sealedStore()
        try store.write { tx in try tx.track(.changes, types: nil) }
        let before = try store.read { try $0.newestChange() }
        try store.records.update(observation("a", "secret-2", date: "2024"))
        #expect(try store.read { try $0.newestChange() } > before)
        let again = try store.read { try $0.newestChange() }
        _ = try store.importResources(from: [lines([observation("a", "secret-2", date: "2024")])])
        #expect(try store.read { try $0.newestChange() } == again)
        #expect(try store.check().isEmpty)
    }

    @Test func aWrongKeyringIsNamed() throws {
        let store = try sealedStore()
        store.records.encryption = .perRecord(try RecordKeyring())
        do {
            _ = try store.records.fetch(Observation.self, id: "a")
            Issue.record("another keyring opened the record")
        } catch let error as RecordError { #expect(error.code == .cannotOpen && error.message.contains("another keyring")) }
    }
}
