import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// One wrong number in the header of a file costs no resource.
@Suite(.timeLimit(.minutes(30))) struct DamagedHeaderTests {
    private static let count = 12
    /// Numbers that SQLite refuses a file for, or reads its pages with.
    private static let decisive: [Int] = [16, 17, 18, 19, 21, 22, 23, 44, 45, 46, 47, 56, 57, 58, 59, 68, 69, 70, 71]

    /// A closed store with some patients, and a change log.
    private func store(_ folder: String, isChecked: Bool, isTracked: Bool = true) throws -> String {
        let path = folder + "/store.sqlite"
        var configuration = FHIRStore.Configuration()
        configuration.checksPages = isChecked
        let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
        if isTracked { try store.track(.changes) }
        let long = String(repeating: "a name that needs more than a page ", count: 300)
        try store.write { tx in
            for number in 1...Self.count {
                try tx.add(
                    Patient {
                        $0.id = "p\(number)"
                        $0.name = [HumanName { $0.family = number == 1 ? long : "Family \(number)" }]
                    })
            }
        }
        try store.checkpoint(.truncate)
        try store.close()
        return path
    }

    private func recover(_ path: String) throws -> RecoveryReport {
        let new = URL(fileURLWithPath: path + ".new")
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: new.path + suffix) {
            try FileManager.default.removeItem(atPath: new.path + suffix)
        }
        return try FHIRStore.recover(from: URL(fileURLWithPath: path), to: new, release: .r4)
    }

    private func flip(_ original: Data, _ byte: Int, _ bits: UInt8, _ path: String) throws {
        var bytes = original
        bytes[byte] ^= bits
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: [true, false], [UInt8(0x01), 0x08, 0x40])
    func aFlippedBitOfTheHeaderLosesNothing(_ isChecked: Bool, _ bits: UInt8) throws {
        try withTemporaryFolder { folder in
            let path = try store(folder, isChecked: isChecked)
            let original = try Data(contentsOf: URL(fileURLWithPath: path))
            for byte in 16...99 {
                try flip(original, byte, bits, path)
                let report = try recover(path)
                #expect(report.recovered == Self.count && report.lost.isEmpty, "byte \(byte): \(report.lost.map(\.reason))")
                #expect(!report.isComplete || !isChecked, "byte \(byte)")
                if Self.decisive.contains(byte) {
                    #expect(report.unreadable.contains { $0.contains("header") }, "byte \(byte): \(report.unreadable)")
                }
            }
            let new = try FHIRStore(path: path + ".new", release: .r4)
            #expect(try new.count(Patient.self) == Self.count && new.check().isEmpty)
        }
    }

    /// Every wrong format leads to the format that the tables show.
    @Test(arguments: [true, false], [true, false]) func aDamagedFormatLosesNothing(_ isChecked: Bool, _ isTracked: Bool) throws {
        try withTemporaryFolder { folder in
            let path = try store(folder, isChecked: isChecked, isTracked: isTracked)
            let original = try Data(contentsOf: URL(fileURLWithPath: path))
            for (byte, bit) in [(63, 0), (63, 1), (63, 2), (63, 3), (63, 7), (62, 0), (60, 7)] {
                try flip(original, byte, 1 << UInt8(bit), path)
                let report = try recover(path)
                #expect(report.recovered == Self.count && report.lost.isEmpty, "byte \(byte), bit \(bit)")
                #expect(report.unreadable.contains { $0.contains("(bytes 60 to 63)") }, "byte \(byte), bit \(bit): \(report.unreadable)")
                #expect(!report.unreadable.contains { $0.hasPrefix("_change") }, "byte \(byte), bit \(bit): \(report.unreadable)")
            }
        }
    }

    /// A number that was written with its page is what a later version has written.
    @Test func aNewerFormatIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = try store(folder, isChecked: true)
            try Connection(path: path, createsFile: false).execute("PRAGMA user_version = 11" as StaticString)
            let error = #expect(throws: FHIRStoreError.self) { try recover(path) }
            #expect(error?.code == .newerFormat && error?.message.contains("has format 11") == true)
        }
        try withTemporaryFolder { folder in
            let path = try store(folder, isChecked: false)
            try Connection(path: path, createsFile: false)
                .execute("PRAGMA user_version = 11; ALTER TABLE Patient ADD COLUMN unheard TEXT" as StaticString)
            let error = #expect(throws: FHIRStoreError.self) { try recover(path) }
            #expect(error?.code == .newerFormat)
        }
    }

    /// The mark of a database that is no store, with the right checksum.
    @Test func anotherMarkIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = try store(folder, isChecked: true)
            try Connection(path: path, createsFile: false).execute("PRAGMA application_id = 7" as StaticString)
            let error = #expect(throws: FHIRStoreError.self) { try recover(path) }
            #expect(error?.code == .notAStore)
        }
    }
}
