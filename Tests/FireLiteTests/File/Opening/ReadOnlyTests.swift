import FireLiteR4
import Foundation
import Testing

@testable import FireLite

/// Stores that are only read, in places where nothing may be written.
@Suite struct ReadOnlyTests {
    private func configuration(_ access: FHIRStore.Configuration.Access) -> FHIRStore.Configuration {
        var configuration = FHIRStore.Configuration()
        configuration.access = access
        return configuration
    }

    private func fill(_ path: String) throws {
        let store = try FHIRStore(path: path, release: .r4)
        try store.write { tx in try tx.upsert((1...20).map { index in Patient { $0.id = "\(index)" } }) }
    }

    private func files(_ folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return files
    }

    /// Root may write whatever the mode says, so the store is used by a child without root's rights.
    @Test(arguments: [(0o444, 0o555), (0o444, 0o777), (0o644, 0o555)])
    func aStoreThatMayNotBeWrittenIsRead(_ file: Int, _ folderMode: Int) throws {
        try withTemporaryFolder { folder in
            let (place, output) = (folder + "/place", folder + "/output")
            for path in [place, output] { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
            try fill(place + "/store.sqlite")
            let before = try files(place)
            try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: place + "/store.sqlite")
            try FileManager.default.setAttributes([.posixPermissions: folderMode], ofItemAtPath: place)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: output)
            let (words, status) = try ChildProgram.run(["reads", place + "/store.sqlite", output])
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
            #expect(status == 0)
            #expect(
                words
                    == "readOnly 20 1 true 0, readOnly, 20, immutable 20 1 true 0, readOnly, 20, recovered 20 true")
            #expect(try files(place) == before)
        }
    }

    /// A log beside a file that cannot be read with it is never passed over.
    @Test(arguments: [(0o444, 0o555), (0o444, 0o777)])
    func aLogThatCannotBeReadIsSaid(_ file: Int, _ folderMode: Int) throws {
        try withTemporaryFolder { folder in
            let (place, path) = (folder + "/place", folder + "/store.sqlite")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { $0.id = "in the log" }) }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: place + "/store.sqlite" + suffix)
                try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: place + "/store.sqlite" + suffix)
            }
            try FileManager.default.setAttributes([.posixPermissions: folderMode], ofItemAtPath: place)
            let (words, status) = try ChildProgram.run(["reads", place + "/store.sqlite", folder])
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
            #expect(status == 0)
            #expect(words.hasPrefix("readOnly ") && words.contains("store.sqlite-wal") && words.contains("copy both"), "\(words)")
        }
    }

    @Test func anImmutableStoreHasNoLog() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store?#%.sqlite"
            let writing = try FHIRStore(path: path, release: .r4)
            try writing.write { tx in try tx.add(Patient { $0.id = "1" }) }
            let error = try #require(throws: FHIRStoreError.self) {
                try FHIRStore(path: path, release: .r4, configuration: configuration(.readOnlyImmutable))
            }
            #expect(error.code == .readOnly && error.message.contains("-wal"))
            try writing.checkpoint(.truncate)
            let reading = try FHIRStore(path: path, release: .r4, configuration: configuration(.readOnlyImmutable))
            #expect(try reading.resource(Patient.self, id: "1") != nil)
        }
    }

    @Test func readingLeavesTheFilesAsTheyAre() throws {
        try withTemporaryFolder { folder in
            let (path, copy) = (folder + "/store.sqlite", folder + "/copy")
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            // With commits in its log, and without shared memory.
            for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + "/store.sqlite" + suffix) }
            let before = try files(copy)
            do {
                let reading = try FHIRStore(path: copy + "/store.sqlite", release: .r4, configuration: configuration(.readOnly))
                #expect(try reading.count(Patient.self) == 1)
                #expect(try reading.check().isEmpty)
            }
            let after = try files(copy)
            #expect(after["store.sqlite"] == before["store.sqlite"] && after["store.sqlite-wal"] == before["store.sqlite-wal"])
            // And without a log nothing is left beside it.
            try FileManager.default.removeItem(atPath: copy)
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            try fill(copy + "/store.sqlite")
            do {
                let reading = try FHIRStore(path: copy + "/store.sqlite", release: .r4, configuration: configuration(.readOnly))
                #expect(try reading.count(Patient.self) == 20)
            }
            #expect(try files(copy).keys.sorted() == ["store.sqlite"])
        }
    }

    @Test func whatWouldWriteIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(path)
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration(.readOnly))
            let attempts: [(String, () throws -> Void)] = [
                ("write", { try store.write { tx in try tx.add(Patient { _ in }) } }),
                ("vacuum", { try store.vacuum() }), ("checkpoint", { try store.checkpoint() }), ("optimize", { try store.optimize() }),
                ("rekey", { try store.rekey(to: Secret([1])) }),
            ]
            for (name, attempt) in attempts {
                let error = #expect(throws: FHIRStoreError.self, "\(name)") { try attempt() }
                #expect(error?.code == .readOnly && error?.message.contains("readWrite") == true, "\(name)")
            }
            #expect(try store.count(Patient.self) == 20)
        }
    }

    /// Readers see what another store commits, as those of a store for writing do.
    @Test func othersMayWrite() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(path)
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration(.readOnly))
            #expect(try store.count(Patient.self) == 20)
            let other = try FHIRStore(path: path, release: .r4)
            try store.read { tx in
                try other.write { tx in try tx.add(Patient { $0.id = "new" }) }
                #expect(try tx.count(Patient.self) == 20 || tx.count(Patient.self) == 21)
            }
            #expect(try store.count(Patient.self) == 21)
        }
    }

    @Test(arguments: [FHIRStore.Configuration.Access.readWrite, .readOnly, .readOnlyImmutable])
    func whatMustExistIsNotMade(_ access: FHIRStore.Configuration.Access) throws {
        try withTemporaryFolder { folder in
            var configuration = configuration(access)
            configuration.mustExist = true
            let error = #expect(throws: FHIRStoreError.self) {
                try FHIRStore(path: folder + "/absent.sqlite", release: .r4, configuration: configuration)
            }
            #expect(error?.code == .cannotOpen && error?.message.contains("no such database") == true)
            try Data().write(to: URL(fileURLWithPath: folder + "/empty.sqlite"))
            let onEmpty = #expect(throws: FHIRStoreError.self) {
                try FHIRStore(path: folder + "/empty.sqlite", release: .r4, configuration: configuration)
            }
            #expect(onEmpty?.code == .notAStore)
            #expect(try files(folder) == ["empty.sqlite": Data()])
        }
    }

    /// What is read without locks tells of a change by its time, its size or its log.
    @Test func aChangeOfAFileThatIsReadWithoutLocksIsNoticed() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(path)
            let still = StillFile(path: path, location: path)
            #expect(!still.hasChanged)
            try still.verify()
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(Patient { _ in }) }
            #expect(still.hasChanged)
            #expect(throws: FHIRStoreError.self) { try still.verify() }
            let later = StillFile(path: path, location: path)
            try store.checkpoint(.truncate)
            #expect(later.hasChanged)
        }
    }
}
