import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// The tables of a file whose types were not used since it was opened.
@Suite struct UnusedTypeTests {
    private static let types = ["Patient", "Observation", "Questionnaire", "Bundle", "ValueSet", "Claim", "Medication", "PlanDefinition"]

    /// Runs `body` with a file of random resources of several types.
    private func withFile(_ seed: UInt64, _ body: (_ path: String, _ resources: [FHIRResource]) throws -> Void) throws {
        try withTemporaryFolder { folder in
            var random = RandomInstance(seed: seed)
            var resources: [FHIRResource] = []
            for (number, type) in (Self.types + Self.types).enumerated() {
                let layout = try #require(FHIRRelease.r4.resourceLayout(named: type))
                let resource = try #require(random.object(of: layout) as? FHIRResource)
                resource.id = "r\(number)"
                resources.append(resource)
            }
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in for resource in resources { try tx.upsert(resource.copy()) } }
            }
            try body(path, resources)
        }
    }

    @Test func everyTableIsThereWithAllItsColumns() throws {
        try withEvery(Effort.seeds(3)) { seed in
            try withFile(seed) { path, _ in
                let tables = try FHIRStore(path: path, release: .r4).statistics().tables
                let connection = try Connection(path: path)
                let names = try connection.prepare(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name")
                var expected: [String: Int] = [:]
                while try names.step() {
                    let name = names.text(0) ?? ""
                    // Not the pragma as a table, which SQLCipher 3 does not have.
                    let columns = try connection.prepare("PRAGMA table_info(\(quoted(name)))")
                    var count = 0
                    while try columns.step() { count += 1 }
                    expected[name] = count - RowColumns.fixedColumns
                }
                try #require(expected.count > 50)
                try #require(Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.columns) }) == expected)
            }
        }
    }

    @Test func theOrderInWhichTypesAreUsedChangesNothing() throws {
        try withEvery(Effort.seeds(5)) { seed in
            try withFile(seed) { path, resources in
                var generator = SeededGenerator(seed: seed)
                let store = try FHIRStore(path: path, release: .r4)
                for resource in resources.shuffled(using: &generator) {
                    let stored = try #require(try store.resource(typeName: resource.resourceType, id: resource.id ?? ""))
                    try #require(stored == resource)
                }
                // The writing connection has not used any of them yet.
                let result = try store.write { tx in try tx.upsert(resources.shuffled(using: &generator).map { $0.copy() }) }
                try #require(result.unchanged == resources.count)
                try #require(try store.check().isEmpty)
                try #require(try store.counts().reduce(0) { $0 + $1.count } == resources.count)
            }
        }
    }

    /// An element that has no column, as all of its content is in a table of its own, is found as if it had one.
    @Test func anElementWithoutColumnsIsThere() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let married = Patient {
                $0.id = "married"
                $0.maritalStatus = CodeableConcept { $0.coding = [Coding { $0.code = "M" }] }
            }
            let other = Patient { $0.id = "other" }
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.upsert([married, other]) }
            }
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.query(Patient.self).where { !$0.maritalStatus.isNil }.ids() == ["married"])
        }
    }

    // MARK: - Definitions

    /// A name of a table and one of a column, most of them paths of the release.
    private static func names(_ random: inout SeededGenerator) -> (table: String, column: String) {
        let names = FHIRRelease.r4.resourceTypeNames
        var table = random.pick(names)
        var layout = FHIRRelease.r4.resourceLayout(named: table)
        func step(_ wantsList: Bool) -> String? {
            guard let known = layout, !known.elements.isEmpty else { return nil }
            let some = known.elements.filter { wantsList ? $0.isList : !$0.isList }
            let element = random.pick(some.isEmpty || random.percent(10) ? known.elements : some)
            layout = element.layout ?? FHIRRelease.r4.elementLayout
            return element.name
        }
        for _ in 0..<random.int(0...4) { if let name = step(random.percent(60)) { table += "_" + name } }
        var column = step(false) ?? "x"
        for _ in 0..<random.int(0...3) { if let name = step(false) { column += "_" + name } }
        let endings = ["", "", "", "", "_offset", "_literal", "__pk", "_pk", "_", "x"]
        column += random.pick(endings)
        if random.percent(10) { column = random.pick(["_member", "_pk", "value", "value_offset", "value_literal", "value_x", "id"]) }
        if random.percent(5) { table += random.pick(["_", "x", "_nothing"]) }
        return (table, column)
    }

    private struct Outcome: Equatable {
        var unknown: [String] = []
        var columns: [String: [String]] = [:]
        var code: FHIRStoreError.Code?
    }

    private static func outcome(of connection: Connection, using typesBefore: [String]) throws -> Outcome {
        var outcome = Outcome()
        let schema = try StorageSchema(release: .r4)
        for name in typesBefore { if let layout = FHIRRelease.r4.resourceLayout(named: name) { _ = schema.table(of: layout) } }
        do {
            try schema.refresh(connection)
            outcome.unknown = schema.unknownTables
            for table in schema.storedTables {
                outcome.columns[table.name] = table.columns.prefix(table.fileColumns).map(\.name)
            }
        } catch let error as FHIRStoreError {
            outcome.code = error.code
        }
        return outcome
    }

    /// Checking a definition accepts and refuses what making plans of it does.
    @Test func definitionsMeanTheSameBeforeAndAfterTheFirstUse() throws {
        var (accepted, refused, unknown) = (0, 0, 0)
        try withEvery(Effort.seeds(3_000)) { seed in
            var random = SeededGenerator(seed: seed)
            let (table, column) = Self.names(&random)
            let connection = try Connection(path: ":memory:")
            let types = ["TEXT", "INTEGER", "REAL", "TEXT", "BLOB", "", "TEXT NOT NULL", "TEXT DEFAULT 'x'"]
            try connection.run(
                """
                CREATE TABLE \(quoted(table))(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \(quoted(column)) \(random.pick(types)))
                """)
            let unused = try Self.outcome(of: connection, using: [])
            let used = try Self.outcome(of: connection, using: [String(table.prefix { $0 != "_" })])
            try #require(unused == used, "\(table).\(column)")
            if unused.code != nil { refused += 1 } else if unused.unknown.isEmpty { accepted += 1 } else { unknown += 1 }
        }
        if !Effort.isReduced { #expect(accepted > 100 && refused > 100 && unknown > 200, "\(accepted), \(refused), \(unknown)") }
    }

    @Test func aCatalogIsKnownByItsText() throws {
        let connection = try Connection(path: ":memory:")
        let known = KnownCatalogs()
        func others() throws -> [String]? { known.content(of: try CatalogRows(connection), .r4)?.others }
        try connection.run("CREATE TABLE Patient(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \"id\" TEXT)")
        #expect(try others() == nil)
        var content = CatalogContent()
        content.others = ["first"]
        known.insert(content, of: try CatalogRows(connection), .r4)
        #expect(try others() == ["first"])
        // An index defines no table.
        try connection.run("CREATE INDEX Patient__id ON Patient(id)")
        #expect(try others() == ["first"])
        try connection.run("CREATE TABLE Patient_name(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER)")
        #expect(try others() == nil)
        try connection.run("DROP TABLE Patient_name")
        #expect(try others() == ["first"])
        try connection.run("ALTER TABLE Patient ADD COLUMN \"active\" INTEGER")
        #expect(try others() == nil)
    }

    @Test func theCatalogUsedLastIsKeptLongest() throws {
        let known = KnownCatalogs()
        var catalogs: [CatalogRows] = []
        for number in 0..<6 {
            let connection = try Connection(path: ":memory:")
            try connection.run("CREATE TABLE Patient(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, \"c\(number)\" TEXT)")
            catalogs.append(try CatalogRows(connection))
            known.insert(CatalogContent(), of: catalogs[number], .r4)
            #expect(known.content(of: catalogs[0], .r4) != nil)
        }
        let isKnown = catalogs.map { known.content(of: $0, .r4) != nil }
        #expect(isKnown == [true, false, false, true, true, true])
    }

    @Test(arguments: [
        ("ADD COLUMN unheard TEXT", FHIRStoreError.Code.newerFormat), ("ADD COLUMN \"period_unheard\" TEXT", .newerFormat),
        ("ADD COLUMN \"x\" TEXT DEFAULT 'x'", .notAStore),
    ])
    func aTypeThatIsNotUsedIsCheckedAsTheFileIsOpened(change: String, code: FHIRStoreError.Code) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.upsert(Patient { $0.name = [HumanName { $0.family = "Chalmers" }] }) }
            }
            try Connection(path: path).run("ALTER TABLE Patient_name \(change)")
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
            #expect(error?.code == code)
        }
    }
}
