import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Stores that keep ids unique, and upserts that keep what is newer.
@Suite struct UpsertPolicyTests {
    private func patient(_ version: String?, _ updated: String?, _ family: String = "x", id: String = "1") -> Patient {
        Patient {
            $0.id = id
            $0.meta = Meta {
                $0.versionId = version
                $0.lastUpdated = updated.flatMap { FHIRInstant($0) }
            }
            $0.name = [HumanName { $0.family = family }]
        }
    }

    /// Version and moment of the stored resource and of the given one, and whether the given one is older.
    static let cases: [(stored: (String?, String?), given: (String?, String?), isOlder: Bool)] = [
        (("2", "2020-01-01T00:00:00Z"), ("1", "2019-12-31T23:59:59Z"), true),
        (("1", "2020-01-01T00:00:00Z"), ("2", "2019-12-31T23:59:59Z"), true),
        (("2", "2020-01-01T00:00:00Z"), ("1", "2020-01-01T00:00:00.001Z"), false),
        ((nil, "2020-01-01T00:00:00Z"), (nil, "2020-01-01T00:30:00+01:00"), true),
        ((nil, "2020-01-01T00:00:00.500Z"), ("1", "2020-01-01T00:00:00.5Z"), false),
        (("10", "2020-01-01T00:00:00Z"), ("9", "2020-01-01T01:00:00+01:00"), true),
        (("9", nil), ("10", nil), false), (("10", nil), ("9", nil), true), (("10", "2020-01-01T00:00:00Z"), ("9", nil), true),
        (("W/2", nil), ("W/1", nil), false), (("b", nil), ("1", nil), false), ((nil, nil), ("1", nil), false),
        (("1", nil), (nil, nil), false),
        (("18446744073709551615", nil), ("18446744073709551614", nil), true),
        ((nil, "2020-01-01T00:00:00.123456789Z"), (nil, "2020-01-01T00:00:00.12345678Z"), true),
    ]

    @Test(arguments: cases.indices) func anOlderResourceIsSkippedIfToldSo(number: Int) throws {
        let (stored, given, isOlder) = Self.cases[number]
        for isHeld in [false, true] {
            try withStore { store in
                let first = patient(stored.0, stored.1, "stored")
                try store.write { tx in try tx.add(first) }
                try store.write { tx in
                    if isHeld { _ = try tx.resource(Patient.self, id: "1") }
                    let result = try tx.upsert([patient(given.0, given.1, "given")], policy: .keepNewer)
                    #expect((result.skipped, result.updated, result.added, result.unchanged) == (isOlder ? 1 : 0, isOlder ? 0 : 1, 0, 0))
                    #expect(result[0].name[0].family == (isOlder ? "stored" : "given"))
                }
                #expect(try store.resource(Patient.self, id: "1")?.name[0].family == (isOlder ? "stored" : "given"))
                let result = try store.write { tx in try tx.upsert([patient(given.0, given.1, "replaced")]) }
                #expect(result.updated == 1 && result.skipped == 0)
            }
        }
    }

    @Test func theSameResourceIsUnchangedAndANewOneIsAdded() throws {
        try withStore { store in
            try store.write { tx in try tx.add(patient("2", nil)) }
            let result = try store.write { tx in
                try tx.upsert([patient("2", nil), patient("1", nil, id: "2"), Patient()], policy: .keepNewer)
            }
            #expect((result.unchanged, result.added, result.skipped) == (1, 2, 0))
        }
    }

    /// A new resource that waits to be written may need a column that the table does not have yet, while the stored one is read from it.
    @Test func aNewColumnDoesNotHideWhatIsNewer() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let first = try FHIRStore(path: path, release: .r4)
            try first.write { tx in try tx.add(patient("2", nil)) }
            try first.close()
            let store = try FHIRStore(path: path, release: .r4)
            let new = patient("1", nil, id: "2")
            new.active = true
            let result = try store.write { tx in try tx.upsert([new, patient("1", nil, "given")], policy: .keepNewer) }
            #expect((result.added, result.skipped) == (1, 1))
            #expect(try store.resource(Patient.self, id: "2")?.active == true)
            #expect(try store.resource(Patient.self, id: "1")?.name[0].family == "x")
            try expectSound(store)
        }
    }

    /// Of several with one id the newest counts, whatever the order, and the last of those that are as new.
    @Test func ofSeveralWithOneIDTheNewestCounts() throws {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<50 {
            try withStore { store in
                let versions = (0..<6).map { _ in Int.random(in: 1...4, using: &random) }
                let given = versions.enumerated().map { patient("\($1)", nil, "\($0)") }
                let newest = versions.max()!
                let expected = versions.lastIndex(of: newest)!
                try store.write { tx in
                    let result = try tx.upsert(given, policy: .keepNewer)
                    #expect(result.count == 6 && result.allSatisfy { $0.name[0].family == "\(expected)" })
                }
                #expect(try store.query(Patient.self).all().map { $0.name[0].family } == ["\(expected)"])
            }
        }
    }

    // MARK: - Unique ids

    private func withUniqueStore(_ body: (_ store: FHIRStore, _ path: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.uniqueIDs = true
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            try body(store, folder + "/store.sqlite")
            try expectSound(store)
        }
    }

    private func expectDuplicate(_ body: () throws -> Void) {
        let error = #expect(throws: FHIRStoreError.self) { try body() }
        #expect(error?.code == .duplicateID)
    }

    @Test func aSecondResourceWithAnIDIsRefused() throws {
        try withUniqueStore { store, path in
            try store.write { tx in try tx.add(patient(nil, nil)) }
            expectDuplicate { try store.write { tx in try tx.add(patient(nil, nil, "other")) } }
            expectDuplicate {
                try store.write { tx in
                    try tx.add(patient(nil, nil, id: "2"))
                    try tx.add(patient(nil, nil, id: "2"))
                }
            }
            // Another type, none, and one that is contained, are no second one.
            try store.write { tx in
                try tx.add(Observation { $0.id = "1" })
                try tx.add(Patient())
                try tx.add(Patient())
                try tx.add(Patient { $0.contained = [Patient { $0.id = "1" }] })
                try tx.upsert(patient(nil, nil, "changed"))
            }
            #expect(try store.count(Patient.self) == 4)
            try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".recovered"), release: .r4)
            let recovered = try FHIRStore(path: path + ".recovered", release: .r4)
            expectDuplicate { try recovered.write { tx in try tx.add(patient(nil, nil)) } }
            // Whoever opens the file.
            let other = try FHIRStore(path: path, release: .r4)
            expectDuplicate { try other.write { tx in try tx.add(patient(nil, nil)) } }
            try other.write { tx in
                try tx.delete(Patient.self, id: "1")
                try tx.add(patient(nil, nil))
            }
        }
    }

    @Test func settingAnIDThatIsTakenIsRefused() throws {
        try withUniqueStore { store, _ in
            let (first, second) = (patient(nil, nil, id: "1"), patient(nil, nil, id: "2"))
            try store.write { tx in try tx.upsert([first, second]) }
            expectDuplicate { try store.write { _ in second.id = "1" } }
            #expect(second.id == "2")
            try store.write { _ in second.id = "3" }
            try store.write { tx in
                second.id = "2"
                try tx.saveChanges()
                second.name[0].family = "same id"
            }
            #expect(try store.query(Patient.self).ids() == ["1", "2"])
        }
    }

    @Test func aFileWithTwoOfOneIDCannotPromiseIt() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            var configuration = FHIRStore.Configuration()
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in
                    try tx.add(patient(nil, nil))
                    try tx.add(patient(nil, nil))
                }
                configuration.uniqueIDs = true
                expectDuplicate { _ = try FHIRStore(path: path, release: .r4, configuration: configuration) }
                try store.write { tx in _ = try tx.delete(Patient.self, id: "1") }
            }
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            try expectSound(store)
            let connection = try Connection(path: path)
            try connection.execute("INSERT INTO Patient(_k, id) SELECT (max(_k) | 16777215) + 1, '1' FROM Patient")
            #expect(try store.check().contains { $0.kind == .duplicateID })
        }
    }
}
