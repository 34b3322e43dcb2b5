import FireLite
import Foundation

/// Commits batches to an encrypted store for ever; in between, gives it the other of two keys and makes encrypted copies of it.
package struct SecretRounds {
    package static let keys = [Secret(1...32), Secret("correct horse battery staple".utf8)]
    /// The key of the copies.
    package static let copyKey = Secret(101...132)

    let path: String
    let copy: String

    /// Opens the store with whichever of the two keys it has, and creates it with the first.
    ///
    /// - Returns: the store and the place of its key.
    /// - Throws: `FHIRStoreError`, also if neither key fits or the store cannot be opened for another reason.
    package static func open(_ path: String) throws -> (store: FHIRStore, key: Int) {
        var configuration = FHIRStore.Configuration()
        configuration.key = keys[0]
        do {
            return (try FHIRStore(path: path, release: .r4, configuration: configuration), 0)
        } catch let error as FHIRStoreError where error.code == .wrongKey {
            configuration.key = keys[1]
            return (try FHIRStore(path: path, release: .r4, configuration: configuration), 1)
        }
    }

    /// Writes the number of each batch to standard output when its commit has returned.
    func run(from first: Int) throws -> Never {
        var (store, key) = try Self.open(path)
        var number = first
        while true {
            try CrashBatch(number).write(to: store)
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
            number += 1
            if number % 2 == 0 {
                key = 1 - key
                try store.rekey(to: Self.keys[key])
            } else {
                try store.backup(to: URL(fileURLWithPath: copy), replacing: true, encryption: .key(Self.copyKey))
            }
        }
    }
}
