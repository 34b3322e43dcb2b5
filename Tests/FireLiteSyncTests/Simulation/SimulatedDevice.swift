import FireLiteR4
import Foundation

@testable import FireLiteClient
@testable import FireLiteSync

/// The process of a device died.
struct Killed: Error {}

/// A device of a simulation: a store that survives the deaths of its process.
///
/// `@unchecked Sendable`: the lock guards the state.
final class SimulatedDevice: @unchecked Sendable {
    let number: Int
    let store: FHIRStore
    let clock = TestClock(random: 0)
    private let network: SimulatedNetwork
    private let lock = NSLock()
    private var isRunning = false
    private var isDead = false
    /// The number of writes until the process dies; nil if it lives on.
    private var writesLeft: Int?

    init(_ number: Int, _ network: SimulatedNetwork) throws {
        self.number = number
        self.network = network
        store = try FHIRStore.inMemory(release: .r4)
    }

    var isSyncing: Bool { lock.withLock { isRunning } }

    /// The process dies before its next write but `writes`.
    func kill(after writes: Int) { lock.withLock { writesLeft = writes } }

    private func checkpoint() throws {
        try lock.withLock {
            if let left = writesLeft {
                if left == 0 { isDead = true }
                writesLeft = left - 1
            }
            if isDead { throw Killed() }
        }
    }

    /// - Parameter pageSize: small, so that pulls are interrupted between pages.
    func synchronizer(_ transport: any HTTPTransport, pageSize: Int = 5) throws -> Synchronizer {
        var settings = FHIRClient.Configuration()
        settings.clock = clock.clock
        settings.retry = .never
        let client = try FHIRClient(base: testBase, release: .r4, configuration: settings, transport: transport)
        var configuration = Synchronizer.Configuration()
        configuration.conflicts = .merge(preferring: .remote)
        configuration.grouping = .transactions
        configuration.pageSize = pageSize
        configuration.maximumBundleCount = 4
        configuration.overlap = .milliseconds(20)
        configuration.maximumInterruptions = 2
        return Synchronizer(
            store, client, scope: .types("Patient", "Observation"), configuration: configuration,
            checkpoint: { [weak self] in try self?.checkpoint() })
    }

    /// Begins a sync. The network learns when it has ended.
    func start() throws {
        lock.withLock {
            isRunning = true
            if isDead {
                // The lease of the dead process runs out.
                clock.advance(200)
                isDead = false
                writesLeft = nil
            }
        }
        let synchronizer = try self.synchronizer(SimulatedTransport(network: network, device: number))
        network.begin()
        startTask {
            do {
                try await synchronizer.sync()
            } catch {
                // What failed goes on with the next sync.
            }
            self.lock.withLock { self.isRunning = false }
            self.network.end()
        }
    }

    /// The process lives on from here.
    func revive() {
        lock.withLock {
            isDead = false
            writesLeft = nil
        }
        clock.advance(200)
    }

    /// What every resource is, without meta.
    func contents() throws -> [String: String] {
        try store.read { tx in
            var contents: [String: String] = [:]
            for type in try tx.counts() {
                try tx.forEach(typeName: type.typeName) { resource in
                    contents["\(resource.resourceType)/\(resource.id ?? "")"] = ModelServer.plain(FHIRJSON.string(resource))
                }
            }
            return contents
        }
    }
}
