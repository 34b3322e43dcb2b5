import FireLite
import FireLiteR4
import Testing

/// The examples of LiveResults.md, and that of MigratingFromFireKit.md on notifications.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct LiveExamples {
    /// What a loop shows, as texts.
    private struct Screen {
        let send: AsyncStream<String>.Continuation
        private var texts: AsyncStream<String>.Iterator

        init() {
            let (stream, send) = AsyncStream<String>.makeStream()
            (self.send, texts) = (send, stream.makeAsyncIterator())
        }

        mutating func next() async -> String? { await texts.next() }
    }

    private func filled() throws -> FHIRStore {
        let store = try freshStore(isInFile: true)
        try put(store, "123", "Adams")
        return store
    }

    private func end(_ task: _Concurrency.Task<Void, any Error>) async {
        task.cancel()
        if case .failure(let error) = await task.result { #expect(error is CancellationError) }
    }

    @Test func aQuery() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        @Sendable func show(_ patients: [Patient]) { send.yield(patients.map { $0.name.first?.family ?? "" }.joined(separator: " ")) }
        let task = _Concurrency.Task {
            // example LiveResults.md
            for try await patients in store.query(Patient.self)
                .sort({ $0.name.family.ascending }).limit(50).updates()
            {
                show(patients)
            }
            // end
        }
        #expect(await screen.next() == "Adams")
        try put(store, "124", "Brown")
        #expect(await screen.next() == "Adams Brown")
        await end(task)
    }

    @Test func whatChanged() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        struct Rows {
            let send: AsyncStream<String>.Continuation
            func reload(_ patients: [Patient]) { send.yield("\(patients.count)") }
            func delete(_ indexes: [Int]) { for index in indexes { send.yield("delete \(index)") } }
            func insert(_ indexes: [Int]) { for index in indexes { send.yield("insert \(index)") } }
            func move(_ from: Int, _ to: Int) { send.yield("move \(from) \(to)") }
            func redraw(_ index: Int, _ paths: [String]?) { send.yield("redraw \(index) \(paths ?? [])") }
        }
        let task = _Concurrency.Task {
            let rows = Rows(send: send)
            // example LiveResults.md
            for try await update in store.query(Patient.self)
                .sort({ $0.name.family.ascending }).updates(changes: true)
            {
                guard let changes = update.changes else {
                    rows.reload(update.results)
                    continue
                }
                rows.delete(changes.deletions)
                rows.insert(changes.insertions)
                for move in changes.moves { rows.move(move.from, move.to) }
                for changed in changes.updates { rows.redraw(changed.index, changed.paths) }
            }
            // end
        }
        #expect(await screen.next() == "1")
        try put(store, "123", "Baker")
        #expect(await screen.next() == #"redraw 0 ["name[0].family"]"#)
        try put(store, "1", "Adams")
        #expect(await screen.next() == "insert 0")
        try put(store, "1", "Clark")
        let moved = [await screen.next(), await screen.next()]
        #expect(moved[0]?.hasPrefix("move ") == true && moved[1] == #"redraw 1 ["name[0].family"]"#)
        try writing(store) { tx in try tx.delete(Patient.self, id: "123") }
        #expect(await screen.next() == "delete 0")
        await end(task)
    }

    @Test func aBlock() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        @Sendable func show(_ counts: [Int]) { send.yield("\(counts)") }
        let task = _Concurrency.Task {
            // example LiveResults.md
            let dashboard = store.updates(every: .milliseconds(500)) { tx in
                [
                    try tx.count(Patient.self),
                    try tx.query(Observation.self).where { $0.status == .final }.count(),
                ]
            }
            for try await counts in dashboard { show(counts) }
            // end
        }
        #expect(await screen.next() == "[1, 0]")
        try putObservation(store, "o")
        #expect(await screen.next() == "[1, 1]")
        await end(task)
    }

    @Test func oneResource() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        @Sendable func show(_ text: String) { send.yield(text) }
        let task = _Concurrency.Task {
            // example LiveResults.md
            for try await patient in store.updates(of: Patient.self, id: "123") {
                show(patient?.name.first?.family ?? "deleted")
            }
            // end
        }
        #expect(await screen.next() == "Adams")
        try writing(store) { tx in try tx.delete(Patient.self, id: "123") }
        #expect(await screen.next() == "deleted")
        await end(task)
    }

    @Test func commits() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        @Sendable func note(_ text: String) { send.yield(text) }
        @Sendable func readAgain() { send.yield("again") }
        // example LiveResults.md
        let commits = store.changes()
        let task = _Concurrency.Task {
            for await commit in commits {
                for change in commit.resources {
                    note("\(change.kind) \(change.typeName)/\(change.id ?? change.pk)")
                }
                if !commit.isComplete, commit.mayHaveChanged(Patient.self) { readAgain() }
            }
        }
        // end
        try put(store, "124", "Brown")
        #expect(await screen.next() == "added Patient/124")
        try put(FHIRStore(path: store.path, release: .r4), "125", "Clark")
        #expect(await screen.next() == "again")
        task.cancel()
        await task.value
    }

    @Test @MainActor func liveObjects() async throws {
        let store = try filled()
        // example LiveResults.md
        let patients = LiveQuery(store.query(Patient.self).sort { $0.name.family.ascending }, pageSize: 50)
        let patient = LiveResource(Patient.self, id: "123", in: store)
        // end
        await untilTrue { !patients.isLoading && patient.resource != nil }
        #expect(patients.results.map(\.id) == ["123"] && !patients.hasMore && patients.error == nil)
        // example LiveResults.md
        let objects = LiveObjects(store)
        let first = try objects.resource(Patient.self, id: "123")
        let second = try objects.resource(Patient.self, id: "123")
        // end
        #expect(first === second && first != nil)
        try patient.toggleActive(in: store)
        await untilTrue { patient.resource?.active == true && patients.results.first?.active == true }
        try put(store, "123", "Brown")
        await untilTrue { patient.resource?.name.first?.family == "Brown" }
        try patient.toggleActive(in: store)
        #expect(patient.resource?.active == true)
    }

    @Test func refreshing() throws {
        let store = try filled()
        let held = try #require(try store.resource(Patient.self, id: "123"))
        try put(store, "123", "Brown")
        #expect(!held.isCurrent)
        // example LiveResults.md
        func activate(_ patient: Patient) throws {
            do {
                try store.write { _ in patient.active = true }
            } catch let error as FHIRStoreError where error.conflict == .changed {
                try patient.refresh()
                try store.write { _ in patient.active = true }
            }
        }
        // end
        try activate(held)
        #expect(held.isCurrent && held.name.first?.family == "Brown")
        #expect(try store.resource(Patient.self, id: "123")?.active == true)
        try store.write { tx in try tx.delete(Patient.self, id: "123") }
        #expect(try !held.refresh())
    }

    @Test func notifications() async throws {
        let store = try filled()
        var screen = Screen()
        let send = screen.send
        @Sendable func show(_ patients: [Patient]) { send.yield("\(patients.count)") }
        // example MigratingFromFireKit.md
        let observation = _Concurrency.Task {
            for try await update in store.query(Patient.self).updates(changes: true) {
                show(update.results)
                print(update.changes?.insertions ?? [], update.changes?.deletions ?? [])
            }
        }
        // end
        #expect(await screen.next() == "1")
        try put(store, "124", "Brown")
        #expect(await screen.next() == "2")
        await end(observation)
    }
}
