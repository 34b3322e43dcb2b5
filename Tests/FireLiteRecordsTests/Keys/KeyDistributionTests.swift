import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// Common keys that are wrapped for other devices.
@Suite(.timeLimit(.minutes(30))) struct KeyDistributionTests {
    private func code(_ body: () throws -> Void) -> RecordError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RecordError)?.code
        }
    }

    @Test func aWrappedKeyOpensWhatItWraps() throws {
        let (keyring, pair) = (try RecordKeyring(), try PrivateKey(.rsa(bits: 2_048)))
        let source = try FHIRStore.inMemory(release: .r4)
        source.records.encryption = .perRecord(keyring)
        try source.records.create(observation("a", "secret"))
        let record = try source.records.wireRecord("Observation", id: "a", client: "app")
        let json = try JSONEncoder().encode(keyring.wireKey(keyring.primaryID, for: pair.publicKey))
        let names = try #require(try JSONSerialization.jsonObject(with: json) as? [String: String])
        #expect(names.keys.sorted() == ["common_key", "common_key_id"] && Data(base64Encoded: names["common_key"] ?? "")?.count == 256)
        let other = try RecordKeyring()
        try other.removeOwnKey()
        let target = try FHIRStore.inMemory(release: .r4)
        target.records.encryption = .perRecord(other)
        #expect(code { try target.records.receive(record) } == .missingKey)
        let restored = try PrivateKey(pem: pair.pem())
        try other.receive(JSONDecoder().decode(WireKey.self, from: json), with: restored)
        #expect(try target.records.receive(record) == RecordKey("Observation", id: "a"))
        #expect(try target.records.fetch(Observation.self, id: "a")?.resource.code?.text == "secret")
    }

    @Test func keysForOthersAndChangedKeysAreRefused() throws {
        let (keyring, pair, stranger) = (try RecordKeyring(), try PrivateKey(.rsa(bits: 2_048)), try PrivateKey(.rsa(bits: 2_048)))
        let wire = try keyring.wireKey(keyring.primaryID, for: pair.publicKey)
        let other = try RecordKeyring()
        #expect(code { try other.receive(wire, with: stranger) } == .cannotOpen)
        var changed = wire
        changed.commonKey = Data(count: 256).base64EncodedString()
        #expect(code { try other.receive(changed, with: pair) } == .cannotOpen)
        changed.commonKey = "no base64!"
        #expect(code { try other.receive(changed, with: pair) } == .invalidContent)
        // The id has another key there.
        #expect(code { try other.receive(wire, with: pair) } == .invalidArgument)
        #expect(code { _ = try keyring.wireKey("x", for: pair.publicKey) } == .missingKey)
        let curve = try PrivateKey(.p256)
        #expect(code { _ = try keyring.wireKey(keyring.primaryID, for: curve.publicKey) } == .invalidArgument)
        #expect(code { try other.receive(wire, with: curve) } == .invalidArgument)
        #expect(!"\(pair)".contains("PRIVATE") && !String(reflecting: pair).contains("PRIVATE"))
    }

    @Test func aWholeKeyringFindsSealedAnnotationsOnAnotherDevice() throws {
        let (keyring, pair) = (try RecordKeyring(), try PrivateKey(.rsa(bits: 2_048)))
        try keyring.makePrimary(keyring.addKey())
        let data = try keyring.exported(for: pair.publicKey)
        let copy = try RecordKeyring(exported: data, with: pair)
        #expect(copy.ids == keyring.ids && copy.primaryID == keyring.primaryID)
        #expect(try copy.exported() == keyring.exported())
        #expect(code { _ = try RecordKeyring(exported: data, with: PrivateKey(.rsa(bits: 2_048))) } == .cannotOpen)
        #expect(code { _ = try RecordKeyring(exported: Data("{}".utf8), with: pair) } == .invalidContent)
        for id in keyring.ids {
            let bytes = try #require(keyring.key(id)).bytes
            #expect(data.range(of: bytes.base64EncodedData()) == nil && data.range(of: bytes) == nil)
        }
    }
}

extension RecordKeyring {
    /// Replaces the first key by one with another id, as a device has that began with a keyring of its own.
    fileprivate func removeOwnKey() throws {
        try makePrimary(addKey())
        try removeKey(Self.firstID)
    }
}
