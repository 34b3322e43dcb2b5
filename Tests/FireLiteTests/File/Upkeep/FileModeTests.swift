import FireLite
import FireLiteR4
import Foundation
import Testing

/// Files with health data are for their owner only, whatever the umask. The umask belongs to the process, so nothing else sets it.
@Suite(.serialized) struct FileModeTests {
    private func modes(_ folder: String) throws -> [String: Int] {
        var modes: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            modes[name] = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int
        }
        return modes
    }

    private func fill(_ store: FHIRStore) throws {
        try store.write { tx in try tx.upsert((1...50).map { index in Patient { $0.id = "\(index)" } }) }
    }

    @Test(arguments: [0o022, 0o000] as [mode_t]) func newFilesAndTheirCompanionsAreForTheirOwner(_ mask: mode_t) throws {
        try withTemporaryFolder { folder in
            let before = umask(mask)
            defer { umask(before) }
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            try fill(store)
            #expect(try store.count(Patient.self) == 50)
            var seenWhileCopying: [String: Int] = [:]
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite")) { _ in
                if seenWhileCopying.isEmpty { seenWhileCopying = try modes(folder) }
            }
            try FHIRStore.recover(
                from: URL(fileURLWithPath: folder + "/copy.sqlite"), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
            try store.vacuum()
            let found = try modes(folder).merging(seenWhileCopying) { one, _ in one }
            #expect(
                Set(found.keys).isSuperset(of: ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "copy.sqlite", "recovered.sqlite"]))
            // Folders, in which files are until they are whole, are hidden.
            for (name, mode) in found { #expect(mode == (name.hasPrefix(".") ? 0o700 : 0o600), "\(name)") }
        }
    }

    @Test func filesMadeThroughALinkAreForTheirOwner() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/link.sqlite", withDestinationPath: folder + "/store.sqlite")
            let store = try FHIRStore(path: folder + "/link.sqlite", release: .r4)
            try fill(store)
            #expect(try modes(folder)["store.sqlite"] == 0o600)
        }
    }

    /// Whoever opened a file to others meant it.
    @Test func theModeOfAFileThatIsThereStays() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(try FHIRStore(path: path, release: .r4))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let store = try FHIRStore(path: path, release: .r4)
            try fill(store)
            #expect(try modes(folder)["store.sqlite"] == 0o640)
        }
    }
}
