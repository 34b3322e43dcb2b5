import FireLite
import FireLiteR4
import Testing

@Suite struct AsyncSequenceTests {
    private func store(_ count: Int) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            for number in 0..<count {
                try tx.add(
                    Patient {
                        $0.id = "\(number)"
                        $0.active = number % 2 == 0
                    })
            }
        }
        return store
    }

    @Test(arguments: [0, 1, 9, 10, 11, 25]) func resultsComeOneByOneInOrder(count: Int) async throws {
        let store = try store(count)
        var ids: [String?] = []
        for try await patient in store.query(Patient.self).results(fetching: 10) { ids.append(patient.id) }
        #expect(ids == (0..<count).map { "\($0)" })
    }

    @Test func pagesComeOneByOne() async throws {
        let store = try store(25)
        var sizes: [Int] = []
        for try await page in store.query(Patient.self).where({ $0.active == true }).pages(of: 5) { sizes.append(page.count) }
        #expect(sizes == [5, 5, 3])
        var limited: [String?] = []
        for try await patient in store.query(Patient.self).limit(7).results(fetching: 5) { limited.append(patient.id) }
        #expect(limited == (0..<7).map { "\($0)" })
    }

    @MainActor @Test func resultsAreReadFromAnActor() async throws {
        let store = try store(3)
        var patients: [Patient] = []
        for try await patient in store.query(Patient.self).results(fetching: 2) { patients.append(patient) }
        #expect(patients.map(\.id) == ["0", "1", "2"])
    }

    @Test func aCancelledTaskGetsNoFurtherPage() async throws {
        let store = try store(30)
        let query = store.query(Patient.self)
        let task = _Concurrency.Task {
            var count = 0
            for try await _ in query.pages(of: 10) {
                count += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return count
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
