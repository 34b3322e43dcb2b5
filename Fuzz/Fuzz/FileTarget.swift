import FireLite
import FireLiteR4
import Foundation

/// What opens, reads, checks and recovers a store's file gives values or errors of the store, whatever is in the file.
///
/// The input is changes to the bytes of a small store without checksums of pages: five bytes each, a place and a value. What begins as a database
/// does is a whole file.
enum FileTarget {
    private static let folder: String = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firelite-fuzz-\(UUID().uuidString)").path
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch { fatalError("\(error)") }
        return folder
    }()

    private static let original: [UInt8] = {
        let path = folder + "/original.sqlite"
        var configuration = FHIRStore.Configuration()
        configuration.checksPages = false
        do {
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            for example in StoreTarget.examples {
                let resource = try FHIRJSON.resource(from: Data(example.utf8), release: .r4)
                try store.write { tx in try tx.add(resource) }
            }
            try store.checkpoint(.truncate)
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            fatalError("\(error)")
        }
    }()

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        var file = original
        if bytes.starts(with: "SQLite format 3".utf8) {
            file = Array(bytes)
        } else {
            for start in stride(from: 0, to: bytes.count - 4, by: 5) {
                let place = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                file[place % file.count] = bytes[start + 4]
            }
        }
        let path = folder + "/store.sqlite"
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
        try Data(file).write(to: URL(fileURLWithPath: path))
        var configuration = FHIRStore.Configuration()
        configuration.verifiesContent = file.last.map { $0 & 1 == 0 } ?? true
        attempt {
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            attempt { _ = try store.check() }
            for typeName in try store.counts().map(\.typeName) {
                attempt { try store.read { try $0.forEach(typeName: typeName) { _ = FHIRJSON.data($0) } } }
            }
            attempt { try store.write { tx in _ = try tx.upsert(Patient { $0.id = "1" }) } }
        }
        unlink(folder + "/recovered.sqlite")
        attempt {
            try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
        }
    }

    private static func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch is FHIRStoreError {
            // The answer.
        } catch {
            require(false, "an error that is none of the store's: \(error)")
        }
    }
}
