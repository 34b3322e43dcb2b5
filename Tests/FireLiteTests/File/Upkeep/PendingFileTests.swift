import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// New files are made under random names, for their owner, and get their names when they are whole.
@Suite struct PendingFileTests {
    private func names(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func aFileIsForItsOwnerAlone() throws {
        try withTemporaryFolder { folder in
            let file = try PendingFile(.text, path: folder + "/new", replaces: false, database: nil)
            let pending = try #require(try names(folder).first)
            #expect(try mode(folder + "/" + pending) == 0o700)
            #expect(try mode(file.temporaryPath) == 0o600)
            try file.finish()
            #expect(try mode(folder + "/new") == 0o600)
        }
    }

    @Test func abandonedFilesLeaveNothing() throws {
        try withTemporaryFolder { folder in
            do { _ = try PendingFile(.text, path: folder + "/a", replaces: false, database: nil) }
            #expect(try names(folder) == [])
            do {
                let shared = try PendingFolder(in: folder)
                let files = try ["a", "b"].map { name in
                    try PendingFile(.text, path: folder + "/" + name, replaces: false, database: nil, in: shared)
                }
                try PendingFile.finish(files)
            }
            #expect(try names(folder) == ["a", "b"])
        }
    }

    /// A link that somebody has put in the place of a file is neither followed nor replaced.
    @Test(arguments: [true, false]) func aLinkInThePlaceIsRefused(_ replaces: Bool) throws {
        try withTemporaryFolder { folder in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/victim"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/new", withDestinationPath: folder + "/victim")
            #expect(throws: FHIRStoreError.self) {
                try PendingFile(.text, path: folder + "/new", replaces: replaces, database: nil)
            }
            #expect(try String(contentsOfFile: folder + "/victim", encoding: .utf8) == "mine")
            #expect(try names(folder) == ["new", "victim"])
        }
    }

    /// What was there with a wide mode is replaced, and not written to.
    @Test func aReplacedFileLosesItsMode() throws {
        try withTemporaryFolder { folder in
            try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/new"))
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder + "/new")
            let held = try #require(FileHandle(forReadingAtPath: folder + "/new"))
            let file = try PendingFile(.text, path: folder + "/new", replaces: true, database: nil)
            let descriptor = try file.open()
            #expect(Foundation.write(descriptor, "new", 3) == 3)
            close(descriptor)
            try file.finish()
            #expect(try mode(folder + "/new") == 0o600)
            #expect(try held.readToEnd() == Data("old".utf8))
        }
    }

    /// The files of a database, whether they are there or not, and hard links to them.
    @Test func partsOfADatabaseAreNoTargets() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            try FileManager.default.linkItem(atPath: path, toPath: folder + "/hard")
            try FileManager.default.linkItem(atPath: path + "-wal", toPath: folder + "/hard-log")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link.sqlite", withDestinationPath: path)
            try FileManager.default.createSymbolicLink(atPath: folder + "/way", withDestinationPath: folder)
            let targets =
                ["", "-wal", "-shm", "-journal"].map { path + $0 }
                + ["hard", "hard-log", "way/store.sqlite", "way/store.sqlite-journal", "link.sqlite-wal"].map { folder + "/" + $0 }
            let before = try names(folder)
            for target in targets {
                for replaces in [true, false] {
                    let error = #expect(throws: FHIRStoreError.self, "\(target)") {
                        try store.backup(to: URL(fileURLWithPath: target), replacing: replaces)
                    }
                    let isThere = FileManager.default.fileExists(atPath: target)
                    #expect(error?.code == (isThere && !replaces ? .alreadyExists : .invalidArgument), "\(target)")
                }
                #expect(throws: FHIRStoreError.self, "\(target)") {
                    try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: target), release: .r4)
                }
            }
            #expect(try names(folder) == before)
            try expectSound(store)
            #expect(try store.count(Patient.self) == 1)
        }
    }

    /// Nor is what another database would take for its log.
    @Test func partsOfAnotherDatabaseAreNoTargets() throws {
        try withTemporaryFolder { folder in
            for name in ["store", "other"] { _ = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4) }
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            for suffix in ["-wal", "-shm", "-journal"] {
                let error = #expect(throws: FHIRStoreError.self) {
                    try store.backup(to: URL(fileURLWithPath: folder + "/other.sqlite" + suffix))
                }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    /// A lock tells what a killed process left from what another uses.
    @Test func whatAKillLeftIsSwept() throws {
        try withTemporaryFolder { folder in
            let used = try PendingFolder(in: folder)
            let left = folder + "/.firelite-00000000-0000-0000-0000-000000000000.partial"
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
            for name in [".firelite-lock", "Patient.ndjson", "store.sqlite-wal"] {
                try Data("x".utf8).write(to: URL(fileURLWithPath: left + "/" + name))
            }
            // Neither is what only looks like it.
            try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/.firelite-file.partial"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/.firelite-link.partial", withDestinationPath: left)
            PendingFolder.sweep(folder)
            #expect(!FileManager.default.fileExists(atPath: left))
            let kept = [".firelite-file.partial", ".firelite-link.partial", URL(fileURLWithPath: used.path).lastPathComponent]
            #expect(try names(folder) == kept.sorted())
            withExtendedLifetime(used) {}
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a file away")) func anEmptyFileOfAnotherUserIsNoNewStore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(chown(path, 65534, 65534) == 0)
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
            #expect(error?.code == .cannotOpen && error?.message.contains("another user") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
        }
    }
}
