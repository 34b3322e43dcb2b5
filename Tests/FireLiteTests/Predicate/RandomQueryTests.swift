import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// The engine's answers against a straightforward evaluation over the objects in memory, for random predicates over random data.
@Suite(.soundStores) struct RandomQueryTests {
    static let classes: [FHIRResource.Type] = [
        Patient.self, Observation.self, Encounter.self, Condition.self, MedicationRequest.self, Procedure.self, Bundle.self,
        Questionnaire.self,
        ValueSet.self, Claim.self, ExplanationOfBenefit.self, CarePlan.self, DiagnosticReport.self, Provenance.self, Parameters.self,
        StructureDefinition.self, Consent.self, Timing_.self, PlanDefinition.self, Organization.self,
    ].filter { $0._layout.isResource }
    private typealias Timing_ = Appointment
    static let instances = 40
    static let predicates = 250

    @Test(arguments: Effort.items(Array(Self.classes.indices))) func answersAreThoseOfMemory(_ number: Int) throws {
        let type = Self.classes[number]
        let store = try freshStore()
        var random = RandomInstance(seed: UInt64(number) &+ 4_000)
        random.maximumDepth = 4
        var objects: [FHIRResource] = []
        try store.write { transaction in
            for index in 0..<Self.instances {
                guard let object = random.object(of: type) as? FHIRResource else { continue }
                object.id = "x\(index)"
                objects.append(object.copy())
                try transaction.add(object)
            }
        }
        var generator = RandomPredicate(layout: type._layout, instances: objects, generator: SeededGenerator(seed: UInt64(number)))
        let queries = (0..<Self.predicates).map { _ in (generator.predicate(), generator.sort(), generator.generator.percent(50)) }
        var hits = 0
        for isIndexed in [false, true] {
            if isIndexed {
                for set in StoreIndexSet.known { try store.createIndexes(set) }
                try addIndexes(store, type._layout, queries.map(\.0))
            }
            for (index, (predicate, sort, isLimited)) in queries.enumerated() {
                var request = QueryRequest(type._layout)
                request.predicate = predicate
                request.sort = sort
                let expected = Self.expected(predicate, sort, objects)
                hits += expected.count
                let count = try store.read { try $0.count(request) }
                #expect(count == expected.count, "class \(type), query \(index), indexed \(isIndexed), counted: \(predicate)")
                if isLimited {
                    request.limit = 5
                    request.offset = 1
                }
                let wanted = isLimited ? Array(expected.dropFirst().prefix(5)) : expected
                let roots = try store.read { try $0.roots(request) }
                let found = roots.map { Int($0) - 1 }
                #expect(found == wanted, "class \(type), query \(index), indexed \(isIndexed): \(predicate) sorted by \(sort)")
            }
        }
        // Predicates that never hold, or always, would show nothing.
        #expect(hits > Self.predicates && hits < Self.predicates * Self.instances * 3 / 2)
    }

    private static func expected(_ predicate: Predicate, _ sort: [SortKey], _ objects: [FHIRResource]) -> [Int] {
        let evaluator = MemoryEvaluator(release: .r4)
        let found = objects.indices.filter { evaluator.holds(predicate, .object(objects[$0])) }
        return found.sorted { left, right in
            for key in sort { if let answer = evaluator.precedes(key, objects[left], objects[right]) { return answer } }
            return (left < right) != (sort.last?.isDescending ?? false)
        }
    }

    /// An index on every second path that a predicate compares.
    private func addIndexes(_ store: FHIRStore, _ layout: Layout, _ predicates: [Predicate]) throws {
        var paths: [QueryPath] = []
        func collect(_ predicate: Predicate, _ prefix: QueryPath) {
            switch predicate {
            case .and(let parts), .or(let parts): for part in parts { collect(part, prefix) }
            case .not(let inner): collect(inner, prefix)
            case .value(let path, _): paths.append(QueryPath(prefix.steps + path.steps))
            case .any(let path, let inner): collect(inner, QueryPath(prefix.steps + path.steps))
            default: break
            }
        }
        for predicate in predicates { collect(predicate, QueryPath()) }
        for (number, path) in paths.enumerated() where number % 2 == 0 {
            let plain = path.steps.allSatisfy { $0.kind == .element && $0.position == nil }
            if plain { try store.write { _ = try $0.createIndex([path], layout, nil) } }
        }
    }
}
