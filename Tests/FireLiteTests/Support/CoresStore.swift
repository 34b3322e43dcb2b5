import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport

@testable import FireLite

/// Stores whose reads are split over cores however small they are.
enum CoresStore {
    static func open(_ path: String, cores: Int) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        configuration.maximumCores = cores
        configuration.bytesForMoreCores = 0
        return try FHIRStore(path: path, release: .r4, configuration: configuration)
    }

    /// Adds resources of several types, some without an id, some that refer to one of those.
    static func fill(_ store: FHIRStore, count: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try store.write { tx in
            for number in 0..<count {
                let patient = Patient()
                if Int.random(in: 0..<10, using: &random) > 0 { patient.id = "p\(number)" }
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    patient.name.append(
                        HumanName { $0.family = String(repeating: "ä\n", count: Int.random(in: 0...40, using: &random)) + "x" })
                }
                try tx.add(patient)
                guard Bool.random(using: &random) else { continue }
                let observation = Observation { $0.id = "o\(number)" }
                observation.subject = Reference(to: patient)
                try tx.add(observation)
            }
        }
    }

    /// Each write adds as many patients as observations, so that a snapshot has as many of one as of the other.
    static func addPairs(_ count: Int, _ prefix: String, each: Int = .max, to path: String) throws {
        let store = try FHIRStore(path: path, release: .r4)
        for start in stride(from: 0, to: count, by: min(each, count)) {
            try store.write { tx in
                for number in start..<min(start + min(each, count), count) {
                    try tx.add(Patient { $0.id = "\(prefix)\(number)" })
                    try tx.add(Observation { $0.id = "\(prefix)\(number)" })
                }
            }
        }
    }
}
