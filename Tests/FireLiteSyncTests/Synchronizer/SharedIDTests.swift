import FireLiteCore
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Servers number each type from 1: a dictionary says what the server and two devices must have after each sync.
@Suite struct SharedIDTests {
    private static let types = ["Patient", "Observation", "Encounter", "Basic"]
    private static let ids = ["1", "2", "3", "a", "A", String(repeating: "x", count: 63) + "1", String(repeating: "x", count: 63) + "2"]

    private static func resource(_ type: String, _ id: String, _ value: String, _ release: FHIRRelease) throws -> FHIRResource {
        let required =
            switch type {
            case "Observation": #","status":"final","code":{"text":"c"}"#
            case "Encounter": #","status":"planned","class":{"code":"AMB"}"#
            case "Basic": #","code":{"text":"c"}"#
            default: ""
            }
        let json = #"{"resourceType":"\#(type)","id":"\#(id)","language":"\#(value)"\#(required)}"#
        return try FHIRJSON.resource(from: Data(json.utf8), release: release)
    }

    /// `Type/id` with its language.
    private static func languages(_ contents: [String: String]) throws -> [String: String] {
        try contents.mapValues { json in
            let tree = try JSONTree(json)
            guard case .string(let language) = tree["language"] else { return "" }
            return language
        }
    }

    @Test(arguments: [false, true]) func syncTellsResourcesApart(isData: Bool) async throws {
        let release = isData ? try #require(BundledRelease.named("R4")).release : FHIRRelease.r4
        for seed in Effort.seeds(byDay: 6, atNight: 200) {
            var random = SeededGenerator(seed: seed)
            let server = ModelServer()
            server.behavior.hasTransactions = random.percent(50)
            server.behavior.hasBatches = random.percent(50)
            let devices = try (0..<2).map { _ in
                try Device(server, scope: .types(Self.types), release: release) {
                    $0.grouping = random.percent(50) ? .single : $0.grouping
                }
            }
            for device in devices { try await device.sync() }
            var expected: [String: String] = [:]
            for round in 0..<10 {
                var changes: [(type: String, id: String, value: String?)] = []
                for _ in 0..<random.int(1...30) {
                    changes.append((random.pick(Self.types), random.pick(Self.ids), random.percent(15) ? nil : "v\(random.int(0...9))"))
                }
                let writer = random.int(-1...1)
                for change in changes {
                    let key = "\(change.type)/\(change.id)"
                    guard change.value != nil || expected[key] != nil else { continue }
                    expected[key] = change.value
                    if writer < 0 {
                        if let value = change.value {
                            server.put(try Self.resource(change.type, change.id, value, .r4))
                        } else {
                            server.remove(change.type, change.id)
                        }
                        continue
                    }
                    try devices[writer].edit { tx in
                        if let value = change.value {
                            try tx.upsert(Self.resource(change.type, change.id, value, release))
                        } else {
                            _ = try tx.delete(typeName: change.type, id: change.id)
                        }
                    }
                }
                if writer >= 0 { try await devices[writer].sync() }
                try #require(try Self.languages(server.contents) == expected, "seed \(seed), round \(round)")
                for device in devices {
                    let result = try await device.sync()
                    try #require(result.resolved + result.deferred + result.parked == 0, "seed \(seed), round \(round)")
                    try #require(try Self.languages(device.contents()) == expected, "seed \(seed), round \(round)")
                }
            }
            for device in devices { try #require(device.store.blocking { try $0.check() }.isEmpty) }
        }
    }
}
