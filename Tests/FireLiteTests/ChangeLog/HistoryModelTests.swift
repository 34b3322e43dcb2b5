import FireLite
import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// Each write that changes a resource makes one version of it, whatever happened within the write.
@Suite(.soundStores) struct HistoryModelTests {
    private struct Stop: Error {}

    /// The contents of an id, a version each, the oldest first; nil where it is deleted afterwards.
    private struct Line {
        var contents: [String] = []
        var exists = false
    }

    private static let ids = ["1", "2", "3", "4"]

    private func patient(_ id: String, _ text: String) -> Patient { Patient { ($0.id, $0.language) = (id, text) } }

    /// Writes with repeated ids, calls that fail and are caught, changes of objects, deletions and additions, over few ids.
    @Test(arguments: Effort.seeds(byDay: 60, atNight: 2_000)) func everyWriteMakesOneVersion(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try freshStore()
        try store.track(.history)
        var lines: [String: Line] = [:]
        var number = 0
        func text() -> String {
            number += 1
            return "v\(number)"
        }
        for _ in 0..<random.int(1...6) {
            var state = lines.mapValues { $0.exists ? $0.contents.last : nil }
            // Deleted and stored again, it is a new resource, whose versions continue.
            var deleted: Set<String> = []
            try store.write { transaction in
                for _ in 0..<random.int(1...6) {
                    let id = Self.ids[random.int(0...3)]
                    switch random.int(0...6) {
                    case 0, 1:
                        let new = text()
                        try transaction.upsert(patient(id, new))
                        state[id] = .some(new)
                    case 2, 3:
                        // An id that occurs twice is stored in a second try.
                        let other = Self.ids[random.int(0...3)]
                        let texts = [text(), text(), text()]
                        _ = try transaction.upsert([patient(id, texts[0]), patient(other, texts[1]), patient(id, texts[2])])
                        state[other] = .some(texts[1])
                        state[id] = .some(texts[2])
                    case 4:
                        // What fails leaves nothing.
                        var deep = Extension { $0.url = "u:1" }
                        for _ in 0..<(FHIRJSON.maximumDepth + 10) {
                            let inner = deep
                            deep = Extension { ($0.url, $0.extension) = ("u:1", [inner]) }
                        }
                        let failing = Patient { ($0.id, $0.extension) = ("deep", [deep]) }
                        #expect(throws: FHIRStoreError.self) { try transaction.upsert([patient(id, text()), failing]) }
                    case 5:
                        _ = try transaction.delete(Patient.self, id: id)
                        deleted.insert(id)
                        state[id] = .some(nil)
                    default:
                        guard let stored = try transaction.resource(Patient.self, id: id) else { continue }
                        let new = text()
                        stored.language = new
                        state[id] = .some(new)
                    }
                }
            }
            for (id, content) in state {
                var line = lines[id] ?? Line()
                if let content {
                    if !line.exists || deleted.contains(id) || line.contents.last != content { line.contents.append(content) }
                    line.exists = true
                } else {
                    line.exists = false
                }
                lines[id] = line
            }
        }
        for (id, line) in lines {
            let versions = try store.history(of: Patient.self, id: id)
            let contents = try versions.reversed().map { try store.resource(at: $0).map { ($0 as? Patient)?.language ?? "" } ?? "-" }
            #expect(contents == line.contents, "seed \(seed), \(id): \(versions.map(\.version))")
            #expect(versions.reversed().map(\.version) == (0..<line.contents.count).map { Int64($0 + 1) }, "seed \(seed), \(id)")
            #expect(try store.resource(Patient.self, id: id)?.language == (line.exists ? line.contents.last : nil), "seed \(seed), \(id)")
        }
    }
}
