import FireLite
import FireLiteR4
import FireLiteTrust

/// What a restricted view costs, beside the same reads of the whole store. Every resource is permitted, so both find the same.
struct PermissionWorkloads: Workload {
    static let decision = "decide about one resource, against fetching it"
    static let fetch = "fetch 256 by id through a view, against without"
    static let count = "count a type through a view, against without"

    var names: [String] { [Self.decision, Self.fetch, Self.count] }

    private static let batch = 256

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard names.contains(where: bench.wants) else { return [] }
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path)
        try Self.permit(store)
        let view = store.restricted(to: "practice", purpose: "TREAT")
        let ids = try store.query(Observation.self).limit(Self.batch).all().compactMap(\.id)
        var measurements: [Measurement] = []
        if bench.wants(Self.decision) { measurements.append(try decisions(bench, store, ids)) }
        if bench.wants(Self.fetch) { measurements.append(try fetches(bench, store, view, ids)) }
        if bench.wants(Self.count) { measurements.append(try counts(bench, store, view)) }
        return measurements
    }

    /// Permits what most Consents do: a type up to a level of confidentiality, and not what has one of some sensitivities.
    private static func permit(_ store: FHIRStore) throws {
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        let identity = Identity(id: owner.id, authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)])
        try store.write { tx in
            try tx.setIdentity(identity)
            let rules = [
                AccessRule(.permit, to: ["practice"], types: ["Observation"], confidentiality: .normal, purposes: ["TREAT"]),
                AccessRule(.deny, to: ["practice"], sensitivities: ["HIV"]),
            ]
            for rule in rules { try tx.grant(AccessPermission(grantor: owner.id, rule: rule), signedBy: owner) }
        }
    }

    private func decisions(_ bench: Bench, _ store: FHIRStore, _ ids: [String]) throws -> Measurement {
        let request = PermissionRequest(actor: "practice", purpose: "TREAT")
        var (permitted, found) = (0, 0)
        return try bench.measure(
            Self.decision, operations: ids.count,
            subject: { stopwatch in
                permitted = try stopwatch.measure {
                    try store.read { tx in
                        try ids.filter { try tx.decision(on: request, typeName: "Observation", id: $0).isPermitted }.count
                    }
                }
            },
            floor: { stopwatch in
                found = try stopwatch.measure {
                    try store.read { tx in try ids.filter { try tx.resource(Observation.self, id: $0) != nil }.count }
                }
            },
            verify: { permitted == ids.count && found == ids.count })
    }

    private func fetches(_ bench: Bench, _ store: FHIRStore, _ view: RestrictedStore, _ ids: [String]) throws -> Measurement {
        var (found, plain) = (0, 0)
        return try bench.measure(
            Self.fetch, operations: ids.count,
            subject: { stopwatch in found = try stopwatch.measure { try view.resources(Observation.self, ids: ids).count } },
            floor: { stopwatch in plain = try stopwatch.measure { try store.resources(Observation.self, ids: ids).count } },
            verify: { found == ids.count && plain == ids.count })
    }

    private func counts(_ bench: Bench, _ store: FHIRStore, _ view: RestrictedStore) throws -> Measurement {
        var (found, plain) = (0, 0)
        return try bench.measure(
            Self.count, operations: 1,
            subject: { stopwatch in found = try stopwatch.measure { try view.count(Observation.self) } },
            floor: { stopwatch in plain = try stopwatch.measure { try store.count(Observation.self) } },
            verify: { found == plain })
    }
}
