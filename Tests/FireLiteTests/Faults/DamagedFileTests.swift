import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Files that are not as they were written: each open and each read gives the right answer or an error, never a wrong object.
/// `FIRELITE_FLIPS` sets how many bits are flipped, one by one; default: 150, as each of them is some forty reads.
@Suite struct DamagedFileTests {
    private static let flips = ProcessInfo.processInfo.environment["FIRELITE_FLIPS"].flatMap(Int.init) ?? 150

    /// What reading a damaged file gave.
    private struct Outcome {
        var right = 0
        var errors = 0
        var missing = 0
        var places: [String] = []
        var wrong: [String] = []
    }

    /// Reads every resource by its id and its pk, through an index, and all of them by scan; counts them, and asks for what is not there.
    private func read(_ path: String, _ expected: [String: String], _ outcome: inout Outcome, _ place: String) {
        var isMissing = false
        func note(_ body: () throws -> Bool?) {
            do {
                switch try body() {
                case true?: outcome.right += 1
                case nil:
                    outcome.missing += 1
                    isMissing = true
                default: outcome.wrong.append(place)
                }
            } catch let error as FHIRStoreError {
                outcome.errors += 1
                expectHelpful(error, path: path, codes: [.notAStore, .cannotOpen, .newerFormat, .wrongRelease, .disk, .sqlite], "\(place)")
            } catch {
                outcome.wrong.append("\(place): \(error)")
            }
        }
        var opened: FHIRStore?
        note {
            opened = try FHIRStore(path: path, release: .r4)
            return true
        }
        guard let store = opened else { return }
        for (key, json) in expected {
            let parts = key.split(separator: "/").map(String.init)
            note { try store.resource(typeName: parts[0], id: parts[1]).map { FHIRJSON.string($0) == json } }
            note { try store.resource(typeName: parts[0], id: parts[1] + "x") == nil }
            if parts[0] == "Patient" {
                note { try store.resource(Patient.self, pk: "pk \(parts[1])").map { FHIRJSON.string($0) == json } }
                note {
                    let found = try store.query(Patient.self).where { $0.name.family == "\(markerValue) \(parts[1])" }.all()
                    return found.isEmpty ? nil : found.map { FHIRJSON.string($0) } == [json]
                }
            }
        }
        note {
            let count = try store.counts().reduce(0) { $0 + $1.count }
            return count < expected.count ? nil : count == expected.count
        }
        note {
            let found = try snapshot(store)
            if found == expected { return true }
            return found.allSatisfy { expected[$0.key] == $0.value } ? nil : false
        }
        if isMissing { outcome.places.append(place) }
    }

    /// A closed store of a few resources: its bytes, and what it holds.
    private func sound(_ ids: Swift.Range<Int> = 0..<6) throws -> (bytes: [UInt8], contents: [String: String]) {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let contents = try { () throws -> [String: String] in
                let store = try FHIRStore(path: path, release: .r4)
                try store.createIndex(Patient.self) { $0.name.family }
                try store.write { tx in
                    let patients = ids.map { faultPatient("\($0)") }
                    for patient in patients { patient.pk = "pk \(patient.id ?? "")" }
                    try tx.upsert(patients)
                    try tx.upsert(ids.map { faultObservation("\($0)") })
                }
                return try snapshot(store)
            }()
            return ([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), contents)
        }
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/store.sqlite"))
            try body(folder + "/store.sqlite")
        }
    }

    @Test func noFlippedBitMakesAWrongObject() throws {
        let (bytes, contents) = try sound()
        var random = SeededGenerator(seed: 2_000)
        var outcome = Outcome()
        var harmless = 0
        for flip in 0..<Self.flips {
            var damaged = bytes
            let (byte, bit) = (random.int(0...bytes.count - 1), random.int(0...7))
            damaged[byte] ^= 1 << UInt8(bit)
            try withFile(damaged) { path in
                let before = outcome.errors + outcome.missing
                read(path, contents, &outcome, "flip \(flip): byte \(byte), bit \(bit)")
                if outcome.errors + outcome.missing == before { harmless += 1 }
            }
        }
        #expect(outcome.wrong == [])
        if Library.hasPageChecksums { #expect(outcome.missing == 0, "\(outcome.places)") }
        print(
            "flips: \(Self.flips) in \(bytes.count) bytes, \(harmless) without effect; reads: \(outcome.right) right, "
                + "\(outcome.errors) errors, \(outcome.missing) not found, \(outcome.wrong.count) wrong")
    }

    @Test func truncatedFilesAreRefusedOrRight() throws {
        let (bytes, contents) = try sound()
        var random = SeededGenerator(seed: 4)
        var outcome = Outcome()
        for round in 0..<100 {
            let length = round % 2 == 0 ? random.int(1...bytes.count - 1) : random.int(1...bytes.count / 4096 - 1) * 4096
            try withFile(Array(bytes.prefix(length))) { read($0, contents, &outcome, "\(length) bytes") }
        }
        #expect(outcome.wrong == [])
        if Library.hasPageChecksums { #expect(outcome.missing == 0, "\(outcome.places)") }
        print(
            "truncated: 100 lengths; reads: \(outcome.right) right, \(outcome.errors) errors, \(outcome.missing) not found"
        )
    }

    /// A store that was read and let go of closes its connections: SQLite then moves the log into the file and deletes it.
    @Test func aClosedStoreLeavesNoLog() throws {
        try withTemporaryFolder { folder in
            do {
                let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
                try store.write { tx in try tx.add(faultPatient("1")) }
                #expect(try snapshot(store).count == 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
        }
    }

    @Test func anEmptyFileIsANewStore() throws {
        try withFile([]) { path in
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(faultPatient("1")) }
            #expect(try store.count(Patient.self) == 1)
            try expectSound(store)
        }
    }

    @Test func aFolderInsteadOfAFileIsRefused() throws {
        try withTemporaryFolder { folder in
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: folder, release: .r4) }
            if let error { expectHelpful(error, path: folder, codes: [.cannotOpen], "a directory") }
        }
    }

    /// Copies an open store: its file as of the last checkpoint, and its log.
    private func withOpenCopies(_ ids: Swift.Range<Int>, _ body: (_ file: [UInt8], _ log: [UInt8], [[String: String]]) throws -> Void)
        throws
    {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            var states: [[String: String]] = []
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.upsert(ids.map { faultPatient("\($0)") }) }
                states.append(try snapshot(store))
            }
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.upsert(ids.map { faultPatient("\($0)", names: 4) }) }
            states.append(try snapshot(store))
            try body(
                [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))),
                [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))), states)
        }
    }

    /// What was only in a lost log is lost; the rest is as it was at the last checkpoint.
    @Test func aLostLogLeavesTheLastCheckpoint() throws {
        try withOpenCopies(0..<5) { file, log, states in
            #expect(!log.isEmpty)
            try withFile(file) { path in
                let store = try FHIRStore(path: path, release: .r4)
                #expect(try snapshot(store) == states[0])
                try expectSound(store)
            }
        }
    }

    /// SQLite does not know whose log it is: what is mixed from two stores must be an error.
    @Test func theLogOfAnotherStoreMakesNoWrongObject() throws {
        try withOpenCopies(0..<5) { file, _, states in
            try withOpenCopies(3..<30) { _, log, others in
                try withFile(file) { path in
                    try Data(log).write(to: URL(fileURLWithPath: path + "-wal"))
                    do {
                        let store = try FHIRStore(path: path, release: .r4)
                        let found = try snapshot(store)
                        #expect(found == states[0] || found == others[1])
                    } catch let error as FHIRStoreError {
                        expectHelpful(error, path: path, codes: [.notAStore], "the log of another store")
                    }
                }
            }
        }
    }
}
