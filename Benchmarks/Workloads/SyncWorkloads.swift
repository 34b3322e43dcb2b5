import FireLite
import FireLiteR4
import FireLiteSync
import Foundation

/// Synchronizing with a server in this process that answers at once. The floor reads, encodes and sends the same resources, or receives and upserts
/// them, with the same client and store but without bookkeeping.
struct SyncWorkloads: Workload {
    static let push = "push of new resources, against reading, encoding and sending"
    static let pull = "pull, against receiving and upserting"
    static let walk = "pull from a server that does not sort, against receiving and upserting"
    static let memory = "pull of generated pages"
    /// The number of resources that are pushed.
    private static let pushed = 10_000
    private static let pageSize = 500

    var names: [String] { [Self.push, Self.pull, Self.walk, Self.memory] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        var measurements: [Measurement] = []
        if bench.wants(Self.push) { measurements.append(try push(bench.sibling(bench.corpus.prefix(Self.pushed)))) }
        if bench.wants(Self.pull) { measurements.append(try pull(bench, Self.pull, sortsAsAsked: true)) }
        if bench.wants(Self.walk) { measurements.append(try pull(bench, Self.walk, sortsAsAsked: false)) }
        if bench.wants(Self.memory) { measurements.append(try memory(bench)) }
        return measurements
    }

    private static func client(_ transport: any HTTPTransport) throws -> FHIRClient {
        guard let base = URL(string: PageServer.base) else { throw BenchmarkFailure("the server has no address") }
        return try FHIRClient(base: base, release: .r4, transport: transport)
    }

    // MARK: - Push

    private func push(_ bench: Bench) throws -> Measurement {
        let paths = [bench.scratch.fresh(), bench.scratch.fresh()]
        defer { for path in paths { bench.scratch.delete(path) } }
        var (sent, floorSent): ([Data], [Data]) = ([], [])
        return try bench.measure(
            Self.push, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(paths[0])
                let store = try bench.openStore(paths[0])
                let server = BundleServer()
                var configuration = Synchronizer.Configuration()
                configuration.grouping = .transactions
                configuration.maximumBundleCount = Self.pageSize
                let synchronizer = Synchronizer(store, try Self.client(server), scope: .nothing, configuration: configuration)
                // The resources are new since this sync.
                _ = try Waiting.value { try await synchronizer.push() }
                try Fixture.upsertAll(bench.corpus, into: store, Stopwatch())
                _ = try stopwatch.measure { try Waiting.value { try await synchronizer.push() } }
                sent = server.received
            },
            floor: { stopwatch in
                bench.scratch.delete(paths[1])
                let store = try bench.openStore(paths[1])
                try Fixture.upsertAll(bench.corpus, into: store, Stopwatch())
                let server = BundleServer()
                let client = try Self.client(server)
                try stopwatch.measure { try Waiting.value { try await Self.sendAll(store, client) } }
                floorSent = server.received
            },
            verify: { try Self.holds(bench.corpus, sent) && Self.holds(bench.corpus, floorSent) })
    }

    private static func sendAll(_ store: FHIRStore, _ client: FHIRClient) async throws {
        var entries: [FHIRBundleEntry] = []
        for type in try await store.counts() {
            let all = try store.blocking { store in
                try store.read { transaction in
                    var entries: [FHIRBundleEntry] = []
                    try transaction.forEach(typeName: type.typeName) { entries.append(FHIRBundleEntry(try .update($0))) }
                    return entries
                }
            }
            for entry in all {
                entries.append(entry)
                guard entries.count == pageSize else { continue }
                _ = try await client.submit(entries, as: .transaction)
                entries = []
            }
        }
        if !entries.isEmpty { _ = try await client.submit(entries, as: .transaction) }
    }

    /// Whether Bundles have each resource once.
    private static func holds(_ corpus: Corpus, _ bundles: [Data]) throws -> Bool {
        var found: [String: FHIRResource] = [:]
        var count = 0
        for bundle in bundles {
            guard let bundle = try FHIRJSON.resource(from: bundle, release: .r4) as? FireLiteR4.Bundle else { return false }
            for entry in bundle.entry {
                guard let resource = entry.resource, let id = resource.id else { return false }
                found["\(resource.resourceType)/\(id)"] = resource
                count += 1
            }
        }
        guard count == corpus.count, found.count == corpus.count else { return false }
        for resource in try corpus.objects() where found["\(resource.resourceType)/\(resource.id ?? "")"] != resource { return false }
        return true
    }

    // MARK: - Pull

    /// - Parameter sortsAsAsked: whether the server does; where it does not, ids and versions are compared in the end, with everything sent again.
    private func pull(_ bench: Bench, _ name: String, sortsAsAsked: Bool) throws -> Measurement {
        let texts = try Self.texts(bench.corpus)
        let types = texts.keys.sorted()
        let server = PageServer(counts: texts.mapValues(\.count), sortsAsAsked: sortsAsAsked) { type, number, page in
            if let text = texts[type]?[number] { page.append(text) }
        }
        let paths = [bench.scratch.fresh(), bench.scratch.fresh()]
        defer { for path in paths { bench.scratch.delete(path) } }
        let scope = SyncScope.types(types)
        return try bench.measure(
            name, operations: bench.size,
            subject: { stopwatch in
                bench.scratch.delete(paths[0])
                let synchronizer = Synchronizer(try bench.openStore(paths[0]), try Self.client(server), scope: scope)
                _ = try stopwatch.measure { try Waiting.value { try await synchronizer.pull() } }
            },
            floor: { stopwatch in
                bench.scratch.delete(paths[1])
                let store = try bench.openStore(paths[1])
                let client = try Self.client(server)
                try stopwatch.measure { try Waiting.value { try await Self.receiveAll(types, store, client) } }
            },
            verify: { try paths.allSatisfy { try Self.holds(texts, bench.size, bench.openStore($0)) } })
    }

    /// The resources as a server has them, by type.
    private static func texts(_ corpus: Corpus) throws -> [String: [Data]] {
        var texts: [String: [Data]] = [:]
        for range in corpus.chunks() {
            for object in try corpus.objects(range) {
                guard let resource = object as? Resource else { continue }
                let meta = resource.meta ?? Meta()
                meta.versionId = "1"
                meta.lastUpdated = FHIRInstant(PageServer.instant(texts[resource.resourceType]?.count ?? 0))
                resource.meta = meta
                texts[resource.resourceType, default: []].append(FHIRJSON.data(resource))
            }
        }
        return texts
    }

    private static func receiveAll(_ types: [String], _ store: FHIRStore, _ client: FHIRClient) async throws {
        for type in types {
            for try await page in try client.search(typeName: type, ["_count": "\(pageSize)"]) {
                try store.blocking { store in try store.write { transaction in _ = try transaction.upsert(page.matches) } }
            }
        }
    }

    /// Whether a store has the resources; of each type every tenth is compared.
    private static func holds(_ texts: [String: [Data]], _ size: Int, _ store: FHIRStore) throws -> Bool {
        guard try store.statistics().resources == size else { return false }
        return try store.read { transaction in
            for (type, texts) in texts {
                for text in stride(from: 0, to: texts.count, by: 10).map({ texts[$0] }) {
                    let resource = try FHIRJSON.resource(from: text, release: .r4)
                    guard let id = resource.id, try transaction.resource(typeName: type, id: id) == resource else { return false }
                }
            }
            return true
        }
    }

    // MARK: - Memory

    /// A pull of so many small observations; the server makes each page when it is asked for, and keeps nothing.
    private func memory(_ bench: Bench) throws -> Measurement {
        let server = PageServer(counts: ["Observation": bench.size]) { _, number, page in
            page.append(contentsOf: Self.observation(number).utf8)
        }
        let path = bench.scratch.fresh()
        defer { bench.scratch.delete(path) }
        let synchronizer = Synchronizer(try bench.openStore(path), try Self.client(server), scope: .types("Observation"))
        let stopwatch = Stopwatch()
        let added = try bench.addedMemory {
            _ = try stopwatch.measure { try Waiting.value { try await synchronizer.pull() } }
        }
        let peak = ProcessMemory.peakMB
        let store = try bench.openStore(path)
        let last = bench.size - 1
        let isRight =
            try store.count(Observation.self) == bench.size
            && store.resource(Observation.self, id: "o\(last)")?.subject?.reference == "Patient/p\(last % 1_000)"
        var measurement = Measurement(
            name: Self.memory, kind: bench.corpus.kind, size: bench.size, operations: bench.size,
            repetitions: [Measurement.Repetition(cost: stopwatch.cost, floor: nil)], peakMB: peak, isVerified: isRight)
        measurement.addedMB = added
        return measurement
    }

    private static func observation(_ number: Int) -> String {
        #"{"resourceType":"Observation","id":"o\#(number)","meta":{"versionId":"1","lastUpdated":"\#(PageServer.instant(number))"},"#
            + #""status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7","display":"Body weight"}]},"#
            + #""subject":{"reference":"Patient/p\#(number % 1_000)"},"effectiveDateTime":"2026-01-01","#
            + #""valueQuantity":{"value":\#(60 + number % 40),"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}"#
    }
}
