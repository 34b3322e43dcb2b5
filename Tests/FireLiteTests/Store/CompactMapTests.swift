import FireLiteCore
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Values that several cores make of resources are those that one makes, in the same order.
@Suite struct CompactMapTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
    }

    private func open(cores: Int) throws -> FHIRStore { try CoresStore.open(path, cores: cores) }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func valuesAreTheSameHoweverManyCores(_ seed: UInt64) throws {
        try CoresStore.fill(open(cores: 1), count: [0, 5, 256, 3_000][Int(seed) - 1], seed: seed)
        var expected: [String] = []
        try open(cores: 1).read { tx in
            try tx.forEach(Patient.self) { if $0.name.count != 1 { expected.append("\($0.pk) \($0.name.count) \(FHIRJSON.string($0))") } }
        }
        let transform: @Sendable (Patient) -> String? = { $0.name.count == 1 ? nil : "\($0.pk) \($0.name.count) \(FHIRJSON.string($0))" }
        for cores in [1, 2, 5] {
            let store = try open(cores: cores)
            #expect(try store.compactMap(Patient.self, transform) == expected)
            #expect(try store.compactMap(typeName: "Patient") { ($0 as? Patient).flatMap(transform) } == expected)
            var values: [String] = []
            try store.forEach(Patient.self, transform: transform) { values.append($0) }
            #expect(values == expected)
            #expect(try store.compactMap(Encounter.self) { $0.id }.isEmpty)
        }
    }

    @Test func awaitedValuesAreTheSame() async throws {
        let store = try open(cores: 3)
        try store.blocking { try CoresStore.fill($0, count: 900, seed: 5) }
        let expected = try store.blocking { try $0.compactMap(Patient.self) { $0.pk } }
        #expect(expected.count == 900)
        #expect(try await store.compactMap(Patient.self) { $0.pk } == expected)
        #expect(try await store.compactMap(typeName: "Patient") { $0.pk } == expected)
        let values = Values()
        try await store.forEach(Patient.self, transform: { $0.pk }) { values.append($0) }
        try await store.forEach(typeName: "Patient", transform: { $0.pk }) { values.append($0) }
        #expect(values.all == expected + expected)
    }

    private final class Values: @unchecked Sendable {
        private let lock = NSLock()
        private var values: [String] = []
        func append(_ value: String) { lock.withLock { values.append(value) } }
        var all: [String] { lock.withLock { values } }
    }

    @Test func anUnknownTypeIsAnError() throws {
        let store = try open(cores: 3)
        #expect { try store.compactMap(typeName: "Patients") { $0.id } } throws: { ($0 as? FHIRStoreError)?.code == .invalidArgument }
    }

    /// All values before a failed one, in their order, and nothing after it.
    @Test func errorsEndTheWork() throws {
        struct Bad: Error, Equatable { var number: Int }
        for cores in [1, 4] {
            let store = try open(cores: cores)
            if cores == 1 { try store.write { tx in for number in 0..<3_000 { try tx.add(Patient { $0.id = "\(number)" }) } } }
            var seen: [Int] = []
            #expect(throws: Bad(number: 1_700)) {
                try store.forEach(
                    Patient.self,
                    transform: { patient in
                        let number = patient.id.flatMap { Int($0) } ?? 0
                        if number == 1_700 || number == 2_900 { throw Bad(number: number) }
                        return number
                    }, { seen.append($0) })
            }
            #expect(seen == Array(0..<1_700))
            #expect(throws: Bad(number: 7)) {
                try store.forEach(Patient.self, transform: { $0.id }) { if $0 == "7" { throw Bad(number: 7) } }
            }
            // All connections are free again.
            #expect(try store.compactMap(Patient.self) { $0.id }.count == 3_000)
            try store.close()
        }
    }

    /// Where the list of resources is damaged, the values before come first.
    @Test func damageOfTheRegistryComesInItsPlace() throws {
        try CoresStore.fill(open(cores: 1), count: 2_000, seed: 6)
        try damage("DELETE FROM _resource WHERE root = (SELECT _k >> 24 FROM Patient ORDER BY _k LIMIT 1 OFFSET 1700)")
        var results: [[String]] = []
        for cores in [1, 2, 5] {
            let store = try open(cores: cores)
            var seen: [String] = []
            #expect { try store.forEach(Patient.self, transform: { $0.pk }) { seen.append($0) } } throws: {
                ($0 as? FHIRStoreError)?.code == .notAStore
            }
            results.append(seen)
        }
        #expect(results[0].count >= 1_024 && results[1] == results[0] && results[2] == results[0], "\(results.map(\.count))")
    }

    private func damage(_ sql: String) throws { try Connection(path: path, pageChecksums: .unverified).execute(sql) }

    /// Reads inside `transform` see the snapshot of the call, on each thread.
    @Test func allThreadsReadOneSnapshotWhileOthersWrite() async throws {
        let path = path
        try CoresStore.addPairs(400, "a", to: path)
        let writing = _Concurrency.Task.detached { try CoresStore.addPairs(300, "b", each: 1, to: path) }
        let store = try open(cores: 4)
        for _ in 0..<20 {
            let counts = try store.blocking { store in
                try store.compactMap(Patient.self) { patient in
                    let id = try #require(patient.id)
                    #expect(try store.resource(Observation.self, id: id) != nil)
                    return id.hasSuffix("0") ? try store.count(Observation.self) : -1
                }
            }
            #expect(Set(counts).subtracting([-1]) == [counts.count])
        }
        try await writing.value
    }

    /// In a write, changes that are not saved yet count.
    @Test func inAWriteOneThreadDoesIt() throws {
        let store = try open(cores: 3)
        try CoresStore.fill(store, count: 600, seed: 8)
        try store.write { tx in
            let patient = try #require(try tx.resource(Patient.self, id: "p3") ?? tx.resource(Patient.self, id: "p4"))
            patient.gender = .other
            try tx.add(Patient { $0.id = "new" })
            let thread = ObjectIdentifier(Thread.current)
            let found = try store.compactMap(Patient.self) { resource in
                #expect(ObjectIdentifier(Thread.current) == thread)
                return resource.id == "new" || resource.gender == .other ? resource.id : nil
            }
            #expect(found == [patient.id, "new"])
        }
        #expect(try FHIRStore.inMemory(release: .r4).compactMap(Patient.self) { $0.id }.isEmpty)
    }

    @Test func aCancelledTaskEndsIt() async throws {
        let store = try open(cores: 3)
        try store.blocking { try CoresStore.fill($0, count: 2_000, seed: 8) }
        let reached = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let task = _Concurrency.Task {
            try await store.compactMap(Patient.self) { patient in
                reached.continuation.yield()
                gate.pass()
                return patient.pk
            }
        }
        for await _ in reached.stream { break }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Transforms that take long are not begun for many resources after an error, a cancellation or before the first value.
    @Test func slowTransformsAreFewAtATime() async throws {
        struct Enough: Error {}
        let store = try open(cores: 3)
        try store.blocking { try CoresStore.fill($0, count: 2_000, seed: 8) }
        let begun = Counter()
        // About 20 ms each, by the clock that parts are measured with.
        let slowly: @Sendable (Patient) throws -> String? = { patient in
            begun.add()
            let end = ContinuousClock.now + .milliseconds(20)
            while ContinuousClock.now < end {}
            return patient.pk
        }
        #expect(throws: Enough.self) { try store.blocking { try $0.forEach(Patient.self, transform: slowly) { _ in throw Enough() } } }
        #expect(begun.value <= 9 * 16, "\(begun.value)")
        begun.reset()
        let task = _Concurrency.Task { try await store.compactMap(Patient.self, slowly) }
        while begun.value < 3 { await _Concurrency.Task.yield() }
        task.cancel()
        let before = begun.value
        await #expect(throws: CancellationError.self) { try await task.value }
        // Each thread ends with the one that it has begun.
        #expect(begun.value <= before + 3, "\(before), \(begun.value)")
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func add() { lock.withLock { count += 1 } }
        func reset() { lock.withLock { count = 0 } }
        var value: Int { lock.withLock { count } }
    }

    /// Holds threads until it is opened.
    private final class Gate: @unchecked Sendable {
        private let condition = NSCondition()
        private var isOpen = false
        func pass() {
            condition.lock()
            while !isOpen { condition.wait() }
            condition.unlock()
        }
        func open() {
            condition.lock()
            isOpen = true
            condition.broadcast()
            condition.unlock()
        }
    }

    @Test func aDamagedResourceIsAnError() throws {
        let store = try open(cores: 3)
        try CoresStore.fill(store, count: 1_500, seed: 4)
        try store.close()
        try damage("UPDATE Patient_name SET family = 'other' WHERE _k = (SELECT max(_k) FROM Patient_name)")
        for cores in [1, 3] {
            #expect { try open(cores: cores).compactMap(Patient.self) { $0.pk } } throws: { ($0 as? FHIRStoreError)?.code == .notAStore }
        }
    }
}
