import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite

/// Files of other versions: of an older model they gain what is new, of a newer one they are refused, and upgrades are whole or nothing.
@Suite struct VersionTests {
    private struct Broken: Error {}

    private func withFile(changedBy sql: String = "", _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in
                    try tx.add(
                        Patient {
                            $0.id = "1"
                            $0.name = [HumanName { $0.family = "Old" }]
                        })
                }
            }
            do {
                let connection = try Connection(path: path)
                try connection.execute(sql + ";PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try body(path)
        }
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func expectRefusal(_ path: String, says words: String) throws {
        let before = try bytes(path)
        let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains(words) == true)
        #expect(try bytes(path) == before)
    }

    // MARK: - Models

    @Test func theFileSaysWhichModelMadeItGrow() throws {
        try withFile { path in
            let connection = try Connection(path: path)
            let model = try connection.text("SELECT value FROM _meta WHERE key = 'model'")
            #expect(model == FHIRRelease.r4.fingerprint && model?.utf8.count == 16)
        }
    }

    /// A file that an older model wrote has no columns and tables for elements that came later, and says another fingerprint.
    @Test func aFileOfAnOlderModelGainsElements() throws {
        try withFile(changedBy: "UPDATE _meta SET value = '0123456789abcdef' WHERE key = 'model'") { path in
            let store = try FHIRStore(path: path, release: .r4)
            let connection = try Connection(path: path)
            func columns(_ table: String) throws -> String? {
                let statement = try connection.prepare("PRAGMA table_info(\"\(table)\")")
                var names: [String] = []
                while try statement.step() { names.append(statement.text(1) ?? "") }
                return names.isEmpty ? nil : names.joined(separator: ",")
            }
            #expect(try columns("Patient_name") == "_k,_parent,_ord,family")
            #expect(try columns("Patient_telecom") == nil)
            let patient = try #require(try store.resource(Patient.self, id: "1"))
            #expect(patient.name[0].family == "Old" && patient.telecom.isEmpty)
            try store.write { _ in
                patient.name[0].text = "New"
                patient.telecom = [ContactPoint { $0.value = "123" }]
                patient.multipleBirthInteger = 2
            }
            #expect(try columns("Patient_name") == "_k,_parent,_ord,family,text")
            #expect(try columns("Patient_telecom") == "_k,_parent,_ord,value")
            #expect(try connection.text("SELECT value FROM _meta WHERE key = 'model'") == FHIRRelease.r4.fingerprint)
            #expect(try store.resource(Patient.self, id: "1") == patient)
            try expectSound(store)
        }
    }

    @Test func aFileWithAnUnknownElementIsRefused() throws {
        try withFile(changedBy: "ALTER TABLE Patient_name ADD COLUMN future TEXT; UPDATE Patient_name SET future = 'x'") { path in
            try expectRefusal(path, says: "Patient_name has a column")
        }
    }

    @Test func aFileWithAnUnknownListIsRefused() throws {
        let sql = """
            CREATE TABLE Patient_future(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, value TEXT);
            INSERT INTO Patient_future VALUES (16777218, 0, 0, 'x'); UPDATE _shape SET tables = tables || ' Patient_future'
            """
        try withFile(changedBy: sql) { path in try expectRefusal(path, says: "has the table Patient_future") }
    }

    @Test func aFileWithAnUnknownTypeIsRefused() throws {
        let sql = """
            CREATE TABLE FutureType(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, id TEXT);
            INSERT INTO FutureType VALUES (2 << 24, NULL, NULL, 'x'); INSERT INTO _shape(type, tables) VALUES ('FutureType', 'FutureType');
            INSERT INTO _resource SELECT 2, max(shape), 1, 0, 1, x'00', NULL FROM _shape
            """
        try withFile(changedBy: sql) { path in try expectRefusal(path, says: "has the table FutureType") }
    }

    /// A newer program may make the file grow while this one has it open: nothing of what it wrote is changed or lost.
    @Test func nothingOfANewerModelThatWritesMeanwhileIsLost() throws {
        try withFile { path in
            let store = try FHIRStore(path: path, release: .r4)
            let connection = try Connection(path: path)
            try connection.execute(
                """
                CREATE TABLE Patient_future(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, value TEXT);
                INSERT INTO Patient_future VALUES (16777218, 0, 0, 'x');
                INSERT INTO _shape(type, tables) SELECT type, tables || ' Patient_future' FROM _shape;
                UPDATE _resource SET shape = (SELECT max(shape) FROM _shape), digest = zeroblob(16), nodes = 3
                """)
            func expectRefused(_ body: () throws -> Void) {
                let error = #expect(throws: FHIRStoreError.self) { try body() }
                #expect(error?.code == .newerFormat)
            }
            expectRefused { _ = try store.resource(Patient.self, id: "1") }
            expectRefused { try store.write { tx in _ = try tx.upsert(Patient { $0.id = "1" }) } }
            expectRefused { try store.write { tx in _ = try tx.delete(Patient.self, id: "1") } }
            #expect(try connection.integer("SELECT count(*) FROM Patient_future") == 1)
            #expect(try connection.text("SELECT family FROM Patient_name") == "Old")
            // Resources that have nothing of it go on.
            try store.write { tx in try tx.upsert(Patient { $0.id = "2" }) }
            #expect(try store.resource(Patient.self, id: "2") != nil)
        }
    }

    // MARK: - Formats

    private func open(_ path: String, _ upgrades: [FormatUpgrade]) throws {
        var opener = StoreOpener(path: path, release: .r4, configuration: FHIRStore.Configuration())
        opener.upgrades = upgrades
        _ = try opener.open()
    }

    private let addsColumn = FormatUpgrade(from: StoreOpener.format) { connection, _ in
        try connection.execute("ALTER TABLE _shape ADD COLUMN note TEXT; UPDATE _shape SET note = type")
    }

    @Test func upgradesRunInTheirOrder() throws {
        try withFile { path in
            let second = FormatUpgrade(from: StoreOpener.format + 1) { connection, _ in
                try connection.execute("UPDATE _shape SET note = note || '2'")
            }
            try open(path, [addsColumn, second])
            let connection = try Connection(path: path)
            #expect(try connection.integer("PRAGMA user_version") == StoreOpener.format + 2)
            #expect(try connection.text("SELECT note FROM _shape") == "Patient2")
            // Once is enough.
            try open(path, [addsColumn, second])
            #expect(try connection.text("SELECT note FROM _shape") == "Patient2")
            // And the file is too new for a library without them.
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: .r4) }
            #expect(error?.code == .newerFormat)
        }
    }

    @Test func anUpgradeThatFailsMidwayLeavesTheFileAsItWas() throws {
        try withFile { path in
            let before = try bytes(path)
            let fails = FormatUpgrade(from: StoreOpener.format + 1) { connection, _ in
                try connection.execute("DELETE FROM _resource")
                throw Broken()
            }
            #expect(throws: Broken.self) { try open(path, [addsColumn, fails]) }
            #expect(try bytes(path) == before)
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.resource(Patient.self, id: "1")?.name[0].family == "Old")
            try expectSound(store)
        }
    }
}
