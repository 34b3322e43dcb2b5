import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import CrashChild

/// A program that is killed loses no commit that returned. `FIRELITE_CRASH_ROUNDS` sets how often; default: 6.
@Suite struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["FIRELITE_CRASH_ROUNDS"].flatMap(Int.init) ?? 6
    /// More, as what the child does must meet a kill in every part.
    private static let encryptedRounds = ProcessInfo.processInfo.environment["FIRELITE_CRASH_ROUNDS"] == nil ? 20 : rounds
    /// How often one file goes on being written after a crash, before the next is begun.
    private static let roundsOfOneFile = 5

    @Test(arguments: ["full", "normal"]) func everyReportedCommitSurvivesAKill(durability: String) throws {
        var (commits, inFlight) = (0, 0)
        var random = SeededGenerator(seed: durability == "full" ? 1 : 2)
        let rounds = max(1, Self.rounds / 2)
        for start in stride(from: 0, to: rounds, by: Self.roundsOfOneFile) {
            try withTemporaryFolder { folder in
                let path = folder + "/store.sqlite"
                var next = 0
                // One of the two files also tracks what happens to it.
                let tracked = durability == "normal" ? try track(path) : nil
                for round in start..<min(start + Self.roundsOfOneFile, rounds) {
                    let reported = try kill(["write", path, String(next), durability], from: next, &random)
                    let store = try FHIRStore(path: path, release: .r4)
                    let stored = try verify(store, from: next, reported: reported, "\(durability), round \(round)")
                    if let tracked { try verifyTracking(store, since: tracked, stored) }
                    commits += reported - next
                    inFlight += stored - reported
                    next = stored
                }
            }
        }
        print("crash: \(durability), \(rounds) rounds, \(commits) reported commits, \(inFlight) found beside them")
    }

    /// Commits, changes of the key and copies of an encrypted store: it has one of its two keys and every reported commit, and a copy is whole.
    @Test(.enabled(if: EncryptedStores.areThere, "needs the package's trait SQLCipher"))
    func encryptedStoresSurviveAKillWhateverTheyDo() throws {
        var (commits, copies, seconds) = (0, 0, 0)
        var random = SeededGenerator(seed: 3)
        for start in stride(from: 0, to: Self.encryptedRounds, by: Self.roundsOfOneFile) {
            try withTemporaryFolder { folder in
                let (path, copy) = (folder + "/store.sqlite", folder + "/copy.sqlite")
                var next = 0
                for round in start..<min(start + Self.roundsOfOneFile, Self.encryptedRounds) {
                    let reported = try kill(["secrets", path, String(next), copy], from: next, &random)
                    let stored = try {
                        let (store, key) = try SecretRounds.open(path)
                        seconds += key
                        try EncryptedStores.expectRefusal(path, SecretRounds.keys[1 - key], .wrongKey, says: "give the key")
                        return try verify(store, from: next, reported: reported, "round \(round)")
                    }()
                    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                        #expect(try !EncryptedStores.file(path + suffix, has: "CREATE TABLE"), "round \(round)")
                    }
                    if FileManager.default.fileExists(atPath: copy) {
                        let store = try EncryptedStores.open(copy, SecretRounds.copyKey)
                        #expect(try store.check() == [], "round \(round)")
                        let last = try #require(try store.resource(Patient.self, id: "every")?.multipleBirthInteger, "round \(round)")
                        #expect(last < stored, "round \(round)")
                        #expect(try store.counts().reduce(0) { $0 + $1.count } == 1 + (last + 1) * CrashBatch.size, "round \(round)")
                        copies += 1
                    }
                    commits += reported - next
                    next = stored
                }
            }
        }
        print(
            "crash: encrypted, \(Self.encryptedRounds) rounds, \(commits) reported commits, \(copies) copies, \(seconds) times with the second key"
        )
        #expect(commits > 0 && copies > 0 && seconds > 0)
    }

    /// Creates a store with a log and a history, and returns the number of its newest change.
    private func track(_ path: String) throws -> Int64 {
        let store = try FHIRStore(path: path, release: .r4)
        try store.track(.changes)
        try store.track(.history)
        return try store.newestChange()
    }

    /// Expects the log and the history to be exactly those of the stored commits.
    private func verifyTracking(_ store: FHIRStore, since sequence: Int64, _ stored: Int) throws {
        let changes = try store.changes(since: sequence)
        #expect(changes.allSatisfy { $0.kind == .added })
        let ids = (0..<stored).flatMap { number in CrashBatch(number).resources.dropFirst().compactMap(\.id) }
        #expect(Set(changes.compactMap(\.resourceID)) == Set(ids + (stored == 0 ? [] : ["every"])))
        #expect(changes.count == (stored == 0 ? 0 : ids.count + 1))
        let numbers = try store.history(of: Patient.self, id: "every").map { version in
            (try store.resource(at: version) as? Patient)?.multipleBirthInteger
        }
        #expect(numbers == (0..<stored).reversed().map { $0 })
    }

    /// Runs the child, kills it at a random moment, and returns the number after the last commit it reported.
    private func kill(_ arguments: [String], from first: Int, _ random: inout SeededGenerator) throws -> Int {
        let output = Pipe()
        let child = try ChildProgram.process(arguments, output: output)
        try child.run()
        let reports = output.fileHandleForReading
        var received = Data()
        let wanted = random.int(0...6)
        while received.count(where: { $0 == 10 }) < wanted {
            let more = reports.availableData
            if more.isEmpty { break }
            received.append(more)
        }
        // Somewhere within the next commits, or within opening.
        let moment = DispatchTime.now() + .microseconds(random.int(0...30_000))
        while DispatchTime.now() < moment {}
        #expect(child.isRunning, "the child ended by itself")
        Foundation.kill(child.processIdentifier, SIGKILL)
        received.append(reports.readDataToEndOfFile())
        child.waitUntilExit()
        let numbers = String(decoding: received, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        return numbers.last.map { $0 + 1 } ?? first
    }

    /// Expects the reported commits and at most one more; returns the number after the last one stored.
    private func verify(_ store: FHIRStore, from first: Int, reported: Int, _ comment: Comment) throws -> Int {
        #expect(try store.check() == [], comment)
        let last = try store.resource(Patient.self, id: "every")?.multipleBirthInteger ?? -1
        let stored = last + 1
        #expect(stored == reported || stored == reported + 1, comment)
        for number in 0..<stored where number >= first {
            for expected in CrashBatch(number).resources.dropFirst() {
                let found = try store.resource(typeName: expected.resourceType, id: expected.id ?? "")
                #expect(found.map { FHIRJSON.string($0) } == FHIRJSON.string(expected), comment)
            }
        }
        let counts = try store.counts().reduce(0) { $0 + $1.count }
        #expect(counts == (stored == 0 ? 0 : 1 + stored * CrashBatch.size), comment)
        return stored
    }
}
