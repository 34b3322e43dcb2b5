import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// The number by which SQLite notices changes to the catalog, bytes 40 to 43 of a file (<https://www.sqlite.org/fileformat2.html#schema_cookie>),
/// may be any: none of them stands for "not read yet".
@Suite struct SchemaCookieTests {
    @Test(arguments: [0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFD, 0, 1, 0x7FFF_FFFF, 0x8000_0000] as [UInt32])
    func whateverTheCookieIsTheStoreHasItsTables(_ cookie: UInt32) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try CraftedFiles.make(path, hasIndexes: true) { _ in }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 40)
        try file.write(contentsOf: Data((0..<4).map { UInt8(truncatingIfNeeded: cookie >> (24 - 8 * $0)) }))
        try file.close()
        #expect(try Connection(path: path, pageChecksums: .ignored).integer("PRAGMA schema_version") == Int64(Int32(bitPattern: cookie)))

        for access in [FHIRStore.Configuration.Access.readOnly, .readWrite] {
            var configuration = FHIRStore.Configuration()
            configuration.access = access
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            #expect(try store.counts().map(\.count) == [6, 6, 6])
            #expect(try store.resource(Patient.self, id: "p1") != nil)
            #expect(try store.query(Patient.self).where { $0.name.family == "Family 1" }.count() == 1)
            if Library.hasFullText { #expect(try store.query(Patient.self).matching("family").count() == 6) }
            #expect(try store.check() == [])
        }
        let store = try FHIRStore(path: path, release: .r4)
        // The count goes on, over the highest number too.
        try store.write { tx in
            for type in ["Group", "Basic", "Device"] {
                try tx.add(try #require(FHIRRelease.r4.resourceLayout(named: type)?.makeObject() as? FHIRResource))
            }
            _ = try tx.upsert(Patient { $0.id = "p1" })
        }
        #expect(try store.counts().map(\.count) == [1, 1, 1, 6, 6, 6])
        let output = try store.export(to: URL(fileURLWithPath: folder.file("out")))
        #expect(output.exported == 21)
    }

    /// A store whose catalog has been lost is not a new file, and nothing is created in it.
    @Test func aStoreWithAnEmptyCatalogIsNoNewFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try CraftedFiles.make(path) { _ in }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The number of cells of the first page (https://www.sqlite.org/fileformat2.html#b_tree_pages): it becomes an empty leaf.
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data([13, 0, 0, 0, 0]))
        try file.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for mustExist in [true, false] {
            var configuration = FHIRStore.Configuration()
            configuration.mustExist = mustExist
            #expect { try FHIRStore(path: path, release: .r4, configuration: configuration) } throws: { error in
                (error as? FHIRStoreError)?.code == .notAStore
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
