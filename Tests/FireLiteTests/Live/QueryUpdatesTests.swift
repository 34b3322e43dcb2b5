import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// `FHIRQuery.updates()` gives the results now and after each commit that changes them.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct QueryUpdatesTests {
    private static func families(_ patients: [Patient]?) -> [String] { patients?.compactMap { $0.name.first?.family } ?? ["-"] }

    @Test func resultsFollowCommitsThatChangeThem() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.query(Patient.self).where { $0.name.family < "M" }.sort { $0.name.family.ascending }.updates(every: .zero)
            .makeAsyncIterator()
        #expect(Self.families(try await updates.next()) == [])
        try put(store, "b", "Brown")
        #expect(Self.families(try await updates.next()) == ["Brown"])
        // Neither concerns the results.
        try putObservation(store, "o")
        try put(store, "z", "Zimmer")
        try put(store, "a", "Adams")
        #expect(Self.families(try await updates.next()) == ["Adams", "Brown"])
        try put(store, "b", "Young")
        #expect(Self.families(try await updates.next()) == ["Adams"])
        try writing(store) { tx in try tx.delete(Patient.self, id: "a") }
        #expect(Self.families(try await updates.next()) == [])
    }

    @Test func unchangedResultsKeepTheirObjects() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        try put(store, "b", "Brown")
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        let first = try #require(try await updates.next())
        try writing(store) { tx in
            let brown = try #require(try tx.resource(Patient.self, id: "b"))
            // No row of the statement's table changes, only one of a result.
            brown.name[0].given = ["Bob"]
        }
        let second = try #require(try await updates.next())
        #expect(second[0] === first[0])
        #expect(second[1] !== first[1])
        #expect(second[1].name[0].given == ["Bob"])
        #expect(first[1].name[0].given == [])
    }

    @Test func aWriteToAnObservedObjectIsAnUpdateWithTheSameObject() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        let adams = try #require(try await updates.next())[0]
        try writing(store) { _ in adams.active = true }
        let second = try #require(try await updates.next())
        #expect(second.count == 1 && second[0] === adams && adams.active == true)
    }

    @Test func aSlowLoopGetsTheNewestResults() async throws {
        let store = try freshStore(isInFile: true)
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        for number in 0..<20 { try put(store, "\(number)", "F\(number)") }
        #expect(try await updates.next()?.count == 20)
        try put(store, "x", "X")
        #expect(try await updates.next()?.count == 21)
    }

    @Test func anObserverStartsAndReadsDuringAWrite() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let (began, ends) = (Gate(), Gate())
        let writer = _Concurrency.Task {
            try await store.write { tx in
                try tx.upsert(Patient { $0.id = "b" })
                began.open()
                ends.wait()
            }
        }
        await began.opened()
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 1)
        ends.open()
        try await writer.value
        #expect(try await updates.next()?.count == 2)
    }

    @Test func tablesColumnsAndIndexesThatComeLaterWakeAQuery() async throws {
        let store = try freshStore(isInFile: true)
        var byPhoto = store.query(Patient.self).where { $0.photo.title == "x" }.updates(every: .zero).makeAsyncIterator()
        #expect(try await byPhoto.next()?.count == 0)
        try writing(store) { tx in
            try tx.upsert(
                Patient {
                    $0.id = "p"
                    $0.photo = [FireLiteR4.Attachment { $0.title = "x" }]
                })
        }
        #expect(try await byPhoto.next()?.count == 1)
        var byStatus = store.query(Patient.self).where { $0.maritalStatus.text == "y" }.updates(every: .zero).makeAsyncIterator()
        #expect(try await byStatus.next()?.count == 0)
        try writing(store) { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "p"))
            patient.maritalStatus = CodeableConcept { $0.text = "y" }
        }
        #expect(try await byStatus.next()?.count == 1)
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func aFullTextSearchFollowsItsIndex() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        try index(store)
        var updates = store.query(Patient.self).matching("brown").updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        try put(store, "b", "Brown")
        #expect(try await updates.next()?.count == 1)
    }

    private func index(_ store: FHIRStore) throws { try store.createFullTextIndex(Patient.self) { [$0.name.family] } }

    @Test func aQueryFollowsTheReferencesOfItsCondition() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "p", "Adams")
        try writing(store) { tx in
            try tx.upsert(
                Observation {
                    $0.id = "o"
                    $0.status = .final
                    $0.subject = Reference { $0.reference = "Patient/p" }
                })
        }
        var updates = store.query(Observation.self).where { $0.subject.target(Patient.self).any { $0.name.family == "Brown" } }
            .updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        try put(store, "p", "Brown")
        #expect(try await updates.next()?.count == 1)
    }

    @Test func commitsOfOtherConnectionsWakeAQuery() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let reopened = try FHIRStore(path: store.path, release: .r4)
        // Its writing connection is not open yet.
        var updates = reopened.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.count == 1)
        try put(store, "b", "Brown")
        #expect(try await updates.next()?.count == 2)
        try put(reopened, "c", "Clark")
        #expect(try await updates.next()?.count == 3)
        try put(store, "d", "Davis")
        #expect(try await updates.next()?.count == 4)
    }

    @Test func whatWasCommittedUnobservedIsSeenByTheNextObserver() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        let query = store.query(Patient.self)
        func first() async throws -> Int? {
            var updates = query.updates(every: .zero).makeAsyncIterator()
            return try await updates.next()?.count
        }
        #expect(try await first() == 1)
        try put(store, "b", "Brown")
        #expect(try await first() == 2)
        try put(FHIRStore(path: store.path, release: .r4), "c", "Clark")
        #expect(try await first() == 3)
    }

    @Test func equalQueriesHaveEqualResults() async throws {
        let store = try freshStore(isInFile: true)
        var observers = (0..<5).map { _ in
            store.query(Patient.self).where { $0.name.family > "A" }.updates(every: .zero).makeAsyncIterator()
        }
        for round in 0..<4 {
            for index in observers.indices { #expect(try await observers[index].next()?.count == round) }
            try put(store, "\(round)", "F\(round)")
        }
    }

    @Test func commitsOfAnotherProcessWakeAQuery() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "1", "old")
        var updates = store.query(Patient.self).updates(every: .zero).makeAsyncIterator()
        #expect(Self.families(try await updates.next()) == ["old"])
        let other = try OtherProcess(path: store.path)
        for family in ["new", "newer"] {
            try other.expect("set 1 \(family)", "done")
            #expect(Self.families(try await updates.next()) == [family])
        }
        try other.end()
    }

    /// Commits of two processes that race for the same resource: what a list that is redrawn by paths would show is what is stored.
    @Test func pathsLeaveOutNothingThatAnotherProcessChanged() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "1", "F0")
        let other = try OtherProcess(path: store.path)
        var updates = store.query(Patient.self).updates(changes: true, every: .zero).makeAsyncIterator()
        var shown = try #require(try await updates.next()?.results.first).copy()
        var family = "F0"
        for round in 1...(Effort.isNightly ? 1_000 : 100) {
            let isRace = round % 3 > 0
            if isRace {
                family = "F\(round)"
                try other.tell("set 1 \(family)")
            }
            try writing(store) { tx in try #require(try tx.resource(Patient.self, id: "1")).birthDate = FHIRDate("\(1900 + round)") }
            if isRace { try other.expectAnswer("done") }
            while shown.name.first?.family != family || shown.birthDate?.description != "\(1900 + round)" {
                let step = try #require(try await updates.next())
                let patient = try #require(step.results.first)
                for update in step.changes?.updates ?? [] {
                    // Nil if a commit of the other process was not seen by itself.
                    guard let paths = update.paths else { continue }
                    let isRenamed = patient.name.first?.family != shown.name.first?.family
                    #expect(!isRenamed || paths.contains("name[0].family"), "round \(round)")
                    #expect(patient.birthDate == shown.birthDate || paths.contains("birthDate"), "round \(round)")
                }
                shown = patient.copy()
            }
        }
        try other.end()
    }

    @Test func changesNameThePathsOfChangedElements() async throws {
        let store = try freshStore(isInFile: true)
        for (id, family) in [("a", "Adams"), ("b", "Brown"), ("c", "Clark")] { try put(store, id, family) }
        var updates = store.query(Patient.self).sort { $0.name.family.ascending }.updates(changes: true, every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.changes == nil)
        try writing(store) { tx in
            let brown = try #require(try tx.resource(Patient.self, id: "b"))
            brown.name[0].given = ["Bob", "Bill"]
            brown.maritalStatus = CodeableConcept { $0.text = "single" }
            brown.birthDate = "1970"
        }
        let edited = try #require(try await updates.next()?.changes)
        #expect(edited.insertions == [] && edited.deletions == [] && edited.moves == [])
        #expect(edited.updates.map(\.index) == [1])
        #expect(Set(edited.updates[0].paths ?? []) == ["name[0].given[0]", "name[0].given[1]", "maritalStatus.text", "birthDate"])
        try writing(store) { tx in
            let brown = try #require(try tx.resource(Patient.self, id: "b"))
            brown.name[0].family = "Zorn"
            brown.name[0].given[1] = "Ben"
            brown.name.append(HumanName { $0.text = "BB" })
        }
        let moved = try #require(try await updates.next()?.changes)
        #expect(moved.moves == [ResultChanges.Move(from: 1, to: 2)] || moved.moves == [ResultChanges.Move(from: 2, to: 1)])
        #expect(Set(moved.updates.first?.paths ?? []) == ["name[0].family", "name[0].given[1]", "name[1]"])
        try writing(store) { tx in
            try tx.delete(Patient.self, id: "a")
            try tx.upsert(Patient { $0.id = "new" })
            let brown = try #require(try tx.resource(Patient.self, id: "b"))
            brown.name.remove(at: 0)
        }
        let mixed = try #require(try await updates.next()?.changes)
        #expect(mixed.deletions == [0])
        #expect(mixed.insertions.count == 1)
        #expect(Set(mixed.updates.first?.paths ?? []) == ["name[0]", "name"])
    }

    @Test func severalCommitsBetweenTwoElementsAddUp() async throws {
        let store = try freshStore(isInFile: true)
        try put(store, "a", "Adams")
        var updates = store.query(Patient.self).updates(changes: true, every: .zero).makeAsyncIterator()
        _ = try await updates.next()
        try writing(store) { tx in try #require(try tx.resource(Patient.self, id: "a")).active = true }
        try writing(store) { tx in try #require(try tx.resource(Patient.self, id: "a")).birthDate = "1980" }
        #expect(Set(try await updates.next()?.changes?.updates.first?.paths ?? []) == ["active", "birthDate"])
    }

    @Test func aCallThatIsRolledBackLeavesThePathsOfTheChangesBefore() async throws {
        let store = try freshStore(isInFile: true)
        for id in ["a", "b"] { try put(store, id, "Adams") }
        let stale = try #require(try reading(store) { try $0.resource(Patient.self, id: "b") })
        try put(store, "b", "Brown")
        var updates = store.query(Patient.self).updates(changes: true, every: .zero).makeAsyncIterator()
        _ = try await updates.next()
        try writing(store) { tx in
            try #require(try tx.resource(Patient.self, id: "a")).active = true
            try tx.saveChanges()
            let born = Patient {
                $0.id = "a"
                $0.birthDate = "1980"
            }
            #expect(throws: FHIRStoreError.self) { try tx.upsert([born, stale]) }
        }
        #expect(try await updates.next()?.changes?.updates == [ResultChanges.Update(index: 0, paths: ["active"])])
    }

    /// An equal query may have run before the commit of another connection that nobody has noticed yet.
    @Test func equalQueriesShareOnlyWhatIsStillStored() async throws {
        var configuration = FHIRStore.Configuration()
        configuration.foreignCommitInterval = .seconds(3_600)
        let store = try freshStore(isInFile: true, configuration)
        try put(store, "a", "Adams")
        var observers = (0..<2).map { _ in store.query(Patient.self).updates(changes: true, every: .zero).makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next()?.results.count == 1) }
        try put(store, "a", "Brown")
        #expect(try await observers[0].next()?.changes?.updates.map(\.index) == [0])
        try writing(FHIRStore(path: store.path, release: .r4)) { tx in try tx.delete(Patient.self, id: "a") }
        let second = try #require(try await observers[1].next())
        #expect(second.results.isEmpty && second.changes?.deletions == [0] && second.changes?.updates == [])
    }

    @Test func closingTheStoreEndsALoopWithAnError() async throws {
        let store = try FHIRStore(path: freshStore(isInFile: true).path, release: .r4)
        var updates = store.query(Patient.self).updates().makeAsyncIterator()
        _ = try await updates.next()
        try await store.close()
        do {
            _ = try await updates.next()
            Issue.record("no error")
        } catch let error as FHIRStoreError {
            #expect(error.code == .closed)
        }
    }

    @Test func cancellingItsTaskEndsALoop() async throws {
        let store = try freshStore(isInFile: true)
        let started = Gate()
        let task = _Concurrency.Task {
            for try await _ in store.query(Patient.self).updates() { started.open() }
        }
        await started.opened()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
