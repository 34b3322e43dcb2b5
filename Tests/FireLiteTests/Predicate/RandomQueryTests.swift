import FireLiteR4
import FireLiteReleases
import TestSupport
import Testing

@testable import FireLite

/// The engine's answers against a straightforward evaluation over the objects in memory, for random predicates over random data.
@Suite(.soundStores) struct RandomQueryTests {
    /// A type by its release and name, as an argument.
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
        // Types with what R4 lacks, of releases without classes; nightly also those of the list above.
        let others = [
            ("DSTU2", ["Patient", "MedicationOrder", "Conformance"]), ("STU3", ["Observation", "Sequence", "ProcedureRequest"]),
            ("R4B", ["Ingredient", "NutritionProduct", "Bundle"]), ("R5", ["MedicationRequest", "Bundle", "SubscriptionStatus"]),
        ]
        let all = names.map { Subject(release: .r4, name: $0) }
        return all
            + others.flatMap { name, own -> [Subject] in
                guard let release = BundledRelease.named(name)?.release else { return [] }
                let common = Effort.isNightly ? names.filter { release.hasResourceType(named: $0) && !own.contains($0) } : []
                return (own + common).map { Subject(release: release, name: $0) }
            }
    }()
    static let instances = 40

    /// Fewer for releases other than R4, as the code is the same for all.
    static func predicates(_ subject: Subject) -> Int { Effort.isNightly ? 250 : subject.release == .r4 ? 30 : 20 }

    @Test(arguments: Effort.items(Array(Self.subjects.indices))) func answersAreThoseOfMemory(_ number: Int) throws {
        let subject = Self.subjects[number]
        let layout = try #require(subject.release.resourceLayout(named: subject.name))
        let predicates = Self.predicates(subject)
        let store = try freshStore(release: subject.release)
        var random = RandomInstance(seed: UInt64(number) &+ 4_000)
        random.maximumDepth = 4
        var objects: [FHIRResource] = []
        try store.write { transaction in
            for index in 0..<Self.instances {
                guard let object = random.object(of: layout) as? FHIRResource else { continue }
                object.id = "x\(index)"
                objects.append(object.copy())
                try transaction.add(object)
            }
        }
        var generator = RandomPredicate(layout: layout, instances: objects, generator: SeededGenerator(seed: UInt64(number)))
        let queries = (0..<predicates).map { _ in (generator.predicate(), generator.sort(), generator.generator.percent(50)) }
        var hits = 0
        for isIndexed in [false, true] {
            if isIndexed {
                for set in StoreIndexSet.known { try store.createIndexes(set) }
                try addIndexes(store, layout, queries.map(\.0))
            }
            for (index, (predicate, sort, isLimited)) in queries.enumerated() {
                var request = QueryRequest(layout)
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
