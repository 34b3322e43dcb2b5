import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation

/// NDJSON into a fresh store that requires the profiles of the guides of `--package`, beside the same into one that requires nothing.
struct ValidatedImportWorkload: Workload {
    static let imported = "NDJSON import, requiring profiles, against requiring nothing"

    var names: [String] { [Self.imported] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.imported) else { return [] }
        let knowledge = try bench.options.knowledge()
        let (text, count) = try valid(bench, FHIRValidator(knowledge: knowledge))
        guard count > 0 else { return [] }
        var (path, plainPath) = ("", "")
        defer { for path in [text, path, plainPath] { bench.scratch.delete(path) } }
        func importAll(_ path: String, _ stopwatch: Stopwatch?, isValidated: Bool) throws {
            let store = try bench.openStore(path)
            if isValidated { try store.requireValidation(.profiles(FHIRValidator(knowledge: knowledge))) }
            func run() throws { _ = try TransferWorkloads.importFile(text, into: store) }
            if let stopwatch { try stopwatch.measure(run) } else { try run() }
        }
        var measurement = try bench.measure(
            Self.imported, operations: count,
            subject: { stopwatch in
                bench.scratch.delete(path)
                path = bench.scratch.fresh()
                try importAll(path, stopwatch, isValidated: true)
            },
            floor: { stopwatch in
                bench.scratch.delete(plainPath)
                plainPath = bench.scratch.fresh()
                try importAll(plainPath, stopwatch, isValidated: false)
            },
            verify: {
                let (found, plain) = (try bench.openStore(path).counts(), try bench.openStore(plainPath).counts())
                return found.reduce(0) { $0 + $1.count } == count && found.map(\.count) == plain.map(\.count)
            })
        let spare = bench.scratch.fresh()
        defer { bench.scratch.delete(spare) }
        measurement.addedMB = try bench.addedMemory { try importAll(spare, nil, isValidated: true) }
        return [measurement]
    }

    /// A file with the resources that are valid, as a store that requires it refuses others, and their number.
    private func valid(_ bench: Bench, _ validator: FHIRValidator) throws -> (path: String, count: Int) {
        let policy = StoreValidation.profiles(validator).undecided
        var text = Data()
        var count = 0
        for range in bench.corpus.chunks(of: 5_000) {
            for resource in try bench.corpus.objects(range) where try !validator.validate(resource).contains(where: policy.refuses) {
                text.append(FHIRJSON.data(resource))
                text.append(UInt8(ascii: "\n"))
                count += 1
            }
        }
        let path = bench.scratch.fresh("ndjson")
        try text.write(to: URL(fileURLWithPath: path))
        return (path, count)
    }
}
