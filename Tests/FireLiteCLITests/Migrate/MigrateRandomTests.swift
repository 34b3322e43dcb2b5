import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Random resources, written as an app on FireKit would, are stored as they were.
struct MigrateRandomTests {
    private enum Form: CaseIterable {
        case lines, list, bundle, folder, tables
    }

    private struct Given {
        let tree: JSONTree
        let key: String
        let typeName: String
    }

    private static let seeds = Effort.seeds(byDay: 20, atNight: 60)

    private func resources(_ seed: UInt64) -> [Given] {
        var random = RandomInstance(seed: seed)
        random.isStrictlyValid = true
        var given: [Given] = []
        while given.count < 6 {
            let resource = random.resource(of: .r4)
            // A Bundle is taken apart.
            if resource.resourceType == "Bundle" { continue }
            let key = "AAAAAAAA-0000-4000-8000-\(100_000_000_000 + Int(seed) * 100 + given.count)"
            given.append(Given(tree: JSONTree(resource), key: key, typeName: resource.resourceType))
        }
        return given
    }

    @Test func everyResourceIsStoredAsItWas() throws {
        var used: Set<String> = []
        try withEvery(Self.seeds) { seed in
            let style = RealmWriter.Style.allCases[Int(seed) % 2]
            let form = Form.allCases[Int(seed / 2) % Form.allCases.count]
            used.insert("\(style) \(form)")
            var writer = RealmWriter(style: style, release: .r4, generator: SeededGenerator(seed: seed))
            let folder = try TemporaryFolder()
            let given = resources(seed)
            let paths = try write(given, form, &writer, folder)
            let database = folder.file("store.sqlite")
            let run = try ToolRun(["migrate", "--database", database] + paths)
            let rejects = (try? folder.read("store.sqlite-rejects.ndjson")) ?? ""
            try #require(run.status == .done, "\(style) \(form): \(run.error)\(rejects.prefix(2_000))")
            try compare(given, database)
            let again = try ToolRun(["migrate", "--database", database] + paths)
            try #require(again.counts.hasPrefix("added 0, updated 0, unchanged \(given.count)"), "\(style) \(form): \(again.output)")
        }
        #expect(used.count >= Effort.count(10))
    }

    /// What is FHIR's JSON already is stored as it is, and nothing is reported.
    @Test func resourcesOfFHIRAreNotChanged() throws {
        try withEvery(100..<(Effort.isNightly ? 130 : 110)) { seed in
            let folder = try TemporaryFolder()
            let given = resources(seed).filter { $0.tree["id"] != nil }
            let lines = given.map { RealmWriter.text($0.tree) }.joined(separator: "\n")
            let database = folder.file("store.sqlite")
            let run = try ToolRun("migrate", "--database", database, folder.write("in.ndjson", lines))
            try #require(run.status == .done && !run.output.contains("mended"), "\(run.output)\(run.error)")
            try compare(given, database)
        }
    }

    /// Ids that types share, small ones and ones that differ in case, with later versions of the same resource.
    @Test func idsThatTypesShareAreToldApart() throws {
        try withEvery(Effort.seeds(byDay: 6, atNight: 100)) { seed in
            var random = SeededGenerator(seed: seed)
            let ids = ["1", "2", "3", "a", "A", String(repeating: "x", count: 63) + "1", String(repeating: "x", count: 63) + "2"]
            var (expected, lines): ([String: String], [String]) = ([:], [])
            for number in 0..<random.int(1...120) {
                let (type, id) = (random.pick(["Patient", "Group", "Encounter", "Device"]), random.pick(ids))
                lines.append(#"{"resourceType":"\#(type)","id":"\#(id)","language":"v\#(number)"}"#)
                expected["\(type)/\(id)"] = lines.last
            }
            let folder = try TemporaryFolder()
            let database = folder.file("store.sqlite")
            let run = try ToolRun("migrate", "--database", database, folder.write("in.ndjson", lines.joined(separator: "\n")))
            try #require(run.status == .done, "\(run.output)\(run.error)")
            try #require(run.counts.hasPrefix("added \(expected.count)"), "\(run.output)")
            #expect(try Set(ToolRun("export", "--database", database, "--output", "-").lines) == Set(expected.values))
        }
    }

    private func compare(_ given: [Given], _ database: String) throws {
        var stored: [String: JSONTree] = [:]
        for line in try ToolRun("export", "--database", database, "--output", "-").lines {
            let tree = try JSONTree(line)
            guard case .string(let type) = tree["resourceType"], case .string(let id) = tree["id"] else { continue }
            stored["\(type)/\(id)"] = tree
        }
        try #require(stored.count == given.count)
        for resource in given {
            guard case .object(var members) = resource.tree else { continue }
            members["id"] = members["id"] ?? .string(resource.key)
            guard case .string(let id) = members["id"] else { continue }
            let found = try #require(stored["\(resource.typeName)/\(id)"], "\(resource.typeName)/\(id)")
            let difference = JSONTree.object(members).difference(to: found)
            try #require(difference == nil, "\(resource.typeName)/\(id): \(difference ?? "")")
        }
    }

    private func write(_ given: [Given], _ form: Form, _ writer: inout RealmWriter, _ folder: TemporaryFolder) throws -> [String] {
        switch form {
        case .lines:
            let lines = try given.map { try writer.resource($0.tree, key: $0.key) }
            return [try folder.write("in.ndjson", lines.joined(separator: "\n"))]
        case .list:
            let items = try given.map { try writer.resource($0.tree, key: $0.key) }
            return [try folder.write("export.json", "[\n" + items.joined(separator: ",\n") + "\n]")]
        case .bundle:
            let entries = try given.map { "{\"link\":[],\"resource\":" + (try writer.resource($0.tree, key: $0.key)) + "}" }
            let frame = (#"{"resourceType":"Bundle","link":[],"entry":["#, #"],"type":"collection"}"#)
            let text = frame.0 + "\n" + entries.joined(separator: ",\n") + frame.1
            return [try folder.write("export.json", text)]
        case .folder:
            for (number, resource) in given.enumerated() {
                try FileManager.default.createDirectory(
                    atPath: folder.file("out/\(resource.typeName)"), withIntermediateDirectories: true)
                let text = try writer.resource(resource.tree, key: resource.key, namesType: number % 2 == 0)
                try folder.write("out/\(resource.typeName)/\(number).json", text)
            }
            return [folder.file("out")]
        case .tables:
            var tables: [String: [String]] = [:]
            for resource in given {
                tables[resource.typeName, default: []].append(try writer.resource(resource.tree, key: resource.key, namesType: false))
            }
            let members = tables.map { "\"\($0.key)\": [\n\($0.value.joined(separator: ",\n"))]" }
            let elements = "\"HumanName\": [{\"pk\": \"1\", \"family\": []}], \"RealmString\": []"
            return [try folder.write("realm.json", "{" + (members + [elements]).joined(separator: ",\n") + "}")]
        }
    }
}
