import FireLite
import FireLiteR4

/// What it costs to have each statement reported (`Configuration.observeStatements`), beside the same fetches of a store without a hook.
struct StatementHookWorkload: Workload {
    static let name = "fetch one by id, statements reported, against without"

    var names: [String] { [Self.name] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.name) else { return [] }
        let keys = try ResourceKey.sample(bench.corpus, FetchWorkloads.sampleSize)
        let counter = Counter()
        var configuration = FHIRStore.Configuration()
        configuration.observeStatements = { counter.add($0) }
        let observed = try FHIRStore(path: bench.fixture.path(), release: .r4, configuration: configuration)
        let plain = try bench.openStore(bench.fixture.path())
        var found = 0
        var floorFound = 0
        let measurement = try bench.measure(
            Self.name, operations: keys.count,
            subject: { stopwatch in
                found = try stopwatch.measure { try Self.fetch(keys, observed) }
            },
            floor: { stopwatch in
                floorFound = try stopwatch.measure { try Self.fetch(keys, plain) }
            },
            verify: { found == keys.count && floorFound == keys.count && counter.statements > keys.count && counter.rows > keys.count })
        return [measurement]
    }

    private static func fetch(_ keys: [ResourceKey], _ store: FHIRStore) throws -> Int {
        try keys.count { try store.resource(typeName: $0.typeName, id: $0.id) != nil }
    }

    /// The least that a hook does. The fetches are on one thread.
    private final class Counter: @unchecked Sendable {
        private(set) var statements = 0
        private(set) var rows = 0

        func add(_ report: StatementReport) {
            statements += 1
            rows += report.rows
        }
    }
}
