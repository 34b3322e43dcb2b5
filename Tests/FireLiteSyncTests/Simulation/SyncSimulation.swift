import FireLiteR4
import Foundation

@testable import FireLiteClient
@testable import FireLiteSync

/// Three devices, a server and a network in one process, with everything that happens decided by a seed.
///
/// A step is a message, an edit, a death or the begin of a sync. Messages are delivered, lost, repeated, delayed and overtaken by others; their answers get
/// lost; processes die before any of their writes.
struct SyncSimulation {
    /// What went against an invariant.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private let seed: UInt64
    private var numbers: SeededNumbers
    private let server = ModelServer()
    private let network = SimulatedNetwork()
    private let devices: [SimulatedDevice]
    private var nextToken = 0
    /// The resources that the tokens were added to.
    private var tokens: [String: SyncKey] = [:]
    /// The resources that some user has deleted.
    private var deleted: Set<SyncKey> = []
    /// Resources that were created together.
    private var pairs: [(SyncKey, SyncKey)] = []
    /// Requests that are still on their way although their sender has given up, with the step at which they arrive.
    private var delayed: [(request: HTTPRequest, step: Int)] = []
    /// The number of versions of each resource that were checked.
    private var checked: [SyncKey: Int] = [:]
    /// The server's time when that was.
    private var lastCheck: Int64 = 0

    init(seed: UInt64) throws {
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
        let network = network
        devices = try (0..<3).map { try SimulatedDevice($0, network) }
    }

    private func fail(_ text: String) -> Violation { Violation(description: "seed \(seed): \(text)") }

    // MARK: - Running

    mutating func run(steps: Int) async throws {
        for step in 0..<steps {
            await network.settle()
            try arrive(step)
            try act(step)
            try check()
        }
        try await heal()
    }

    private mutating func act(_ step: Int) throws {
        let messages = network.waiting
        let idle = devices.filter { !$0.isSyncing }
        switch numbers.below(100) {
        case ..<60 where !messages.isEmpty: deliver(messages[numbers.below(messages.count)], step)
        case 60..<64: devices[numbers.below(3)].kill(after: numbers.below(6))
        case 64..<74 where !idle.isEmpty: try idle[numbers.below(idle.count)].start()
        case 74...: try edit(devices[numbers.below(3)])
        default:
            if let message = messages.first { deliver(message, step) } else if let device = idle.first { try device.start() }
        }
    }

    private mutating func deliver(_ message: SimulatedNetwork.Message, _ step: Int) {
        let lost = HTTPTransportError(.connectionLost, "the connection broke")
        switch numbers.below(20) {
        case 0: network.answer(message, .failure(lost))
        case 1:
            // The answer gets lost.
            _ = server.answer(message.request)
            network.answer(message, .failure(lost))
        case 2 where message.request.method != .get:
            // The sender gives up, but the request arrives later.
            delayed.append((message.request, step + 1 + numbers.below(6)))
            network.answer(message, .failure(lost))
        case 3:
            // Something on the way repeats it.
            let first = server.answer(message.request)
            _ = server.answer(message.request)
            network.answer(message, .success(first))
        case 4: network.answer(message, .success(HTTPResponse(503)))
        default: network.answer(message, .success(server.answer(message.request)))
        }
    }

    private mutating func arrive(_ step: Int) throws {
        for entry in delayed where entry.step <= step { _ = server.answer(entry.request) }
        delayed.removeAll { $0.step <= step }
    }

    // MARK: - Users

    private mutating func token(for key: SyncKey) -> Identifier {
        nextToken += 1
        let text = "t\(nextToken)."
        tokens[text] = key
        return Identifier { $0.value = text }
    }

    private mutating func newPatient() -> Patient {
        let key = SyncKey(typeName: "Patient", id: "p\(nextToken + 1)")
        let identifier = token(for: key)
        return Patient {
            $0.id = key.id
            $0.identifier = [identifier]
        }
    }

    private mutating func edit(_ device: SimulatedDevice) throws {
        let ids = try device.store.read { tx in try tx.query(Patient.self).ids().sorted() }
        let id = ids.isEmpty ? nil : ids[numbers.below(ids.count)]
        switch (numbers.below(20), id) {
        case (0, let id?):
            deleted.insert(SyncKey(typeName: "Patient", id: id))
            try device.store.write { tx in _ = try tx.delete(Patient.self, id: id) }
        case (1...3, let id?):
            let key = SyncKey(typeName: "Observation", id: "o\(nextToken + 1)")
            let observation = sampleObservation(key.id, of: id)
            observation.identifier = [token(for: key)]
            try device.store.write { tx in _ = try tx.upsert(observation) }
        case (4, _):
            // Two that refer to each other.
            let first = newPatient()
            let second = newPatient()
            for (one, other) in [(first, second), (second, first)] {
                let target = "Patient/\(other.id ?? "")"
                one.link = [
                    PatientLink {
                        $0.other = Reference { $0.reference = target }
                        $0.type = .seealso
                    }
                ]
            }
            pairs.append(
                (SyncKey(typeName: "Patient", id: first.id ?? ""), SyncKey(typeName: "Patient", id: second.id ?? "")))
            try device.store.write { tx in _ = try tx.upsert([first, second]) }
        case (5...12, let id?):
            let identifier = token(for: SyncKey(typeName: "Patient", id: id))
            try device.store.write { tx in try tx.resource(Patient.self, id: id)?.identifier.append(identifier) }
        default:
            guard ids.count < 25 else { return }
            let patient = newPatient()
            try device.store.write { tx in _ = try tx.upsert(patient) }
        }
    }

    // MARK: - Invariants

    private static func tokens(in json: String) -> [String] {
        json.components(separatedBy: "\"value\":\"").dropFirst().compactMap { $0.components(separatedBy: "\"").first }
    }

    /// Looks at what the server has got since the last step.
    private mutating func check() throws {
        let now = server.now
        guard now != lastCheck else { return }
        lastCheck = now
        let history = server.newVersions(after: checked)
        for (key, versions) in history {
            for (index, version) in versions.enumerated() where index >= checked[key] ?? 0 {
                guard let json = version.json else { continue }
                let found = Self.tokens(in: json)
                guard Set(found).count == found.count else { throw fail("\(key.path) has something twice: \(found)") }
                if index > 0, let before = versions[index - 1].json {
                    guard ModelServer.plain(before) != ModelServer.plain(json) else { throw fail("\(key.path) was changed twice") }
                    guard deleted.contains(key) || Set(found).isSuperset(of: Self.tokens(in: before)) else {
                        throw fail("\(key.path) lost \(Set(Self.tokens(in: before)).subtracting(found))")
                    }
                }
                for target in ReferenceScan.keys(in: json, base: "") where !server.exists(target) && !deleted.contains(target) {
                    throw fail("\(key.path) came before \(target.path)")
                }
            }
            checked[key] = versions.count
        }
        guard !history.isEmpty else { return }
        for (first, second) in pairs where !deleted.contains(first) && !deleted.contains(second) {
            guard server.exists(first) == server.exists(second) else { throw fail("\(first.path) came without \(second.path)") }
        }
    }

    /// The network works again, and everybody syncs: all must be equal, and nothing missing.
    private mutating func heal() async throws {
        while true {
            await network.settle()
            guard let message = network.waiting.first else { break }
            network.answer(message, .failure(HTTPTransportError(.cannotConnect, "the network is down")))
        }
        try arrive(.max)
        for device in devices { device.revive() }
        // A round for what each device has, and one in which everybody gets it; conflicts may take another.
        for _ in 0..<4 {
            var isQuiet = true
            for device in devices {
                let result = try await device.synchronizer(server, pageSize: 100).sync()
                isQuiet = isQuiet && result.pulled + result.pulledDeletions + result.pushed + result.resolved == 0
            }
            try check()
            if isQuiet { break }
        }
        let contents = server.contents
        for device in devices {
            let own = try device.store.blocking { _ in try device.contents() }
            guard own == contents else {
                let keys = Set(own.keys).union(contents.keys).filter { own[$0] != contents[$0] }.sorted()
                throw fail("device \(device.number) differs in \(keys): \(own[keys[0]] ?? "nothing"), \(contents[keys[0]] ?? "nothing")")
            }
            let findings = try device.store.blocking { try $0.check() }
            guard findings.isEmpty else { throw fail("device \(device.number) is not sound: \(findings)") }
            let waiting = try await device.synchronizer(server).changes()
            guard waiting.isEmpty else { throw fail("device \(device.number) still has \(waiting)") }
        }
        for (token, key) in tokens where !deleted.contains(key) {
            guard contents[key.path]?.contains("\"\(token)\"") == true else { throw fail("\(token) of \(key.path) is lost") }
        }
    }
}
