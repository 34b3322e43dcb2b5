import FireLite
import FireLiteR4
import Foundation
import Testing

/// The bytes of a key are shown nowhere.
@Suite struct KeySecrecyTests {
    private static let word = "KEYWORD"
    private static let keys = [Secret(word.utf8), Secret(String(repeating: word, count: 5).utf8.prefix(32))]

    /// The forms that a text may show the bytes in: as text, as hexadecimal digits, as numbers.
    private func expectNoKey(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let hexadecimal = Self.word.utf8.map { String($0, radix: 16) }.joined()
        let numbers = Self.word.utf8.map { "\($0)" }
        for form in [Self.word, hexadecimal, numbers.joined(separator: ", "), numbers.joined(separator: "\n")] {
            #expect(!text.lowercased().contains(form.lowercased()), sourceLocation: sourceLocation)
        }
        // A dump has a line for each.
        #expect(!numbers.allSatisfy { text.contains("- \($0)\n") }, sourceLocation: sourceLocation)
    }

    private func expectNoKey(in value: Any) {
        var text = ""
        dump(value, to: &text, maxDepth: 12)
        for form in [text, "\(value)", String(reflecting: value), String(describing: value)] { expectNoKey(form) }
    }

    @Test(arguments: keys) func keysAreInNoDescriptionDumpOrMirror(_ key: Secret) throws {
        var configuration = FHIRStore.Configuration()
        configuration.key = key
        for value in [key, configuration, Optional(configuration) as Any, FHIRStore.BackupEncryption.key(key)] { expectNoKey(in: value) }
        #expect(Mirror(reflecting: key).children.isEmpty)
        // What is looked for would be found.
        var text = ""
        dump(Array(Self.word.utf8), to: &text)
        #expect(Self.word.utf8.allSatisfy { text.contains("- \($0)\n") })
    }

    @Test(arguments: keys) func keysAreInNoError(_ key: Secret) throws {
        try withTemporaryFolder { folder in
            let (path, plain, text) = (folder + "/store.sqlite", folder + "/plain.sqlite", folder + "/text")
            try EncryptedStores.make(plain, nil)
            try Data(String(repeating: "text ", count: 1_000).utf8).write(to: URL(fileURLWithPath: text))
            var errors: [any Error] = []
            func collect(_ body: () throws -> Void) { do { try body() } catch { errors.append(error) } }
            collect { _ = try EncryptedStores.open(plain, key) }
            collect { _ = try EncryptedStores.open(text, key) }
            collect { _ = try EncryptedStores.open(folder + "/no/store.sqlite", key) }
            collect { _ = try EncryptedStores.open(":memory:", key) }
            collect {
                try EncryptedStores.open(plain, nil).backup(to: URL(fileURLWithPath: folder + "/no/copy.sqlite"), encryption: .key(key))
            }
            collect { _ = try EncryptedStores.open(plain, nil).rekey(to: key) }
            if EncryptedStores.areThere {
                try EncryptedStores.make(path, EncryptedStores.raw)
                collect { _ = try EncryptedStores.open(path, key) }
                collect {
                    try FHIRStore.recover(
                        from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/new.sqlite"), release: .r4, key: key)
                }
                let one = try EncryptedStores.open(path, EncryptedStores.raw) { $0.busyTimeout = .milliseconds(0) }
                let two = try EncryptedStores.open(path, EncryptedStores.raw)
                #expect(try one.count(Patient.self) == two.count(Patient.self))
                collect { try one.rekey(to: key) }
                let made = try EncryptedStores.open(folder + "/made.sqlite", key)
                expectNoKey(in: made)
                collect { _ = try made.sql("SELECT no_column FROM _meta") }
                collect { _ = try made.sql("PRAGMA cipher_version; PRAGMA key") }
                collect { _ = try made.sql("ATTACH DATABASE 'x' AS x KEY 'y'") }
            }
            #expect(errors.count == (EncryptedStores.areThere ? 12 : 6))
            for error in errors {
                expectNoKey(in: error)
                expectNoKey(error.localizedDescription)
                let store = try #require(error as? FHIRStoreError)
                expectNoKey(store.message + (store.sql ?? ""))
            }
        }
    }
}
