import FireLiteCore
import FireLiteR4
import FireLiteSynthetic
import TestSupport
import Testing

@testable import FireLite

/// What plans cost, in steps of SQLite's virtual machine, those for making the plan included.
@Suite(.soundStores) struct PlanCostTests {
    /// Several thousand resources of few types, some references absolute or with a version.
    private static func filled(_ patients: Int) throws -> (FHIRStore, [FHIRResource]) {
        let store = try freshStore()
        try store.addBase("https://example.org/fhir")
        let types = ["Patient", "Encounter", "Observation", "Condition"]
        let resources = SyntheticPatients(count: patients, seed: 17).filter { types.contains($0.resourceType) }
        for (number, resource) in resources.enumerated() {
            guard let observation = resource as? Observation else { continue }
            if number % 9 == 0 { observation.status = number % 2 == 0 ? .amended : .preliminary }
            guard number % 50 == 0, let text = observation.subject?.reference else { continue }
            observation.subject?.reference = "https://example.org/fhir/" + text
        }
        try store.write { transaction in _ = try transaction.upsert(resources) }
        return (store, resources)
    }

    private static func cost(_ store: FHIRStore, _ request: QueryRequest) throws -> (steps: Int, result: [Int64]) {
        try store.read { transaction in
            // A plan that is the first to ask for the size of a table counts it; later ones do not.
            _ = try transaction.roots(request)
            _ = transaction.access.connection.takeMachineSteps()
            let roots = try transaction.roots(request)
            let steps = transaction.access.connection.takeMachineSteps()
            return (steps, roots)
        }
    }

    // MARK: - Random queries

    /// What a query may cost more for the plan alone, where it costs next to nothing.
    private static let allowance = 2_500

    /// How much more a query may cost with one index more.
    private static let bound = Library.keepsRowsOfExpressions ? 1.2 : 1.6

    private struct Source {
        var generator: SeededGenerator
        let instances: [String: [FHIRResource]]

        mutating func request() -> QueryRequest {
            let type = generator.pick([Patient.self, Observation.self, Observation.self, Encounter.self] as [FHIRResource.Type])
            var request = QueryRequest(type._layout)
            request.predicate = .and((0..<generator.int(1...2)).map { _ in condition(type._layout) })
            guard generator.percent(40) else { return request }
            var random = self.random(type._layout)
            request.sort = Array(random.sort().prefix(1))
            generator = random.generator
            if generator.percent(60) { request.limit = generator.int(1...50) }
            return request
        }

        private func random(_ layout: Layout) -> RandomPredicate {
            RandomPredicate(layout: layout, instances: instances[layout.name] ?? [], generator: generator)
        }

        private mutating func plain(_ layout: Layout) -> FireLite.Predicate {
            var random = self.random(layout)
            defer { generator = random.generator }
            return random.predicate(depth: 1)
        }

        private func path(_ names: String...) -> (Layout) -> QueryPath {
            { layout in
                var path = QueryPath()
                var layout = layout
                for name in names {
                    guard let element = layout.element(named: name) else { return path }
                    path = path.appending(PathStep(slot: element.slot))
                    if let type = element.type { layout = type._layout }
                }
                return path
            }
        }

        /// A condition on the elements that indexes are declared for, with a value that some resource has; or about references.
        private mutating func condition(_ layout: Layout) -> FireLite.Predicate {
            let kind = generator.int(0...9)
            switch (kind, layout.name) {
            case (0, "Patient"), (1, "Patient"), (2, "Patient"):
                return .referredBy(Observation._layout, path("subject")(Observation._layout), inner(Observation._layout))
            case (3, "Patient"): return .referredBy(Encounter._layout, path("subject")(Encounter._layout), inner(Encounter._layout))
            case (0, "Encounter"), (1, "Encounter"), (2, "Encounter"):
                return .referredBy(Observation._layout, path("encounter")(Observation._layout), inner(Observation._layout))
            case (0, _), (1, _): return .target(path("subject")(layout), Patient._layout, inner(Patient._layout))
            case (2, _):
                guard let id = generator.pick(instances["Patient"] ?? []).id else { return .constant(true) }
                return .refers(path("subject")(layout), ["Patient/\(id)"])
            default: return inner(layout)
            }
        }

        private mutating func inner(_ layout: Layout) -> FireLite.Predicate {
            switch (layout.name, generator.int(0...5)) {
            case (_, 0): return .constant(true)
            case ("Observation", 1), ("Observation", 2): return code(in: "Observation", path("code", "coding", "code")(layout))
            case ("Observation", 3):
                let status = generator.pick(["final", "final", "amended", "preliminary"])
                return .value(path("status")(layout), .compare(.equal, .text(status)))
            default: return plain(layout)
            }
        }

        private mutating func code(in type: String, _ path: QueryPath) -> FireLite.Predicate {
            let codes = (generator.pick(instances[type] ?? []) as? Observation)?.code?.coding.compactMap(\.code) ?? []
            return .value(path, .compare(.equal, .text(codes.first ?? "none")))
        }
    }

    /// Queries over random sets of declared indexes: with one index more each gives the same, and costs at most `bound` times as much.
    @Test func anotherIndexNeverMakesAQueryMuchMoreExpensive() throws {
        let (store, resources) = try Self.filled(150)
        let instances = Dictionary(grouping: resources) { $0.resourceType }
        var source = Source(generator: SeededGenerator(seed: 17), instances: instances)
        let indexes: [(name: String, add: (FHIRStore) throws -> Void, drop: (FHIRStore) throws -> Void)] = [
            ("references", { try $0.createIndexes(.references) }, { try $0.dropIndexes(.references) }),
            ("codes", { try $0.createIndexes(.codes) }, { try $0.dropIndexes(.codes) }),
            ("dates", { try $0.createIndexes(.dates) }, { try $0.dropIndexes(.dates) }),
            ("identifiers", { try $0.createIndexes(.identifiers) }, { try $0.dropIndexes(.identifiers) }),
            ("status", { try $0.createIndex(Observation.self) { $0.status } }, { try $0.dropIndex(Observation.self) { $0.status } }),
            (
                "system", { try $0.createIndex(Observation.self) { $0.code.coding.system } },
                { try $0.dropIndex(Observation.self) { $0.code.coding.system } }
            ),
            ("gender", { try $0.createIndex(Patient.self) { $0.gender } }, { try $0.dropIndex(Patient.self) { $0.gender } }),
            ("family", { try $0.createIndex(Patient.self) { $0.name.family } }, { try $0.dropIndex(Patient.self) { $0.name.family } }),
            (
                "value", { try $0.createIndex(Observation.self) { $0.valueQuantity.value } },
                { try $0.dropIndex(Observation.self) { $0.valueQuantity.value } }
            ),
            ("visit status", { try $0.createIndex(Encounter.self) { $0.status } }, { try $0.dropIndex(Encounter.self) { $0.status } }),
        ]
        let rounds = Effort.isNightly ? 25 : Effort.count(5)
        var found = 0
        for round in 0..<rounds {
            let chosen = indexes.indices.filter { _ in source.generator.percent(30) }
            let extra = source.generator.pick(indexes.indices.filter { !chosen.contains($0) })
            for index in chosen { try indexes[index].add(store) }
            let requests = (0..<20).map { _ in source.request() }
            let before = try requests.map { try Self.cost(store, $0) }
            let plans = try requests.map { try store.statementText($0) }
            try indexes[extra].add(store)
            for (number, request) in requests.enumerated() {
                let after = try Self.cost(store, request)
                let names = chosen.map { indexes[$0].name }
                let plan = try store.statementText(request)
                #expect(after.result == before[number].result, "round \(round), query \(number): \(request.predicate)")
                #expect(
                    Double(after.steps) <= Self.bound * Double(before[number].steps + Self.allowance),
                    """
                    round \(round), query \(number): \(before[number].steps) steps with \(names), \(after.steps) with \(indexes[extra].name) too
                    \(plans[number])
                    \(plan)
                    """)
                found += after.result.count
            }
            try indexes[extra].drop(store)
            for index in chosen { try indexes[index].drop(store) }
        }
        #expect(found > rounds * 20)
    }

    // MARK: - Named cases

    private func steps<Resource: FHIRResource>(_ query: FHIRQuery<Resource>, _ store: FHIRStore) throws -> Int {
        try Self.cost(store, query.request).steps
    }

    /// With the references indexed, the plan went through all resources referred to and never began with the code.
    @Test func aReferringResourcesCodeLeadsWithReferencesIndexed() throws {
        let (store, _) = try Self.filled(40)
        let code = try #require(try store.query(Observation.self).counts { $0.code.coding.code }.last?.value)
        let patients = store.query(Patient.self).where {
            $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.code.coding.code == code }
        }
        let encounters = store.query(Encounter.self).where {
            $0.isReferred(from: Observation.self, by: { $0.encounter }) { $0.code.coding.code == code }
        }
        try store.createIndexes(.codes)
        let (fewPatients, fewEncounters) = try (steps(patients, store), steps(encounters, store))
        let ids = try encounters.ids()
        try store.createIndexes(.references)
        #expect(try steps(patients, store) <= fewPatients + Self.allowance)
        #expect(try steps(encounters, store) <= fewEncounters + Self.allowance)
        #expect(try encounters.ids() == ids && !ids.isEmpty)
        #expect(try encounters.explain().contains("Observation_code_coding__code (code=?)"))
        // Where the resource referred to is known, its references are looked up.
        let id = ids[0]
        let one = encounters.where { $0.id == id }
        #expect(try one.explain().contains("Observation__encounter_reference (encounter_reference=?)"))
        #expect(try steps(one, store) < fewEncounters / 2)
    }

    /// To sort the keys of most of a table costs more than to go through it.
    @Test func aRangeThatMostRowsAreInDoesNotLead() throws {
        let (store, _) = try Self.filled(100)
        let observations = store.query(Observation.self)
        let most = observations.where { $0.effectiveDateTime > "1900" }
        let few = observations.where { $0.effectiveDateTime > "2023-06" }
        let (stepsForMost, stepsForFew) = try (steps(most, store), steps(few, store))
        try store.createIndexes(.dates)
        #expect(try Double(steps(most, store)) <= 1.2 * Double(stepsForMost + Self.allowance))
        #expect(try steps(few, store) * 2 < stepsForFew)
        #expect(try few.count() * 4 < most.count() && few.exists())
    }

    /// The index that sorts begins where the condition on the same column says; it used to be gone through from its beginning.
    @Test(.enabled(if: Library.sortsByIndexes, "needs SQLite 3.30 or newer"))
    func aConditionOnTheSortedColumnSaysWhereTheOrderBegins() throws {
        let (store, _) = try Self.filled(100)
        try store.createIndexes(.dates)
        let observations = store.query(Observation.self)
        let dates = try observations.values(\.effectiveDateTime).compactMap { $0?.description }.sorted()
        let middle = String(dates[dates.count / 2].prefix(10))
        for isDescending in [false, true] {
            let sorted = observations.sort { isDescending ? $0.effectiveDateTime.descending : $0.effectiveDateTime.ascending }.limit(10)
            let bounds = try #require(FHIRDateTime(middle))
            let half = isDescending ? sorted.where { $0.effectiveDateTime < bounds } : sorted.where { $0.effectiveDateTime > bounds }
            #expect(try half.ids().count == 10)
            // Nothing is counted for the plan: that took 1.6 ms of a page of 50 from a million.
            let few = try steps(half, store)
            #expect(few < 250)
            #expect(try steps(half.limit(20), store) > few)
        }
    }

    /// A page in the order of what no resource has is a page in the order of the keys, which needs no sorting; so is the next one.
    @Test func whatNoResourceHasIsNotSortedBy() throws {
        let (store, _) = try Self.filled(100)
        let plain = store.query(Observation.self)
        let sorted = plain.sort { $0.implicitRules.ascending }
        #expect(try sorted.limit(10).ids() == plain.limit(10).ids())
        #expect(try steps(sorted.limit(10), store) <= steps(plain.limit(10), store) + Self.allowance / 10)
        let next = try sorted.after(sorted.page(of: 10).next).limit(10)
        let nextPlain = try plain.after(plain.page(of: 10).next).limit(10)
        #expect(try next.ids() == nextPlain.ids())
        #expect(try steps(next, store) <= steps(nextPlain, store) + Self.allowance / 10)
    }

    /// Where most resources that refer fulfil the condition, one of them is soon found for each resource referred to.
    @Test func aFrequentConditionOfReferringResourcesDoesNotLead() throws {
        let (store, _) = try Self.filled(100)
        let patients = store.query(Patient.self)
        let any = patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) }
        let final = patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.status == .final } }
        let (fewAny, fewFinal) = try (steps(any, store), steps(final, store))
        try store.createIndexes(.references)
        #expect(try steps(any, store) * 3 < fewAny)
        #expect(try steps(final, store) * 3 < fewFinal)
    }
}
