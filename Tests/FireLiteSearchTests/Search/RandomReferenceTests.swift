import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// References of few ids over many types, relative and absolute, under bases that the store knows and others, with versions and without; and
/// searches for them, against rules of the test's own.
@Suite struct RandomReferenceTests {
    private static let types = ["Patient", "Group", "Observation", "Condition", "Task", "Encounter", "Practitioner"]
    private static let ids = ["1", "2", "n1", "N1", "1-1", String(repeating: "a", count: 64), "0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"]
    private static let bases = ["http://a.example/fhir", "https://a.example/fhir", "http://a.example", "http://b.example:8080/x/y"]

    /// A reference as the test knows it.
    private struct Link {
        var base: String?
        var type: String
        var id: String
        var version: String?

        var text: String { (base.map { $0 + "/" } ?? "") + "\(type)/\(id)" + (version.map { "/_history/" + $0 } ?? "") }

        static func random(_ random: inout SeededGenerator, types: [String]) -> Link {
            Link(
                base: random.percent(50) ? random.pick(bases) : nil, type: random.pick(types), id: random.pick(ids),
                version: random.percent(30) ? random.pick(["1", "2"]) : nil)
        }

        func isLocal(_ known: [String]) -> Bool { base.map { known.contains($0) } ?? true }

        /// Whether a search for `wanted` finds this reference.
        func isFound(by wanted: Link, _ known: [String]) -> Bool {
            guard type == wanted.type, id == wanted.id, wanted.version == nil || wanted.version == version else { return false }
            return base == wanted.base || (isLocal(known) && wanted.isLocal(known))
        }
    }

    private struct World {
        let store: FHIRStore
        let known: [String]
        /// The references of each Task, in its focus, and of each Provenance, in its targets.
        var tasks: [(id: String, link: Link)] = []
        var provenances: [(id: String, links: [Link])] = []
        /// The patients that are stored, and their names.
        var patients: [String: String] = [:]

        init(_ random: inout SeededGenerator) throws {
            known = RandomReferenceTests.bases.filter { _ in random.percent(40) }
            var configuration = FHIRStore.Configuration()
            configuration.bases = known.filter { _ in random.percent(30) }
            store = try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
            for base in known { try store.addBase(base) }
            for id in RandomReferenceTests.ids where random.percent(70) { patients[id] = random.pick(["Adams", "Zeta"]) }
            for number in 0..<80 {
                tasks.append(("t\(number)", .random(&random, types: RandomReferenceTests.types)))
                provenances.append(("p\(number)", (0..<random.int(1...3)).map { _ in .random(&random, types: RandomReferenceTests.types) }))
            }
            var texts = patients.sorted { $0.key < $1.key }.map {
                #"{"resourceType":"Patient","id":"\#($0.key)","name":[{"family":"\#($0.value)"}]}"#
            }
            texts += tasks.map {
                #"{"resourceType":"Task","id":"\#($0.id)","status":"ready","intent":"order","focus":{"reference":"\#($0.link.text)"}}"#
            }
            texts += provenances.map { provenance in
                let targets = provenance.links.map { #"{"reference":"\#($0.text)"}"# }.joined(separator: ",")
                return
                    #"{"resourceType":"Provenance","id":"\#(provenance.id)","target":[\#(targets)],"recorded":"2020-01-01T00:00:00Z","agent":[{"who":{"display":"x"}}]}"#
            }
            try store.write { tx in for text in texts { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) } }
        }

        func matches(_ test: (Link) -> Bool) -> (tasks: Set<String>, provenances: Set<String>) {
            (
                Set(tasks.filter { test($0.link) }.map(\.id)),
                Set(provenances.filter { $0.links.contains { test($0) } }.map(\.id))
            )
        }
    }

    @Test(arguments: Effort.seeds(byDay: 2, atNight: 12)) func searchesFindTheReferencesOfTheirTarget(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 90_000)
        var world = try World(&random)
        for isIndexed in [false, true] {
            if isIndexed { try world.store.createIndexes(.references) }
            for _ in 0..<(Effort.isNightly ? 60 : 30) {
                try compare(&world, &random, "seed \(seed), indexed \(isIndexed), bases \(world.known)")
            }
        }
    }

    private func compare(_ world: inout World, _ random: inout SeededGenerator, _ comment: String) throws {
        let known = world.known
        func ids(_ search: String) throws -> Set<String> { Set(try world.store.search(search).matches.compactMap(\.id)) }
        func expect(_ parameter: String, _ expected: (tasks: Set<String>, provenances: Set<String>)) throws {
            #expect(try ids("Task?focus\(parameter)") == expected.tasks, "Task?focus\(parameter), \(comment)")
            #expect(try ids("Provenance?target\(parameter)") == expected.provenances, "Provenance?target\(parameter), \(comment)")
        }
        let wanted = Link.random(&random, types: Self.types)
        try expect("=\(wanted.text)", world.matches { $0.isFound(by: wanted, known) })
        let bare = wanted.id + (wanted.version.map { "/_history/" + $0 } ?? "")
        func isBare(_ link: Link) -> Bool {
            link.isLocal(known) && link.id == wanted.id && (wanted.version == nil || wanted.version == link.version)
        }
        try expect("=\(bare)", world.matches { isBare($0) })
        try expect(":\(wanted.type)=\(bare)", world.matches { isBare($0) && $0.type == wanted.type })
        let several = (0..<random.int(2...12)).map { _ in Link.random(&random, types: Self.types) }
        try expect(
            "=\(several.map(\.text).joined(separator: ","))", world.matches { link in several.contains { link.isFound(by: $0, known) } })
        func leads(_ link: Link, to patient: String) -> Bool { link.isLocal(known) && link.type == "Patient" && link.id == patient }
        let name = random.pick(["Adams", "Zeta"])
        try expect(
            ":Patient.name=\(name)", world.matches { link in world.patients.contains { $0.value == name && leads(link, to: $0.key) } })
        let task = random.pick(world.tasks)
        #expect(
            try ids("Patient?_has:Task:focus:_id=\(task.id)") == Set(world.patients.keys.filter { leads(task.link, to: $0) }), "\(comment)")
        let provenance = random.pick(world.provenances)
        let targets = Set(world.patients.keys.filter { id in provenance.links.contains { leads($0, to: id) } })
        #expect(try ids("Patient?_has:Provenance:target:_id=\(provenance.id)") == targets, "\(comment)")
        let included = try world.store.search("Provenance?_id=\(provenance.id)&_include=Provenance:target:Patient").included
        #expect(Set(included.compactMap(\.id)) == targets, "\(comment)")
        let object = try #require(try world.store.resource(Task.self, id: task.id))
        let resolved = try object.focus?.resolve(in: world.store)
        #expect(resolved?.id == world.patients.keys.first { leads(task.link, to: $0) }, "\(task.link.text), \(comment)")
    }

    /// The key of a reference in views is that of the resource which it leads to, by SQL, by objects and by views in the file.
    @Test(arguments: Effort.seeds(byDay: 2, atNight: 6)) func keysInViewsAreThoseOfTheStoresOwnResources(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 91_000)
        let world = try World(&random)
        let expected = Dictionary(
            uniqueKeysWithValues: world.tasks.map { task in
                (task.id, task.link.isLocal(world.known) ? "\(task.link.type)/\(task.link.id)" : nil)
            })
        let view = ViewDefinition(
            name: "focus", resource: "Task",
            selects: [
                ViewDefinition.Select(columns: [
                    ViewDefinition.Column(name: "id", path: "id"), ViewDefinition.Column(name: "k", path: "focus.getReferenceKey()"),
                ])
            ])
        for backEnd in [ViewBackEnd.sql, .objects] {
            var found: [String: String?] = [:]
            try world.store.forEachRow(of: view, by: backEnd) { row in
                found[row["id"].text] = .some(row["k"] == .null ? nil : row["k"].text)
            }
            #expect(found == expected, "seed \(seed), \(backEnd), bases \(world.known)")
        }
        try world.store.createView(view)
        var kept: [String: String?] = [:]
        for row in try world.store.sql("SELECT id, k FROM focus") { kept[row["id"].text ?? ""] = .some(row["k"].text) }
        #expect(kept == expected, "seed \(seed), view in the file, bases \(world.known)")
        if let base = RandomReferenceTests.bases.first(where: { !world.known.contains($0) }),
            let task = world.tasks.first(where: { $0.link.base == base })
        {
            // A view in the file asks for the bases whenever it is read.
            try world.store.addBase(base)
            for row in try world.store.sql("SELECT id, k FROM focus") where row["id"].text == task.id {
                #expect(row["k"].text == "\(task.link.type)/\(task.link.id)", "seed \(seed)")
            }
        }
    }

    /// Pieces of references put together at random, most of them no reference: what SQL says of a text (`SQLText.referenceKey`) is what the code for
    /// objects says (`ReferenceParts`), in statements and in views of the file.
    @Test(arguments: Effort.seeds(8)) func keysOfRandomTextsAgree(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 92_000)
        let pieces = [
            "Patient", "Patient", "Group", "/", "/", "/", "1", "1", "a.B-3", "_history", "_history", "/_history/", "http", "https", "://",
            "example.org", "ftp",
            "urn:uuid:", "urn:oid:", "0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0", "?", "#", "é", "H", " ", "%", "'", "|", "..",
            String(repeating: "a", count: 64), "a",
        ]
        let known = Self.bases.filter { _ in random.percent(40) }
        let store = try FHIRStore(path: ":memory:", release: .r4)
        for base in known { try store.addBase(base) }
        var texts: [String: String] = [:]
        for number in 0..<200 {
            var text =
                random.percent(50)
                ? Link.random(&random, types: Self.types).text : (0..<random.int(1...9)).map { _ in random.pick(pieces) }.joined()
            if random.percent(40) {
                var scalars = Array(text.unicodeScalars)
                let place = random.int(0...scalars.count - 1)
                switch random.int(0...2) {
                case 0: scalars.remove(at: place)
                case 1: scalars.insert(scalars[place], at: place)
                default: scalars[place] = random.pick(["/", "1", "A", "_", "é", " "])
                }
                text = String(String.UnicodeScalarView(scalars))
            }
            texts["t\(number)"] = text.isEmpty ? "Patient/1" : text
        }
        try store.write { tx in
            for (id, text) in texts {
                try tx.add(
                    Task {
                        $0.id = id
                        $0.focus = Reference { $0.reference = text }
                    })
            }
        }
        let view = ViewDefinition(
            name: "keys", resource: "Task",
            selects: [
                ViewDefinition.Select(columns: [
                    ViewDefinition.Column(name: "id", path: "id"), ViewDefinition.Column(name: "k", path: "focus.getReferenceKey()"),
                    ViewDefinition.Column(name: "p", path: "focus.getReferenceKey(Patient)"),
                ])
            ])
        var keys: [[String: [String?]]] = []
        for backEnd in [ViewBackEnd.objects, .sql] {
            var found: [String: [String?]] = [:]
            try store.forEachRow(of: view, by: backEnd) { row in
                found[row["id"].text] = ["k", "p"].map { row[$0] == .null ? nil : row[$0].text }
            }
            keys.append(found)
        }
        try store.createView(view)
        let rows = try store.sql("SELECT id, k, p FROM keys")
        keys.append(Dictionary(uniqueKeysWithValues: rows.map { ($0["id"].text ?? "", [$0["k"].text, $0["p"].text]) }))
        for (id, text) in texts {
            let comment = "seed \(seed), bases \(known): \(text.debugDescription)"
            #expect(keys[1][id] == keys[0][id], "SQL, \(comment)")
            #expect(keys[2][id] == keys[0][id], "view in the file, \(comment)")
        }
        // The texts are not all refused, nor all taken.
        let count = keys[0].values.count { $0[0] != nil }
        #expect(count > 20 && count < texts.count, "seed \(seed)")
    }
}
