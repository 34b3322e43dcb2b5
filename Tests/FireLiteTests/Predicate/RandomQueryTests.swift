import FireLiteDSTU2
import FireLiteR4
import FireLiteR4B
import FireLiteR5
import FireLiteSTU3
import TestSupport
import Testing

@testable import FireLite

/// The engine's answers against a straightforward evaluation over the objects in memory, for random predicates over random data.
@Suite(.soundStores) struct RandomQueryTests {
    /// A class by its release and name, as an argument.
    struct Subject: Sendable, CustomStringConvertible {
        let release: FHIRRelease
        let name: String
        var description: String { "\(release) \(name)" }
    }

    static let subjects: [Subject] = {
        let names = [
            "Patient", "Observation", "Encounter", "Condition", "MedicationRequest", "Procedure", "Bundle", "Questionnaire", "ValueSet",
            "Claim", "ExplanationOfBenefit", "CarePlan", "DiagnosticReport", "Provenance", "Parameters", "StructureDefinition", "Consent",
            "Appointment", "PlanDefinition", "Organization",
        ]
        // Classes with what R4 lacks; nightly also those of the list above.
        let others: [(FHIRRelease, [String])] = [
            (.dstu2, ["Patient", "MedicationOrder", "Conformance"]), (.stu3, ["Observation", "Sequence", "ProcedureRequest"]),
            (.r4b, ["Ingredient", "NutritionProduct", "Bundle"]), (.r5, ["MedicationRequest", "Bundle", "SubscriptionStatus"]),
        ]
        let all = names.map { Subject(release: .r4, name: $0) }
        return all
            + others.flatMap { release, own in
                let common = Effort.isNightly ? names.filter { release.resourceType(named: $0) != nil && !own.contains($0) } : []
                return (own + common).map { Subject(release: release, name: $0) }
            }
    }()
    static let instances = 40

    /// Fewer for releases other than R4, as the code is the same for all.
    static func predicates(_ subject: Subject) -> Int { Effort.isNightly ? 250 : subject.release == .r4 ? 70 : 40 }

    @Test(arguments: Effort.items(Array(Self.subjects.indices))) func answersAreThoseOfMemory(_ number: Int) throws {
        let subject = Self.subjects[number]
        let type = try #require(subject.release.resourceType(named: subject.name))
        let predicates = Self.predicates(subject)
        let store = try freshStore(release: subject.release)
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
        let queries = (0..<predicates).map { _ in (generator.predicate(), generator.sort(), generator.generator.percent(50)) }
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
                let expected = Self.expected(predicate, sort, objects, subject.release)
                hits += expected.count
                let count = try store.read { try $0.count(request) }
                #expect(count == expected.count, "\(subject), query \(index), indexed \(isIndexed), counted: \(predicate)")
                if isLimited {
                    request.limit = 5
                    request.offset = 1
                }
                let wanted = isLimited ? Array(expected.dropFirst().prefix(5)) : expected
                let roots = try store.read { try $0.roots(request) }
                let found = roots.map { Int($0) - 1 }
                #expect(found == wanted, "\(subject), query \(index), indexed \(isIndexed): \(predicate) sorted by \(sort)")
            }
        }
        // Predicates that never hold, or always, would show nothing.
        #expect(hits > predicates && hits < predicates * Self.instances * 3 / 2)
    }

    private static func expected(_ predicate: Predicate, _ sort: [SortKey], _ objects: [FHIRResource], _ release: FHIRRelease)
        -> [Int]
    {
        let evaluator = MemoryEvaluator(release: release)
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
