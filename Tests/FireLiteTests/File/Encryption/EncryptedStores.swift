import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// What tests of encryption share.
enum EncryptedStores {
    /// Whether there is encryption to be tested: the package was built with the trait SQLCipher.
    static let areThere = Connection.isBuiltForEncryption

    /// A value that is in the records of these tests and nowhere else.
    static let marker = "a-marker-that-is-nowhere-else"

    /// A key as it is, and a passphrase.
    static let raw = Secret(1...32)
    static let passphrase = Secret("correct horse battery staple".utf8)
    static let other = Secret(101...132)

    static func open(
        _ path: String, _ key: Secret?, _ change: (inout FHIRStore.Configuration) -> Void = { _ in }
    ) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.key = key
        change(&configuration)
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    /// Adds patients whose names have the marker.
    static func fill(_ store: FHIRStore, _ ids: Swift.Range<Int>) throws {
        try store.write { tx in
            try tx.upsert(
                ids.map { id in
                    Patient {
                        $0.id = "\(id)"
                        $0.name = [
                            HumanName {
                                $0.family = marker; $0.given = ["\(marker)-\(id)", String(repeating: marker, count: 20)]
                            }
                        ]
                    }
                })
        }
    }

    /// Makes a store with patients 0 to 49 and closes it.
    ///
    /// - Returns: its content.
    @discardableResult
    static func make(_ path: String, _ key: Secret?) throws -> [String: String] {
        let store = try open(path, key)
        try fill(store, 0..<50)
        return try snapshot(store)
    }

    /// Whether the bytes of a file have a text in them.
    static func file(_ path: String, has text: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
    }

    /// Expects that the store opens with the key, is sound and has the content.
    static func expect(
        _ path: String, _ key: Secret?, _ content: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try open(path, key)
        #expect(try snapshot(store) == content, sourceLocation: sourceLocation)
        try expectSound(store, sourceLocation: sourceLocation)
    }

    /// Expects that the file is refused with that code and a word, and is as it was.
    static func expectRefusal(
        _ path: String, _ key: Secret?, _ code: FHIRStoreError.Code, says word: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: FHIRStoreError.self, sourceLocation: sourceLocation) { try open(path, key) }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.message.contains(word) == true && error?.message.contains(path) == true, sourceLocation: sourceLocation)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before, sourceLocation: sourceLocation)
    }
}
