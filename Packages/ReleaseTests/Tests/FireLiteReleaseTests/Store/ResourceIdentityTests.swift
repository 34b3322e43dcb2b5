import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// A resource is its type and id, byte by byte, through whatever door it comes: a dictionary says what the store must have.
@Suite struct ResourceIdentityTests {
    /// The releases as generated classes, and as data, whose resources are all of one class.
    static let forms: [Form] = Releases.all.flatMap { [Form(release: $0, isData: false), Form(release: $0, isData: true)] }

    struct Form: Sendable, CustomTestStringConvertible {
        let release: FHIRRelease
        let isData: Bool
        var testDescription: String { "\(release)\(isData ? " as data" : "")" }

        func store() throws -> FHIRStore {
            try FHIRStore.inMemory(release: isData ? try #require(BundledRelease.named(release.name)).release : release)
        }
    }

    private struct Key: Hashable {
        let type: String
        let id: [UInt8]
    }

    private struct Item {
        let type: String
        let id: String
        let value: Int
        /// Whether the id has an extension.
        let isExtended: Bool

        var key: Key { Key(type: type, id: Array(id.utf8)) }
        var language: String { "v\(value)\(isExtended ? "x" : "")" }

        var json: String {
            let more = isExtended ? #","_id":{"extension":[{"url":"http://example.org/e","valueBoolean":true}]}"# : ""
            return #"{"resourceType":"\#(type)","id":"\#(id)"\#(more),"language":"\#(language)"}"#
        }
    }

    private static let types = ["Patient", "Group", "Encounter", "Observation", "Practitioner", "Basic", "Condition", "Device"]
    /// Small ids as servers number them, ids that differ in case, in their last byte or in how Unicode writes them, and the longest.
    private static let ids =
        (1...12).map { "\($0)" } + ["a", "A", "b", "B", "aA", "Aa", "01", "1.0", "é", "e\u{301}"]
        + ["1", "2", "A", "a"].map { String(repeating: "x", count: 63) + $0 }

    /// The ways into a store.
    private enum Door: CaseIterable {
        case lines, list, bundleFile, lineOfBundles, single, array, bundle, history
    }

    private static func items(_ random: inout SeededGenerator, _ count: Int) -> [Item] {
        // Many ids of one type in a row are looked up together.
        var type = random.pick(types)
        return (0..<count).map { _ in
            if random.percent(30) { type = random.pick(types) }
            return Item(type: type, id: random.pick(ids), value: random.int(0...3), isExtended: random.percent(5))
        }
    }

    private static func bundle(_ items: [Item], _ kind: String) -> String {
        let entries = items.map { item in
            let request = kind == "history" ? #","request":{"method":"PUT","url":"\#(item.type)/\#(item.id)"}"# : ""
            return #"{"fullUrl":"http://example.org/\#(item.type)/\#(item.id)","resource":\#(item.json)\#(request)}"#
        }
        return #"{"resourceType":"Bundle","type":"\#(kind)","entry":["# + entries.joined(separator: ",") + "]}"
    }

    @Test(arguments: forms) func everyDoorTellsResourcesApart(_ form: Form) throws {
        let folder = try TemporaryFolder()
        try withEvery(Effort.seeds(byDay: 6, atNight: 300)) { seed in
            var random = SeededGenerator(seed: seed)
            let store = try form.store()
            var expected: [Key: String] = [:]
            for round in 0..<8 {
                let items = Self.items(&random, random.int(1...80))
                let door = random.pick(Door.allCases)
                let before = Set(expected.keys)
                let added = try put(items, through: door, into: store, folder, &random)
                // A history begins with the newest version.
                for item in door == .history ? items.reversed() : items { expected[item.key] = item.language }
                try #require(added == Set(expected.keys).subtracting(before).count, "\(door), round \(round)")
                try #require(contents(store) == expected, "\(door), round \(round)")
                for _ in 0..<10 {
                    let (type, id) = (random.pick(Self.types), random.pick(Self.ids))
                    let found = try store.resource(typeName: type, id: id)
                    try #require(found.map(Self.language) == expected[Key(type: type, id: Array(id.utf8))], "\(type)/\(id), round \(round)")
                }
                for key in expected.keys.sorted(by: { ($0.type, "\($0.id)") < ($1.type, "\($1.id)") }) where random.percent(10) {
                    try #require(store.write { try $0.delete(typeName: key.type, id: String(decoding: key.id, as: UTF8.self)) })
                    expected[key] = nil
                }
            }
            try #require(store.check().isEmpty)
        }
    }

    /// Returns the number of resources that were new.
    private func put(
        _ items: [Item], through door: Door, into store: FHIRStore, _ folder: TemporaryFolder, _ random: inout SeededGenerator
    ) throws -> Int {
        func read(_ item: Item) throws -> FHIRResource { try FHIRJSON.resource(from: Data(item.json.utf8), release: store.release) }
        func imported(_ text: String, _ name: String) throws -> Int {
            var options = ImportOptions()
            options.transactions = random.percent(50) ? .files : .batches(random.int(1...40))
            let result = try store.importResources(from: URL(fileURLWithPath: folder.write(name, text)), options: options)
            #expect(result.counts.stored + result.counts.superseded == items.count)
            return result.counts.added
        }
        switch door {
        case .lines: return try imported(items.map(\.json).joined(separator: "\n"), "lines.ndjson")
        case .list: return try imported("[" + items.map(\.json).joined(separator: ",\n") + "]", "list.json")
        case .bundleFile: return try imported(Self.bundle(items, "collection"), "bundle.json")
        case .lineOfBundles:
            let half = items.count / 2
            let bundles = [Self.bundle(Array(items[..<half]), "collection"), Self.bundle(Array(items[half...]), "collection")]
            return try imported(bundles.joined(separator: "\n"), "bundles.ndjson")
        case .history: return try imported(Self.bundle(items, "history"), "history.json")
        case .single:
            var added = 0
            for item in items {
                let resource = try read(item)
                if try store.write({ try $0.upsert(resource) }) === resource { added += 1 }
            }
            return added
        case .array:
            let resources = try items.map(read)
            let result = try store.write { try $0.upsert(resources) }
            for (index, item) in items.enumerated() {
                #expect(result[index].resourceType == item.type && result[index].id.map { Array($0.utf8) } == item.key.id)
            }
            return result.added
        case .bundle:
            let bundle = try FHIRJSON.resource(from: Data(Self.bundle(items, "collection").utf8), release: store.release)
            return try store.write { try $0.upsert(bundle: bundle) }.added
        }
    }

    private static func language(_ resource: FHIRResource) -> String {
        resource.layout.element(named: "language").flatMap { resource._string($0.slot) } ?? ""
    }

    private func contents(_ store: FHIRStore) throws -> [Key: String] {
        var found: [Key: String] = [:]
        try store.read { tx in
            for count in try tx.counts() {
                try tx.forEach(typeName: count.typeName) { resource in
                    let key = Key(type: resource.resourceType, id: Array((resource.id ?? "").utf8))
                    #expect(found.updateValue(Self.language(resource), forKey: key) == nil, "\(key.type) is stored twice with one id")
                }
            }
        }
        return found
    }

    /// Servers number each type from 1: nothing replaces anything.
    @Test(arguments: forms) func equalIDsOfManyTypesAreAllKept(_ form: Form) throws {
        let folder = try TemporaryFolder()
        let store = try form.store()
        let lines = Self.types.flatMap { type in (1...500).map { #"{"resourceType":"\#(type)","id":"\#($0)","language":"de"}"# } }
        for repeats in [1, 2] {
            let text = (0..<repeats).flatMap { _ in lines }.joined(separator: "\n")
            let counts = try store.importResources(from: URL(fileURLWithPath: folder.write("all.ndjson", text))).counts
            #expect(counts.added == (repeats == 1 ? lines.count : 0) && counts.updated == 0)
            #expect(counts.stored + counts.superseded == lines.count * repeats)
            #expect(try store.counts().map(\.count) == Self.types.map { _ in 500 })
        }
        // One repeated id, anywhere, is that one alone.
        let again = #"{"resourceType":"Patient","id":"7","language":"fr"}"# + "\n" + #"{"resourceType":"Group","id":"7","language":"fr"}"#
        var expected = ImportCounts()
        (expected.updated, expected.superseded) = (2, 2)
        let repeated = try store.importResources(
            from: URL(fileURLWithPath: folder.write("again.ndjson", again + "\n" + again + "\n"))
        ).counts
        #expect(repeated == expected, "\(repeated)")
        #expect(try store.resource(typeName: "Encounter", id: "7").map(Self.language) == "de")
    }
}
