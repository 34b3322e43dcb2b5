import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// Changed resources whose rows are read together are stored as those read one by one.
@Suite(.soundStores) struct ChangesTogetherTests {
    private func instances(_ random: inout RandomInstance, _ ids: Swift.Range<Int>) -> [FHIRResource] {
        ids.map { number in
            let resource = random.resource(of: .r4)
            resource.id = "\(number)"
            return resource
        }
    }

    /// What the store has: the content, the revision and the rows of each resource.
    private func content(_ store: FHIRStore) throws -> [String: [String]] {
        var content: [String: [String]] = [:]
        try store.read { transaction in
            for type in try transaction.counts().map(\.typeName) {
                try transaction.forEach(typeName: type) { resource in
                    let tie = try #require(resource.objectExtras as? StoreTie)
                    let rows = try transaction.rows(of: resource).map { "\($0)" }
                    content["\(type)/\(resource.id ?? "")"] = [FHIRJSON.string(resource), "\(tie.root) \(tie.revision)"] + rows
                }
            }
        }
        return content
    }

    @Test(arguments: Effort.seeds(byDay: 1, atNight: 3).map { 21 + $0 }) func oneCallStoresWhatManyDo(_ seed: UInt64) throws {
        let (together, apart) = (try freshStore(), try freshStore())
        var random = RandomInstance(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let first = instances(&random, 0..<(Effort.isNightly ? 120 : Effort.count(40)))
        for store in [together, apart] { try store.write { transaction in _ = try transaction.upsert(first.map { $0.copy() }) } }
        for round in 0..<4 {
            var next: [FHIRResource] = []
            for resource in first.shuffled(using: &generator) {
                let changed = resource.copy()
                switch generator.int(0...4) {
                case 0: break
                case 1:
                    // Other content with the same type and id.
                    guard let other = random.object(of: resource.layout) as? FHIRResource else { continue }
                    other.id = resource.id
                    next.append(other)
                    continue
                case 2: continue
                default:
                    let language = try #require(changed.layout.element(named: "language"))
                    changed._setString(language.slot, "\(round)")
                }
                next.append(changed)
                if generator.int(0...9) == 0 {
                    let new = random.resource(of: .r4)
                    new.id = "new\(round)-\(next.count)"
                    next.append(new)
                }
            }
            let counts = try together.write { transaction in
                let result = try transaction.upsert(next.map { $0.copy() })
                return [result.added, result.updated, result.unchanged]
            }
            let expected = try apart.write { transaction in
                var counts = [0, 0, 0]
                for resource in next {
                    let result = try transaction.upsert([resource.copy()])
                    for (place, count) in [result.added, result.updated, result.unchanged].enumerated() { counts[place] += count }
                }
                return counts
            }
            #expect(counts == expected, "seed \(seed), round \(round)")
            let (found, wanted) = (try content(together), try content(apart))
            #expect(found.keys.sorted() == wanted.keys.sorted(), "seed \(seed), round \(round)")
            for (key, value) in wanted { #expect(found[key] == value, "seed \(seed), round \(round): \(key)") }
        }
    }

    @Test func changesAreReportedInTheirOrder() async throws {
        let store = try freshStore()
        try writing(store) { transaction in _ = try transaction.upsert((0..<100).map { number in Patient { $0.id = "\(number)" } }) }
        var commits = store.changes().makeAsyncIterator()
        let order = Array((0..<50).reversed()) + [200] + Array(50..<100)
        try writing(store) { transaction in
            _ = try transaction.upsert(order.map { number in Patient { ($0.id, $0.language) = ("\(number)", "de") } })
        }
        let reported = try #require(await commits.next()).resources
        #expect(reported.map(\.id) == order.map { "\($0)" })
        #expect(reported.map(\.kind) == order.map { $0 == 200 ? .added : .updated })
    }

    /// Rows of all resources lie in one buffer; the path of each counts from its own.
    @Test func changedPathsAreThoseOfEachResource() async throws {
        let store = try freshStore()
        func patient(_ number: Int, _ family: String, given: [String]) -> Patient {
            Patient {
                $0.id = "\(number)"
                $0.name = [
                    HumanName { $0.family = "A" },
                    HumanName {
                        $0.family = family
                        $0.given = given
                    },
                ]
            }
        }
        try writing(store) { transaction in _ = try transaction.upsert((0..<12).map { patient($0, "B", given: ["C"]) }) }
        var updates = store.query(Patient.self).updates(changes: true, every: .zero).makeAsyncIterator()
        #expect(try await updates.next()?.changes == nil)
        try writing(store) { transaction in
            // Every third one gets a longer list, and so is compared in another way.
            _ = try transaction.upsert(
                (0..<12).map { $0 % 3 == 0 ? patient($0, "B", given: ["C", "D"]) : patient($0, "E\($0)", given: ["F"]) })
        }
        let changes = try #require(try await updates.next()?.changes)
        #expect(changes.updates.map(\.index) == Array(0..<12))
        for (number, update) in changes.updates.enumerated() {
            let paths = try #require(update.paths)
            #expect(paths.sorted() == (number % 3 == 0 ? ["name[1].given[1]"] : ["name[1].family", "name[1].given[0]"]), "\(number)")
        }
    }

    /// A value that goes, one that comes in a new column, and one that changes.
    @Test func columnsComeAndGoTogether() throws {
        let store = try freshStore()
        try store.write { transaction in
            _ = try transaction.upsert((0..<10).map { number in Patient { ($0.id, $0.language, $0.active) = ("\(number)", "de", true) } })
        }
        let changed = (0..<10).map { number in
            Patient {
                $0.id = "\(number)"
                $0.active = number % 2 == 0
                $0.gender = number % 3 == 0 ? .female : nil
                if number == 7 { $0.maritalStatus = CodeableConcept { $0.text = "M" } }
            }
        }
        let result = try store.write { transaction in try transaction.upsert(changed.map { $0.copy() }) }
        #expect(result.updated == 10)
        for (number, patient) in changed.enumerated() { #expect(try store.resource(Patient.self, id: "\(number)") == patient, "\(number)") }
    }

    @Test func afterAFailureAllIsAsBefore() throws {
        let store = try freshStore()
        try store.write { transaction in _ = try transaction.upsert((0..<20).map { number in Patient { $0.id = "\(number)" } }) }
        let before = try content(store)
        let deep = Patient { $0.id = "19" }
        var inner: FHIRObject = deep
        for _ in 0..<(FHIRJSON.maximumDepth + 10) {
            let next = Extension { $0.url = "u:1" }
            if let patient = inner as? Patient { patient.extension = [next] }
            if let outer = inner as? Extension { outer.extension = [next] }
            inner = next
        }
        try store.write { transaction in
            let changed: [Patient] = (0..<19).map { number in Patient { ($0.id, $0.language) = ("\(number)", "de") } } + [deep]
            #expect { try transaction.upsert(changed) } throws: { ($0 as? FHIRStoreError)?.code == .tooLarge }
            // The write goes on, with the next call's changes alone.
            _ = try transaction.upsert((0..<2).map { number in Patient { ($0.id, $0.language) = ("\(number)", "fr") } })
        }
        let after = try content(store)
        for (key, value) in before where key != "Patient/0" && key != "Patient/1" { #expect(after[key] == value) }
        #expect(try store.resource(Patient.self, id: "1")?.language == "fr")
    }
}
