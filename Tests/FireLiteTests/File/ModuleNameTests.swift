import FireLiteCore
import Foundation
import TestSupport
import Testing

@testable import FireLite

struct ModuleNameTests {
    /// Every module of the sources is known by name, and its tables by theirs.
    @Test func theModulesOfTheLibraryAreKnownByTheirTables() throws {
        let sources = PackageFolder.url.appendingPathComponent("Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        var tables: Set<String> = []
        for file in files {
            let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            guard text.contains("ModuleTables(") else { continue }
            for match in text.matches(of: /ModuleTable\(\s*"(_[a-z_]+)"/) { tables.insert(String(match.1)) }
        }
        #expect(tables.count > 25)
        #expect(Set(ModuleRecord.modules(of: tables.sorted()).flatMap(\.tables)) == tables)
        let known = ModuleRecord.modules(of: ["_replica_seq", "_", "__x", "_record", "_record_key"])
        #expect(known.map(\.module) == ["record"] && known.map(\.tables) == [["_record", "_record_key"]])
    }
}
