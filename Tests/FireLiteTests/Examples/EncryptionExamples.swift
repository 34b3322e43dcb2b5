import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// The examples of Encryption.md: with SQLCipher they work, without it each is the error `noEncryption`.
@Suite struct EncryptionExamples {
    /// Runs `body`; it must fail for want of SQLCipher, and only then.
    private func expectEncryption(_ body: () throws -> Void) throws {
        guard !Connection.isBuiltForEncryption else { return try body() }
        let error = #expect(throws: FHIRStoreError.self) { try body() }
        #expect(error?.code == .noEncryption)
    }

    @Test func openingAndRekeying() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            let newBytes = [UInt8](repeating: 7, count: 32)
            try expectEncryption {
                // example Encryption.md
                let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
                var configuration = FHIRStore.Configuration()
                configuration.key = Secret(bytes)
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                // end
                try store.write { tx in try tx.add(Patient()) }
                // example Encryption.md
                try store.rekey(to: Secret(newBytes))
                // end
                try store.close()
                #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4, configuration: configuration) }
                configuration.key = Secret(newBytes)
                #expect(try FHIRStore(path: path, release: .r4, configuration: configuration).count(Patient.self) == 1)
            }
        }
    }

    @Test func encryptingAPlainStore() throws {
        try withStore { plain in
            try plain.write { tx in try tx.add(Patient()) }
            let bytes = [UInt8](repeating: 3, count: 32)
            let copy = URL(fileURLWithPath: plain.path + "-copy")
            try expectEncryption {
                // example Encryption.md
                try plain.backup(to: copy, encryption: .key(Secret(bytes)))
                // end
                var configuration = FHIRStore.Configuration()
                configuration.key = Secret(bytes)
                #expect(try FHIRStore(path: copy.path, release: .r4, configuration: configuration).count(Patient.self) == 1)
            }
        }
    }
}
