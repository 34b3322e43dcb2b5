import FireLiteR4
import Foundation

@testable import FireLiteClient
@testable import FireLiteSync

/// A device, a server with ways of its own and a network with faults, with everything that happens decided by a seed; and a model of what must hold:
/// nothing local is lost, nothing counts as sent that the server does not have, nothing is deleted that neither a user nor the server has deleted, and
/// everything that the server has arrives or is listed.
struct FaultSimulation {
    /// What went against an invariant.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private static let ids = ["1", "2", "3", "A", "a", "x.y", String(repeating: "7", count: 64)]
    private static let typeNames = ["Patient", "Observation", "Encounter"]

    private let seed: UInt64
    private static let policy = ConflictPolicy.merge(preferring: .remote)

    private var numbers: SeededNumbers
    private let server = ModelServer()
    private let network: FaultyNetwork
    private let device: Device
    private var nextToken = 0
    /// What users have written, with the resource: here, at the server, and what the server has added itself.
    private var tokens: [String: SyncKey] = [:]
    /// What users have deleted, here or at the server.
    private var deleted: Set<SyncKey> = []
    /// What the store had once.
    private var seen: Set<SyncKey> = []
    private let garbled = Switch<Set<String>>([])
    private(set) var faults = 0

    init(seed: UInt64) throws {
        self.seed = seed
        var numbers = SeededNumbers(seed: seed)
        var behavior = ModelServer.Behavior()
        behavior.sorts = numbers.below(2) == 0
        behavior.echoesSort = numbers.below(2) == 0
        behavior.ignoresCount = numbers.below(4) == 0
        behavior.ignoresSince = numbers.below(4) == 0
        behavior.hidesTotals = numbers.below(3) == 0
        behavior.writesEmptyLists = numbers.below(3) == 0
        behavior.returnsNothing = numbers.below(3) == 0
        behavior.hasHistory = numbers.below(4) > 0
        behavior.hasTransactions = numbers.below(2) == 0
        behavior.clockSkew = [0, 0, 300_000, -300_000][numbers.below(4)]
        if numbers.below(2) == 0 {
            behavior.adds = { Self.append("added \($0.resourceType)/\($0.id ?? "")", to: $0) }
        }
        let garbled = garbled
        behavior.garbles = { key, json in
            // Names that no release knows, at one version.
            guard garbled.value.contains(where: { json.contains("\"\($0)\"") }) else { return nil }
            return json.replacingOccurrences(of: "{\"resourceType\"", with: "{\"unheardOf\":{},\"resourceType\"")
        }
        server.behavior = behavior
        network = FaultyNetwork(server)
        let (transactions, single) = (numbers.below(3), numbers.below(2) == 0)
        let newIDs: Synchronizer.Configuration.NewIDs = .client
        let pageSize = 1 + numbers.below(5)
        device = try Device(network, scope: .types(Self.typeNames)) {
            $0.conflicts = Self.policy
            $0.grouping = single ? .single : transactions == 0 ? .batches : .automatic
            $0.newIDs = newIDs
            $0.pageSize = pageSize
            $0.maximumBundleCount = 3
            $0.maximumInterruptions = 2
            $0.maximumFailures = 1_000
        }
        self.numbers = numbers
    }

    private func fail(_ text: String) -> Violation { Violation(description: "seed \(seed): \(text)") }

    static func append(_ token: String, to resource: FHIRResource) {
        guard let slot = resource.layout.element(named: "identifier")?.slot, let layout = resource.layout.elements[slot].layout,
            let value = layout.element(named: "value")?.slot
        else { return }
        let identifier = layout.makeObject()
        identifier._setString(value, token)
        resource._setObjects(slot, resource.children("identifier") + [identifier])
    }

    static func tokens(in json: String) -> [String] {
        json.components(separatedBy: "\"value\":\"").dropFirst().compactMap { $0.components(separatedBy: "\"").first }
    }

    // MARK: - Running

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps {
            switch numbers.below(10) {
            case 0..<4: try edit()
            case 4..<6: try editAtServer()
            default: try await sync()
            }
        }
        try await heal()
    }

    private mutating func sync() async throws {
        let chance = numbers.below(4) * 15
        let random = Switch(SeededNumbers(seed: numbers.next()))
        let count = Switch(0)
        network.fault = { _ in
            var numbers = random.value
            defer { random.value = numbers }
            guard numbers.below(100) < chance else { return nil }
            count.value += 1
            return FaultyNetwork.Fault.allCases[numbers.below(FaultyNetwork.Fault.allCases.count)]
        }
        let directions: [SyncDirection] = [.both, .both, .pull, .push]
        do { try await device.sync(directions[numbers.below(4)]) } catch is FHIRClientError {}
        faults += count.value
        try await check()
    }

    // MARK: - Users

    private mutating func token(_ key: SyncKey) -> String {
        nextToken += 1
        let token = "t\(nextToken)."
        tokens[token] = key
        return token
    }

    private mutating func resource() throws -> FHIRResource {
        let typeName = Self.typeNames[numbers.below(Self.typeNames.count)]
        let key = SyncKey(typeName: typeName, id: Self.ids[numbers.below(Self.ids.count)])
        let json = #"{"resourceType":"\#(typeName)","id":"\#(key.id)"}"#
        return try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
    }

    private mutating func edit() throws {
        let resource = try resource()
        let key = SyncKey(typeName: resource.resourceType, id: resource.id ?? "")
        if numbers.below(6) == 0 {
            deleted.insert(key)
            try device.edit { _ = try $0.delete(typeName: key.typeName, id: key.id) }
        } else {
            let token = token(key)
            try device.edit { tx in
                let target = try tx.resource(typeName: key.typeName, id: key.id)?.copy() ?? resource
                Self.append(token, to: target)
                _ = try tx.upsert(target)
            }
        }
    }

    private mutating func editAtServer() throws {
        let resource = try resource()
        let key = SyncKey(typeName: resource.resourceType, id: resource.id ?? "")
        let current = server.history[key]?.last?.json
        switch numbers.below(8) {
        case 0 where current != nil:
            deleted.insert(key)
            server.remove(key.typeName, key.id)
        default:
            let token = token(key)
            let target = try current.map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) } ?? resource
            Self.append(token, to: target)
            if numbers.below(8) == 0 { garbled.value.insert(token) }
            server.put(target)
        }
    }

    // MARK: - The model

    private func stored() throws -> [SyncKey: String] {
        var stored: [SyncKey: String] = [:]
        for (path, json) in try device.contents() {
            let parts = path.split(separator: "/")
            stored[SyncKey(typeName: String(parts[0]), id: String(parts[1]))] = json
        }
        return stored
    }

    private mutating func check() async throws {
        let findings = try device.store.blocking { try $0.check() }
        guard findings.isEmpty else { throw fail("the store is not sound: \(findings)") }
        let stored = try stored()
        seen.formUnion(stored.keys)
        let history = server.history
        for key in seen where stored[key] == nil && !deleted.contains(key) { throw fail("\(key.path) is gone, and nobody has deleted it") }
        let waiting = Set(try await device.synchronizer.changes().map { SyncKey(typeName: $0.typeName, id: $0.id) })
        for (key, json) in stored where !waiting.contains(key) {
            let versions = (history[key] ?? []).compactMap(\.json)
            guard !versions.isEmpty else { throw fail("\(key.path) counts as sent, and the server never had it") }
            let own = Self.tokens(in: json)
            guard versions.contains(where: { Set(Self.tokens(in: $0)).isSuperset(of: own) }) else {
                throw fail("\(key.path) counts as sent with what the server never had: \(own)")
            }
        }
        for (token, key) in tokens where !deleted.contains(key) {
            let isHere = stored[key]?.contains("\"\(token)\"") ?? false
            let isThere = history[key]?.last?.json?.contains("\"\(token)\"") ?? false
            guard isHere || isThere else { throw fail("\(token) of \(key.path) is lost") }
        }
        for (key, versions) in history where !deleted.contains(key) {
            let added = "\"added \(key.path)\""
            guard versions.first?.json?.contains(added) != true || versions.last?.json?.contains(added) == true else {
                throw fail("what the server has added to \(key.path) is lost")
            }
        }
    }

    /// The network works: everything arrives, or is listed.
    private mutating func heal() async throws {
        network.fault = { _ in nil }
        for _ in 0..<6 {
            for change in try await device.synchronizer.changes(.parked) {
                try await device.synchronizer.retry(change.typeName, id: change.id)
            }
            // What something has said that it was done, and the server does not have, is for somebody to decide.
            for change in try await device.synchronizer.changes(.conflict) {
                try await device.synchronizer.resolve(change.typeName, id: change.id) { try Self.policy.resolve($0) }
            }
            let result = try await device.sync()
            try await check()
            if result.pulled + result.pulledDeletions + result.pushed + result.resolved == 0 { break }
        }
        let listed = Set(try await device.synchronizer.unreadable().map { SyncKey(typeName: $0.typeName ?? "", id: $0.id ?? "") })
        let (stored, contents) = (try stored(), server.contents)
        let garbled = garbled.value
        for (path, json) in contents {
            let parts = path.split(separator: "/")
            let key = SyncKey(typeName: String(parts[0]), id: String(parts[1]))
            if garbled.contains(where: { json.contains("\"\($0)\"") }) {
                guard listed.contains(key) else { throw fail("\(path) cannot be read and is not listed") }
            } else {
                guard stored[key] == json else { throw fail("\(path) differs: \(stored[key] ?? "nothing"), \(json)") }
                guard !listed.contains(key) else { throw fail("\(path) is listed and can be read") }
            }
        }
        guard server.behavior.hasHistory else { return }
        for key in stored.keys where contents[key.path] == nil {
            // A server whose version cannot be read may have been deleted before it could be.
            throw fail("\(key.path) is here, and not at the server")
        }
    }
}
