import FireLite
import FireLiteR4
import Foundation
import Testing

/// Threads and connections beside each other. Gates make the order of events certain.
@Suite struct ConcurrencyTests {
    private static func patient(_ id: String, _ family: String) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = family }]
        }
    }

    private func withPath(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { try body($0 + "/store.sqlite") }
    }

    // MARK: - One process

    ///     writer   | begin, change both ------------------ | commit |
    ///     reader   |                      read: old, old   |        | read: new, new
    ///     long     | begin, read: old -------------------------------- read: old | end
    @Test func readersSeeWhatWasCommittedWhenTheyBegan() throws {
        try withStore { store in
            try store.write { tx in _ = try tx.upsert([Self.patient("1", "old"), Self.patient("2", "old")]) }
            let (longBegan, changed, readInBetween, committed) = (Gate(), Gate(), Gate(), Gate())
            let threads = Threads()
            @Sendable func expect(_ family: String, in read: ReadTransaction) throws {
                let families = try read.resources(Patient.self, ids: ["1", "2"]).map { $0.name[0].family }
                #expect(families == [family, family])
            }
            threads.start {
                try store.read { read in
                    try expect("old", in: read)
                    longBegan.open()
                    #expect(committed.wait())
                    try expect("old", in: read)
                }
                try store.read { read in try expect("new", in: read) }
            }
            threads.start {
                #expect(changed.wait())
                try store.read { read in try expect("old", in: read) }
                readInBetween.open()
            }
            #expect(longBegan.wait())
            try store.write { tx in
                for patient in try tx.resources(Patient.self, ids: ["1", "2"]) { patient.name[0].family = "new" }
                try tx.saveChanges()
                changed.open()
                #expect(readInBetween.wait())
            }
            committed.open()
            try threads.finish()
        }
    }

    /// A sum over resources and their lists is the same in every state that a write leaves behind.
    ///
    ///     writer          | move | move | move …
    ///     three readers   | sum, sum, sum …        each the same
    @Test func readersSeeWholeStatesOnly() throws {
        try withStore { store in
            let (patients, names) = (4, 12)
            try store.write { tx in
                for id in 0..<patients {
                    try tx.add(
                        Patient {
                            $0.id = "\(id)"; $0.name = (0..<3).map { _ in HumanName { $0.text = "x" } }
                        })
                }
            }
            let start = Gate()
            let threads = Threads()
            for _ in 0..<3 {
                threads.start {
                    #expect(start.wait())
                    for _ in 0..<60 {
                        let total = try store.read { read in
                            var total = 0
                            try read.forEach(Patient.self) { total += $0.name.count }
                            return total
                        }
                        if total != names { throw FHIRObjectsOutOfStep(found: total) }
                    }
                }
            }
            threads.start {
                var random = SystemRandomNumberGenerator()
                start.open()
                for _ in 0..<60 {
                    try store.write { tx in
                        let all = try tx.resources(Patient.self, ids: (0..<patients).map(String.init).shuffled(using: &random))
                        guard let from = all.first(where: { !$0.name.isEmpty }), let to = all.last, from !== to else { return }
                        let name = from.name.removeLast()
                        try tx.saveChanges()
                        to.name.append(name)
                    }
                }
            }
            try threads.finish()
        }
    }

    private struct FHIRObjectsOutOfStep: Error {
        let found: Int
    }

    /// Writes of several threads queue up; none is lost.
    ///
    ///     four threads   | append | append | append …   one at a time
    @Test func writersTakeTurns() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            let threads = Threads()
            for thread in 0..<4 {
                threads.start {
                    for turn in 0..<10 {
                        try store.write { tx in
                            try tx.resource(Patient.self, id: "1")?.name.append(HumanName { $0.text = "\(thread)-\(turn)" })
                        }
                    }
                }
            }
            try threads.finish()
            let texts = try #require(try store.resource(Patient.self, id: "1")).name.compactMap(\.text)
            #expect(Set(texts).count == 40 && texts.count == 40)
        }
    }

    // MARK: - Two stores on one file, as two processes have them

    ///     first    | add |      |                        | read | delete |
    ///     second   |     | read | change, its new table  |               | read
    @Test func aSecondStoreSeesCommits() throws {
        try withPath { path in
            let (first, second) = (try FHIRStore(path: path, release: .r4), try FHIRStore(path: path, release: .r4))
            try first.write { tx in try tx.add(Self.patient("1", "A")) }
            #expect(try second.resource(Patient.self, id: "1")?.name[0].family == "A")
            // A table and columns that the first has not met.
            try second.write { tx in
                try tx.resource(Patient.self, id: "1")?.birthDate = FHIRDate("2000")
                try tx.add(
                    Observation {
                        $0.id = "o"; $0.valueString = "v"
                    })
            }
            #expect(try first.resource(Patient.self, id: "1")?.birthDate == FHIRDate("2000"))
            #expect(try first.resource(Observation.self, id: "o")?.valueString == "v")
            try first.write { tx in _ = try tx.delete(Observation.self, id: "o") }
            #expect(try second.count(Observation.self) == 0)
            try expectSound(first)
            try expectSound(second)
        }
    }

    ///     first    | add |       |        | change the object: conflict | delete |
    ///     second   |     | fetch | change |                                      | change the object: conflict
    @Test func changingAReplacedVersionIsAConflict() throws {
        try withPath { path in
            let (first, second) = (try FHIRStore(path: path, release: .r4), try FHIRStore(path: path, release: .r4))
            let patient = Self.patient("1", "A")
            try first.write { tx in try tx.add(patient) }
            let other = try #require(try second.resource(Patient.self, id: "1"))
            try second.write { _ in other.name[0].family = "B" }
            let error = #expect(throws: FHIRStoreError.self) { try first.write { _ in patient.name[0].given = ["x"] } }
            #expect(error?.code == .conflict)
            #expect(error?.message.contains(patient.pk) == true)
            #expect(patient.name[0].given == [])
            #expect(try first.resource(Patient.self, id: "1")?.name[0].family == "B")
            try first.write { tx in _ = try tx.delete(Patient.self, id: "1") }
            #expect(throws: FHIRStoreError.self) { try second.write { _ in other.active = true } }
            #expect(other.active == nil)
            try expectSound(first)
        }
    }

    ///     first    | begin ------------------------------------------------------- | commit |
    ///     second   |        write: busy; read: the state before                     |        | write
    @Test func aLockHeldTooLongIsBusy() throws {
        try withPath { path in
            var configuration = FHIRStore.Configuration()
            configuration.busyTimeout = .milliseconds(50)
            let first = try FHIRStore(path: path, release: .r4)
            let second = try FHIRStore(path: path, release: .r4, configuration: configuration)
            try first.write { tx in
                try tx.add(Self.patient("1", "A"))
                let error = #expect(throws: FHIRStoreError.self) { try second.write { tx in try tx.add(Self.patient("2", "B")) } }
                #expect(error?.code == .busy)
                #expect(error?.message.contains("locked by another connection") == true)
                #expect(try second.count(Patient.self) == 0)
            }
            try second.write { tx in try tx.add(Self.patient("2", "B")) }
            #expect(try first.count(Patient.self) == 2)
            try expectSound(second)
        }
    }
}
