import FireLite
import FireLiteR4
import Foundation
import Testing

/// Two processes with one store: A is this one, B another, and their lines and answers make the order of events certain.
@Suite struct TwoProcessesTests {
    /// A store with one patient, `1`, of the family `old`, which B has open as well.
    private func withTwoProcesses(busyTimeout: Int = 60_000, _ body: (_ a: FHIRStore, _ b: OtherProcess) throws -> Void) throws {
        try withTemporaryFolder { folder in
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(busyTimeout)
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
            let patient = Patient {
                $0.id = "1"
                $0.multipleBirth = .integer(0)
                $0.name = [HumanName { $0.family = "old" }]
            }
            try store.write { tx in try tx.add(patient) }
            let other = try OtherProcess(path: store.path)
            try body(store, other)
            try other.end()
            try expectSound(store)
        }
    }

    private func family(_ store: FHIRStore, _ id: String = "1") throws -> String? {
        try store.resource(Patient.self, id: id)?.name.first?.family
    }

    private func rename(_ tx: WriteTransaction, _ family: String) throws {
        let patient = try #require(try tx.resource(Patient.self, id: "1"))
        patient.name[0].family = family
    }

    private func number(_ store: FHIRStore) throws -> Int? { try store.resource(Patient.self, id: "1")?.multipleBirthInteger }

    private func increment(_ store: FHIRStore) throws {
        try store.write { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "1"))
            patient.multipleBirth = .integer(try #require(patient.multipleBirthInteger) + 1)
        }
    }

    // MARK: - Snapshots

    ///     A   | begin, read: old |            | read: old | end | read: new
    ///     B   |                  | set 1, 2   |
    @Test func aSnapshotStaysWhileTheOtherCommits() throws {
        try withTwoProcesses { a, b in
            try a.read { _ in
                #expect(try family(a) == "old")
                try b.expect("set 1 new", "done")
                try b.expect("set 2 new", "done")
                #expect(try family(a) == "old")
                #expect(try a.count(Patient.self) == 1)
            }
            #expect(try family(a) == "new")
            #expect(try family(a, "2") == "new")
        }
    }

    ///     A   |                  | set 1, 2   |
    ///     B   | begin, read: old |            | read: old | end | read: new
    @Test func theSnapshotOfTheOtherStays() throws {
        try withTwoProcesses { a, b in
            try b.expect("read", "reading")
            try a.write { tx in
                try rename(tx, "new")
                try tx.add(Patient { $0.id = "2" })
            }
            try b.expect("get 1", "old")
            try b.expect("get 2", "none")
            try b.expect("end", "ended")
            try b.expect("get 1", "new")
        }
    }

    ///     A   | read: old |        | read: old |         | read: old |        |           | read: old |        | read: new
    ///     B   | begin     | change |           | undo    |           | begin  | change    |           | commit |
    @Test func onlyWhatIsCommittedIsSeen() throws {
        try withTwoProcesses { a, b in
            for (end, answer, expected) in [("undo", "undone", "old"), ("end", "committed", "new")] {
                try b.expect("write", "writing")
                try b.expect("set 1 new", "done")
                try b.expect("set 2 new", "done")
                try b.expect("get 1", "new")
                #expect(try family(a) == "old")
                #expect(try a.count(Patient.self) == 1)
                try b.expect(end, answer)
                #expect(try family(a) == expected)
                try b.expect("get 1", expected)
            }
        }
    }

    ///     A   | begin, no table |                  | no table | end | read | write |
    ///     B   |                 | its first table  |                              | read
    @Test func tablesOfTheOtherProcessAreSeen() throws {
        try withTwoProcesses { a, b in
            try a.read { _ in
                #expect(try a.count(Observation.self) == 0)
                try b.expect("observe o", "done")
                #expect(try a.count(Observation.self) == 0)
                #expect(try a.resource(Observation.self, id: "o") == nil)
            }
            #expect(try a.resource(Observation.self, id: "o")?.valueString == "observed")
            try a.write { tx in
                try tx.resource(Observation.self, id: "o")?.valueString = "changed"
                try tx.add(Observation { $0.id = "p" })
            }
            try b.expect("observations", "2")
        }
    }

    // MARK: - Writers

    ///     A   | +1 |    | +1 |    …
    ///     B   |    | +1 |    | +1 …
    @Test func writersInTurnLoseNothing() throws {
        try withTwoProcesses { a, b in
            for turn in 0..<20 {
                try increment(a)
                try b.expect("number 1", "\(turn * 2 + 1)")
                try b.expect("increment 1 1", "done")
                #expect(try number(a) == turn * 2 + 2)
            }
        }
    }

    ///     A, two threads   | +1 +1 +1 … |
    ///     B                | +1 +1 +1 … |   no +1 is lost
    @Test func writersAtOnceLoseNothing() throws {
        try withTwoProcesses { a, b in
            let threads = Threads()
            try b.tell("increment 1 50")
            for _ in 0..<2 { threads.start { for _ in 0..<25 { try self.increment(a) } } }
            try threads.finish()
            try b.expectAnswer("done")
            #expect(try number(a) == 100)
        }
    }

    /// The lock is free for moments only, and A has to meet one.
    ///
    ///     A   | +1 | +1 | … ten times, each within the busy timeout
    ///     B   | +1 | +1 | +1 … without a pause † is killed
    @Test func aTurnBesideOneThatNeverPauses() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            for id in ["1", "2"] {
                try store.write { tx in
                    try tx.add(
                        Patient {
                            $0.id = id
                            $0.multipleBirth = .integer(0)
                        })
                }
            }
            let other = try OtherProcess(path: store.path)
            try other.expect("number 2", "0")
            try other.tell("increment 2 100000000")
            while try store.resource(Patient.self, id: "2")?.multipleBirthInteger == 0 {}
            for _ in 0..<10 { try increment(store) }
            other.die()
            #expect(try number(store) == 10)
            try expectSound(store)
        }
    }

    ///     A   |               | write: busy | read: old |        | write | read
    ///     B   | begin, change |                         | commit |
    @Test func aLockThatTheOtherHoldsTooLong() throws {
        try withTwoProcesses(busyTimeout: 50) { a, b in
            let patient = try #require(try a.resource(Patient.self, id: "1"))
            try b.expect("write", "writing")
            try b.expect("set 2 b", "done")
            let error = #expect(throws: FHIRStoreError.self) { try a.write { _ in patient.name[0].family = "a" } }
            #expect(error?.code == .busy)
            #expect(error?.message == "\(a.path) is locked by another connection: try again, or raise the busy timeout")
            #expect(patient.name[0].family == "old")
            #expect(try family(a) == "old")
            try b.expect("end", "committed")
            try a.write { _ in patient.name[0].family = "a" }
            try b.expect("get 1", "a")
            #expect(try family(a, "2") == "b")
        }
    }

    ///     A   |               | write … waits |        | sees B's change, writes |
    ///     B   | begin, change |               | commit |                         | read
    @Test func aWriteThatWaitsForTheOther() throws {
        try withTwoProcesses { a, b in
            try b.expect("write", "writing")
            try b.expect("set 1 b", "done")
            let (asks, threads) = (Gate(), Threads())
            threads.start {
                asks.open()
                try a.write { tx in
                    let patient = try #require(try tx.resource(Patient.self, id: "1"))
                    #expect(patient.name[0].family == "b")
                    patient.name[0].family = "ab"
                }
            }
            #expect(asks.wait())
            try b.expect("end", "committed")
            try threads.finish()
            try b.expect("get 1", "ab")
        }
    }

    // MARK: - Objects that another process has replaced

    ///     A   | fetch |          | change the object: conflict |         | fetch, change |
    ///     B   |       | change   |                             | read    |               | read
    @Test func anObjectThatTheOtherHasChanged() throws {
        try withTwoProcesses { a, b in
            let patient = try #require(try a.resource(Patient.self, id: "1"))
            try b.expect("set 1 b", "done")
            let error = #expect(throws: FHIRStoreError.self) { try a.write { _ in patient.name[0].family = "a" } }
            #expect(error?.code == .conflict)
            #expect(patient.name[0].family == "old")
            try b.expect("get 1", "b")
            let again = try #require(try a.resource(Patient.self, id: "1"))
            try a.write { _ in again.name[0].given = ["a"] }
            try b.expect("get 1", "b")
            #expect(try a.resource(Patient.self, id: "1")?.name[0].given == ["a"])
        }
    }

    ///     A   |       | change |                             | delete |
    ///     B   | fetch |        | change the object: conflict |        | change the object: conflict
    @Test func theOtherHasAnObjectThatWasChanged() throws {
        try withTwoProcesses { a, b in
            try b.expect("keep 1", "old")
            try a.write { tx in try rename(tx, "a") }
            #expect(try b.ask("change b").hasPrefix("conflict "))
            #expect(try family(a) == "a")
            try b.expect("keep 1", "a")
            try a.write { tx in _ = try tx.delete(Patient.self, id: "1") }
            #expect(try b.ask("change b").hasPrefix("conflict "))
            #expect(try a.count(Patient.self) == 0)
        }
    }

    ///     A   | fetch |        | change the object: conflict, it is not stored again |
    ///     B   |       | delete |
    @Test func anObjectThatTheOtherHasDeleted() throws {
        try withTwoProcesses { a, b in
            let patient = try #require(try a.resource(Patient.self, id: "1"))
            try b.expect("delete 1", "done")
            let error = #expect(throws: FHIRStoreError.self) { try a.write { _ in patient.name[0].family = "a" } }
            #expect(error?.code == .conflict)
            #expect(try a.count(Patient.self) == 0)
        }
    }

    // MARK: - Upkeep

    ///     A   |                  | write | checkpoint: busy |     | checkpoint: all |
    ///     B   | begin, read: old |                          | end |
    @Test func aCheckpointThatTheSnapshotOfTheOtherKeepsFromEnding() throws {
        try withTwoProcesses(busyTimeout: 20) { a, b in
            try b.expect("read", "reading")
            try increment(a)
            let error = #expect(throws: FHIRStoreError.self) { try a.checkpoint(.truncate) }
            #expect(error?.code == .busy)
            try b.expect("number 1", "0")
            try b.expect("end", "ended")
            #expect(try a.checkpoint(.truncate).isComplete)
            try b.expect("number 1", "1")
        }
    }

    ///     A   |               | backup: old | backup begins |        | goes on, ends: old | backup: new
    ///     B   | begin, change |                             | commit |
    @Test func aBackupWhileTheOtherCommits() throws {
        try withTwoProcesses { a, b in
            // Enough for several steps of a backup.
            try a.write { tx in try tx.add(Patient { $0.name = [HumanName { $0.text = String(repeating: "x", count: 3 << 20) }] }) }
            func familyInBackup(_ name: String, _ progress: StoreProgressHandler? = nil) throws -> String? {
                try a.backup(to: URL(fileURLWithPath: a.path + name), progress: progress)
                return try family(try FHIRStore(path: a.path + name, release: .r4))
            }
            try b.expect("write", "writing")
            try b.expect("set 1 new", "done")
            #expect(try familyInBackup(".1") == "old")
            var isCommitted = false
            let copied = try familyInBackup(".2") { progress in
                guard !isCommitted else { return }
                isCommitted = true
                #expect(progress.completed < progress.total ?? 0)
                try b.expect("end", "committed")
            }
            #expect(copied == "old" && isCommitted)
            #expect(try familyInBackup(".3") == "new")
        }
    }

    // MARK: - Coming and going

    ///     A   |               | read: old | write |
    ///     B   | begin, change † dies
    @Test func aProcessThatDiesInAWrite() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let other = try OtherProcess(path: store.path)
            try other.expect("set 1 old", "done")
            try other.expect("write", "writing")
            try other.expect("set 1 new", "done")
            try other.expect("observe o", "done")
            other.die()
            #expect(try family(store) == "old")
            #expect(try store.count(Observation.self) == 0)
            try store.write { tx in try tx.resource(Patient.self, id: "1")?.gender = .female }
            #expect(try family(store) == "old")
            try expectSound(store)
        }
    }

    ///     A   |             | write | checkpoint: all |
    ///     B   | begin, read † dies
    @Test func aProcessThatDiesInARead() throws {
        try withTemporaryFolder { folder in
            let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
            let other = try OtherProcess(path: store.path)
            try other.expect("set 1 old", "done")
            try other.expect("read", "reading")
            other.die()
            try store.write { tx in try rename(tx, "new") }
            #expect(try store.checkpoint(.truncate).isComplete)
            #expect(try family(store) == "new")
            try expectSound(store)
        }
    }

    ///     A   | begin, write |            |                   | commit |
    ///     B   |              | open, read | open anew, read   |        | read
    @Test func openingWhileTheOtherWrites() throws {
        try withTwoProcesses { a, b in
            try a.write { tx in
                try rename(tx, "new")
                try tx.saveChanges()
                try b.expect("close", "closed")
                try b.expect("open \(a.path) 50", "open")
                try b.expect("get 1", "old")
            }
            try b.expect("get 1", "new")
        }
    }

    ///     four processes   | open a path where there is no file, all at once | add |
    ///     A                                                                        | reads four |
    @Test func aFileThatSeveralMakeAtOnce() throws {
        try withTemporaryFolder { folder in
            let others = try (0..<4).map { _ in try OtherProcess() }
            for round in 0..<10 {
                let path = "\(folder)/\(round).sqlite"
                for other in others { try other.tell("open \(path) 60000") }
                for other in others { try other.expectAnswer("open") }
                for (number, other) in others.enumerated() { #expect(try other.ask("set \(number) x") == "done") }
                let store = try FHIRStore(path: path, release: .r4)
                #expect(try store.query(Patient.self).ids() == ["0", "1", "2", "3"])
                try expectSound(store)
            }
            for other in others { try other.end() }
        }
    }

    /// Who closes last takes the log away while the next one opens it.
    ///
    ///     three processes   | open, +1, close, open, +1, close, … |   no +1 is lost, nobody gets an error
    @Test func openingWhileTheOtherCloses() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            }
            let others = try (0..<3).map { _ in try OtherProcess() }
            for other in others { try other.tell("cycle \(path) 1 20") }
            for other in others { try other.expectAnswer("done") }
            for other in others { try other.end() }
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try number(store) == 60)
            try expectSound(store)
        }
    }
}
