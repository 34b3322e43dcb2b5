import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Every page of a store's file has a checksum, and what is not as it was written is an error wherever it is read.
@Suite(.enabled(if: Library.hasPageChecksums, "needs SQLite 3.32")) struct PageChecksumTests {
    private static let pageSize = 4_096

    private func fill(_ store: FHIRStore, _ count: Int = 300) throws {
        let text = String(repeating: "x", count: 400)
        try store.write { tx in
            try tx.upsert(
                (0..<count).map { number in
                    Patient {
                        $0.id = "\(number)"
                        $0.pk = "pk-of-\(number)"
                        $0.name = [HumanName { $0.family = "Family \(number)" }, HumanName { $0.text = text }]
                    }
                })
        }
    }

    private func withFile(_ count: Int = 300, _ body: (_ path: String, _ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.createIndex(Patient.self) { $0.name.family }
                try fill(store, count)
            }
            try body(path, folder)
        }
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func change(_ path: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try bytes(path)
        try change(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// How many pages have no checksum.
    private func unchecked(_ path: String) throws -> Int {
        let bytes = try bytes(path)
        #expect(bytes[20] == 8 && bytes.count % Self.pageSize == 0)
        return stride(from: Self.pageSize, through: bytes.count, by: Self.pageSize).count { bytes[($0 - 8)..<$0].allSatisfy { $0 == 0 } }
    }

    private func expectDamage(_ body: () throws -> Void) {
        let error = #expect(throws: FHIRStoreError.self) { try body() }
        #expect(
            error?.code == .notAStore && error?.message.contains("a page that does not match its checksum") == true,
            "\(error.map { "\($0)" } ?? "")")
    }

    @Test func everyPageOfEveryFileHasOne() throws {
        // More than the copy's cache holds, so that pages are written before the first one.
        try withFile(8_000) { path, folder in
            #expect(try unchecked(path) == 0)
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
                try store.write { tx in for number in 0..<4_000 { try tx.delete(Patient.self, id: "\(number)") } }
                try store.vacuum()
            }
            #expect(try unchecked(path) == 0)
            #expect(try unchecked(folder + "/copy.sqlite") == 0)
            try FHIRStore.recover(
                from: URL(fileURLWithPath: folder + "/copy.sqlite"), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
            #expect(try unchecked(folder + "/recovered.sqlite") == 0)
            for name in ["store", "copy", "recovered"] { try expectSound(FHIRStore(path: folder + "/\(name).sqlite", release: .r4)) }
        }
        try withTemporaryFolder { folder in
            let store = try FHIRStore.inMemory(release: .r4)
            try fill(store)
            try store.backup(to: URL(fileURLWithPath: folder + "/copy.sqlite"))
            #expect(try unchecked(folder + "/copy.sqlite") == 0)
            try expectSound(FHIRStore(path: folder + "/copy.sqlite", release: .r4))
        }
    }

    /// A bit in each page in turn, where nothing is kept or where something is, and in the checksum: whatever reads the page is refused.
    @Test(arguments: [1_000, 4_095]) func noPageIsReadThatHasChanged(_ place: Int) throws {
        try withFile(40) { path, folder in
            let pages = try bytes(path).count / Self.pageSize
            let contents = try snapshot(FHIRStore(path: path, release: .r4))
            for page in 0..<pages {
                let damaged = folder + "/\(page).sqlite"
                try FileManager.default.copyItem(atPath: path, toPath: damaged)
                try change(damaged) { $0[page * Self.pageSize + place] ^= 4 }
                var errors = 0
                func attempt(_ body: (FHIRStore) throws -> Bool) {
                    do {
                        #expect(try body(FHIRStore(path: damaged, release: .r4)), "page \(page)")
                    } catch let error as FHIRStoreError {
                        errors += 1
                        expectHelpful(error, path: damaged, codes: [.notAStore], "page \(page)")
                    } catch {
                        Issue.record(error)
                    }
                }
                attempt { try snapshot($0) == contents }
                attempt { try $0.count(Patient.self) == 40 }
                // By day a quarter of them, another one for each page.
                for number in Effort.isNightly ? stride(from: 0, to: 40, by: 1) : stride(from: page % 4, to: 40, by: 4) {
                    attempt { try $0.resource(Patient.self, id: "\(number)") != nil }
                    attempt { try $0.resource(Patient.self, pk: "pk-of-\(number)")?.id == "\(number)" }
                    attempt { try $0.query(Patient.self).where { $0.name.family == "Family \(number)" }.ids() == ["\(number)"] }
                    attempt { try $0.resource(Patient.self, id: "no \(number)") == nil }
                }
                // A page that nothing of this reads is noticed by the check.
                if errors == 0 { #expect(try FHIRStore(path: damaged, release: .r4).check().isEmpty == false, "page \(page)") }
                // Recovery does not mind.
                #expect(
                    try FHIRStore.recover(from: URL(fileURLWithPath: damaged), to: URL(fileURLWithPath: damaged + ".new"), release: .r4)
                        .recovered >= 38)
            }
        }
    }

    /// Of a disk that gives zeros for a page or its last sector, as of a page that no program has checksummed: the check and a recovery say so.
    @Test(arguments: [4_096, 512]) func aPageOverwrittenWithZerosIsSaid(_ count: Int) throws {
        try withFile(40) { path, folder in
            let pages = try bytes(path).count / Self.pageSize
            let contents = try snapshot(FHIRStore(path: path, release: .r4))
            for page in 0..<pages {
                let damaged = folder + "/\(page).sqlite"
                try FileManager.default.copyItem(atPath: path, toPath: damaged)
                try change(damaged) { bytes in
                    let end = (page + 1) * Self.pageSize
                    bytes.replaceSubrange(end - count..<end, with: repeatElement(0, count: count))
                }
                do {
                    let faults = try FHIRStore(path: damaged, release: .r4).check()
                    #expect(
                        faults.contains { $0.kind == .checksum && $0.text.hasPrefix("the page \(page + 1) has no checksum") },
                        "page \(page)")
                } catch let error as FHIRStoreError {
                    expectHelpful(error, path: damaged, codes: [.notAStore], "page \(page)")
                }
                do {
                    let new = damaged + ".new"
                    let report = try FHIRStore.recover(from: URL(fileURLWithPath: damaged), to: URL(fileURLWithPath: new), release: .r4)
                    // Indexes are made again.
                    let isSaid = report.unreadable.contains { $0.hasPrefix("the page \(page + 1) has no checksum") }
                    #expect(try isSaid || report.isComplete && snapshot(FHIRStore(path: new, release: .r4)) == contents, "page \(page)")
                } catch let error as FHIRStoreError {
                    #expect(page == 0)
                    expectHelpful(error, path: damaged, codes: [.notAStore], "page \(page)")
                }
            }
        }
    }

    /// SQLite does not write pages that became free before they were in the file: they have a checksum all the same.
    @Test func pagesThatWereNeverWrittenHaveOne() throws {
        try withTemporaryFolder { folder in
            for mode in ["WAL", "DELETE"] {
                let path = folder + "/\(mode).sqlite"
                do {
                    let connection = try Connection(path: path, pageChecksums: .verified, isHardened: false)
                    connection.reservePageChecksums()
                    // Pages that are freed are written where freed content is overwritten, which is Debian's default.
                    try connection.execute("PRAGMA secure_delete = OFF; PRAGMA journal_mode = \(mode)")
                    try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x)")
                    let rows = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT randomblob(3000) FROM n"
                    try connection.execute("BEGIN; INSERT INTO a \(rows); INSERT INTO b \(rows); INSERT INTO c \(rows)")
                    // Between others, and at the end of the file.
                    try connection.execute("DELETE FROM b; DELETE FROM c; COMMIT")
                    if mode == "WAL" { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
                }
                #expect(try unchecked(path) == 0)
                let connection = try Connection(path: path, pageChecksums: .verified, isHardened: false)
                try connection.execute("INSERT INTO b SELECT x FROM a")
                #expect(try connection.text("PRAGMA integrity_check") == "ok")
            }
        }
    }

    @Test func aFlippedBitOfAPKIsFound() throws {
        try withFile { path, _ in
            try change(path) { bytes in
                let pk = Array("pk-of-17".utf8)
                var places: [Int] = []
                for place in 0..<bytes.count - pk.count where bytes[place] == pk[0] && bytes[place..<place + pk.count].elementsEqual(pk) {
                    places.append(place)
                }
                #expect(places.count >= 2)
                for place in places { bytes[place + 7] ^= 1 }
            }
            let store = try FHIRStore(path: path, release: .r4)
            expectDamage { _ = try store.resource(Patient.self, pk: "pk-of-17") }
            expectDamage { _ = try store.resource(Patient.self, pk: "pk-of-16") }
            expectDamage { _ = try store.resource(Patient.self, id: "17") }
        }
    }

    @Test func aPageInThePlaceOfAnotherIsFound() throws {
        try withFile { path, _ in
            let leaves = try DatabasePages(path: path).leaves(of: "Patient_name")
            try #require(leaves.count > 2)
            try change(path) { bytes in
                let (from, to) = ((leaves[0].page - 1) * Self.pageSize, (leaves[1].page - 1) * Self.pageSize)
                bytes.replaceSubrange(to..<to + Self.pageSize, with: bytes[from..<from + Self.pageSize])
            }
            expectDamage { _ = try FHIRStore(path: path, release: .r4).query(Patient.self).all() }
        }
    }

    /// Every bit of the header, those too that say how long pages are and whether they have checksums.
    @Test func everyFlippedBitOfTheHeaderIsFound() throws {
        try withFile(5) { path, _ in
            let sound = try bytes(path)
            for bit in 0..<800 {
                var damaged = sound
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                try Data(damaged).write(to: URL(fileURLWithPath: path))
                let error = #expect(throws: FHIRStoreError.self, "bit \(bit)") { _ = try FHIRStore(path: path, release: .r4) }
                if let error { expectHelpful(error, path: path, codes: [.notAStore], "bit \(bit)") }
                #expect(try bytes(path) == damaged, "bit \(bit)")
            }
        }
    }

    /// Recovery finds the pages as they are though the header says that they are longer, also for a text that goes on on pages of its own.
    @Test func recoveryMendsTheHeader() throws {
        try withFile(20) { path, _ in
            let contents = try { () throws -> [String: String] in
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in
                    try tx.add(
                        Patient {
                            $0.id = "long"
                            $0.name = [HumanName { $0.text = String(repeating: "long", count: 10_000) }]
                        })
                }
                return try snapshot(store)
            }()
            try change(path) { $0[20] = 0 }
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: .r4)
            #expect(report.lost.isEmpty && report.unverified.isEmpty && report.unreadable.count == 1)
            #expect(try snapshot(FHIRStore(path: path + ".new", release: .r4)) == contents)
        }
    }

    @Test func theCheckListsWhatCannotBeRead() throws {
        try withFile { path, _ in
            var pages = try DatabasePages(path: path)
            try pages.damage(page: try pages.leaves(of: "Patient_name")[1].page)
            let faults = try FHIRStore(path: path, release: .r4).check().map(\.text)
            #expect(faults.contains { $0.hasPrefix("Patient_name: cannot be read") })
            #expect(faults.contains { $0.hasPrefix("the rows of the resource with number") })
        }
    }

    /// What a program that knows nothing of checksums has copied, from the file and its log, is read.
    @Test func copiesMadeByOtherProgramsAreRead() throws {
        try withFile { path, folder in
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in
                for number in 0..<100 {
                    let patient = try #require(try tx.resource(Patient.self, id: "\(number)"))
                    patient.name[1].text = "short"
                }
            }
            let contents = try snapshot(store)
            do {
                let other = try Connection(path: path, pageChecksums: .ignored, isHardened: false)
                try other.execute("VACUUM INTO '\(folder)/vacuumed.sqlite'")
                let backup = try Backup(
                    from: other, to: Connection(path: folder + "/copied.sqlite", pageChecksums: .ignored, isHardened: false))
                while try backup.step(pages: 10) {}
            }
            for name in ["vacuumed", "copied"] {
                let copy = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4)
                #expect(try snapshot(copy) == contents)
                // A copy of pages has checksums of those that were not in the log.
                #expect(try copy.check().map(\.kind) == (name == "copied" ? [.checksum] : []))
                // What is written gets checksums.
                try copy.write { tx in for number in 100..<200 { try tx.delete(Patient.self, id: "\(number)") } }
                try copy.checkpoint(.truncate)
                let store = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4)
                #expect(try store.check().map(\.kind) == [.checksum])
                try store.vacuum()
                try store.checkpoint(.truncate)
                try expectSound(store)
            }
        }
    }

    /// A program that knows nothing of checksums reads, and is the last to close the file, so that it moves the log into it.
    @Test func anotherProgramMayReadAndCloseLast() throws {
        try withFile { path, _ in
            var contents: [String: String] = [:]
            do {
                let other = try Connection(path: path, pageChecksums: .ignored, isHardened: false)
                #expect(try other.integer("SELECT count(*) FROM Patient") == 300)
                do {
                    let store = try FHIRStore(path: path, release: .r4)
                    try fill(store, 500)
                    contents = try snapshot(store)
                }
                #expect(try other.integer("SELECT count(*) FROM Patient WHERE id = '499'") == 1)
                #expect(try other.text("PRAGMA integrity_check") == "ok")
                #expect(FileManager.default.fileExists(atPath: path + "-wal"))
            }
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            // What it moved is not checked, the rest still is.
            let pages = try bytes(path).count / Self.pageSize
            #expect((1..<pages).contains(try unchecked(path)))
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try snapshot(store) == contents)
            #expect(try store.check().map(\.kind) == [.checksum])
            try store.vacuum()
            try store.checkpoint(.truncate)
            try expectSound(store)
            #expect(try unchecked(path) == 0)
        }
    }

    /// Lets a program that knows nothing of checksums write, but not to records.
    private func write(_ path: String) throws {
        let other = try Connection(path: path, pageChecksums: .ignored, isHardened: false)
        try other.execute("CREATE INDEX own ON Patient(id); CREATE VIEW families AS SELECT family FROM Patient_name; ANALYZE")
        // Every page of a table is written, with the values that it has.
        try other.execute("UPDATE Patient_name SET family = family || ''")
    }

    @Test func changesOfAnotherProgramAreRefusedRecoveredOrResealed() throws {
        try withFile { path, _ in
            let (contents, pk) = try { () throws -> ([String: String], String?) in
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.add(Patient { $0.id = "without a pk" }) }
                return (try snapshot(store), try store.resource(Patient.self, id: "without a pk")?.pk)
            }()
            try write(path)
            let error = #expect(throws: FHIRStoreError.self) { _ = try FHIRStore(path: path, release: .r4) }
            if let error { expectHelpful(error, path: path, codes: [.notAStore], "written by another program") }
            #expect(error?.message.contains("if another program wrote to the file, run `firelite reseal`") == true)
            #expect(error?.message.contains("`firelite recover`") == true)

            let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: .r4)
            #expect(report.recovered == 301 && report.lost.isEmpty && report.unverified.isEmpty)
            #expect(report.unreadable.count == 2 && report.unreadable.first?.contains("does not match its checksum") == true)
            #expect(report.unreadable.last?.contains(" no checksum") == true)
            let recovered = try FHIRStore(path: path + ".new", release: .r4)
            #expect(try snapshot(recovered) == contents)
            #expect(try recovered.resource(Patient.self, pk: "pk-of-7")?.id == "7")
            #expect(try recovered.resource(Patient.self, id: "without a pk")?.pk == pk)
            #expect(try recovered.indexes().count == 1)
            try expectSound(recovered)

            // The other way: believe the other program.
            var configuration = FHIRStore.Configuration()
            configuration.checksPages = false
            do {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                #expect(try snapshot(store) == contents)
                try store.vacuum()
            }
            #expect(try unchecked(path) == 0)
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try snapshot(store) == contents)
            try expectSound(store)
        }
    }

    /// Without checks a file is for other programs to write to as well.
    @Test func withoutChecksOthersMayWrite() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            var configuration = FHIRStore.Configuration()
            configuration.checksPages = false
            do {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                try fill(store)
                try write(path)
                try fill(store, 400)
                try store.backup(to: URL(fileURLWithPath: folder + "/backup.sqlite"))
                try expectSound(store)
            }
            try Connection(path: path, pageChecksums: .ignored, isHardened: false).execute("VACUUM")
            for name in ["store", "backup"] {
                #expect(try bytes(folder + "/\(name).sqlite")[20] == 0)
                // It is a matter of the file: who opens it with checks finds none to check.
                let store = try FHIRStore(path: folder + "/\(name).sqlite", release: .r4)
                #expect(try store.count(Patient.self) == 400)
                #expect(try store.sql("SELECT 1 FROM families").count == 800)
                try expectSound(store)
            }
        }
    }

    /// A file whose pages have no room for checksums, as other programs make them, is one like any other.
    @Test func aFileWithoutRoomForChecksumsIsUsable() throws {
        try withFile { path, folder in
            let store = try FHIRStore(path: path, release: .r4)
            let plain = folder + "/plain.sqlite"
            do {
                let connection = try Connection(path: plain, pageChecksums: .ignored, isHardened: false)
                try connection.execute("ATTACH '\(path)' AS source; PRAGMA application_id = \(0x4648_4952); PRAGMA user_version = 2")
                let tables = try connection.prepare("SELECT name, sql FROM source.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
                while try tables.step() {
                    let (name, sql) = (tables.text(0) ?? "", tables.text(1) ?? "")
                    try connection.execute(sql)
                    if sql.hasPrefix("CREATE TABLE") {
                        try connection.execute("INSERT INTO main.\"\(name)\" SELECT * FROM source.\"\(name)\"")
                    }
                }
                #expect(!connection.hasPageChecksums)
            }
            let copy = try FHIRStore(path: plain, release: .r4)
            #expect(try snapshot(copy) == snapshot(store))
            try fill(copy, 400)
            try copy.backup(to: URL(fileURLWithPath: folder + "/backup.sqlite"))
            try copy.vacuum()
            try expectSound(copy)
            #expect(try bytes(folder + "/backup.sqlite")[20] == 0)
            #expect(try FHIRStore(path: folder + "/backup.sqlite", release: .r4).count(Patient.self) == 400)
        }
    }

    /// A page without a checksum is looked through when it is read; of one with a checksum that tells.
    @Test func pagesWithoutChecksumsAreLookedThrough() throws {
        try withFile { path, _ in
            for checksPages in [true, false] {
                var configuration = FHIRStore.Configuration()
                configuration.checksPages = checksPages
                // The first one makes the file.
                for _ in 0..<2 {
                    let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                    let rows = try store.sql("SELECT * FROM pragma_cell_size_check")
                    #expect(rows[0][0] == .integer(checksPages ? 0 : 1))
                }
            }
        }
    }
}
