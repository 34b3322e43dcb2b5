import FireLiteR4
import Testing

@testable import FireLite

/// Pages in the order of storage, for which the engine walks through resources until there are enough results.
@Suite struct WalkTests {
    private static let patients = 4_200

    private static func isLate(_ patient: Int) -> Bool { patient < 3 || patient >= patients - 300 }

    /// Two observations of each patient. Those of the first few and the last patients have a code and their patients a name of their own.
    private static func filled() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        let names = ["Abel", "Baker", "Clark", "Davis"]
        try store.write { transaction in
            try transaction.upsert(
                (0..<patients).map { number -> FHIRResource in
                    let patient = Patient()
                    patient.id = "\(number)"
                    patient.name.append(HumanName { $0.family = isLate(number) ? "Late" : names[number % 4] })
                    return patient
                })
            try transaction.upsert(
                (0..<2 * patients).map { number -> FHIRResource in
                    let observation = Observation()
                    observation.id = "o\(number)"
                    observation.status = number % 5 == 0 ? .amended : .final
                    let isLate = isLate(number % patients)
                    observation.code = CodeableConcept { $0.coding.append(Coding { $0.code = isLate ? "late" : "c\(number % 3)" }) }
                    observation.subject = Reference { $0.reference = "Patient/\(number % patients)" }
                    return observation
                })
        }
        try store.createIndexes(.references)
        try store.createIndexes(.codes)
        try store.createIndex(Patient.self) { $0.name.family }
        return store
    }

    private static func path(_ layout: Layout, _ names: String...) -> QueryPath {
        var path = QueryPath()
        var layout = layout
        for name in names {
            guard let element = layout.element(named: name) else { return path }
            path = path.appending(PathStep(slot: element.slot))
            if let inner = element.layout { layout = inner }
        }
        return path
    }

    private static func value(_ layout: Layout, _ path: QueryPath, _ text: String) -> QueryRequest {
        var request = QueryRequest(layout)
        request.predicate = .value(path, .compare(.equal, .text(text)))
        return request
    }

    /// Searches of many results: about what refers to a resource, about what it refers to, and with a condition that has no index.
    private static func requests() -> [QueryRequest] {
        let (observation, patient) = (Observation._layout, Patient._layout)
        let code = path(observation, "code", "coding", "code")
        let subject = path(observation, "subject")
        let family = path(patient, "name", "family")
        func isFinal(_ request: QueryRequest) -> QueryRequest {
            var request = request
            request.add(.value(path(observation, "status"), .compare(.equal, .text("final"))))
            return request
        }
        func refers(_ text: String) -> QueryRequest {
            var request = QueryRequest(observation)
            request.predicate = .target(subject, patient, value(patient, family, text).predicate)
            return request
        }
        func isReferred(_ text: String) -> QueryRequest {
            var request = QueryRequest(patient)
            request.predicate = .referredBy(observation, subject, value(observation, code, text).predicate)
            return request
        }
        return ["c0", "late"].flatMap { [isReferred($0), isFinal(value(observation, code, $0))] }
            + ["Abel", "Late"].flatMap { [refers($0), isFinal(refers($0))] }
    }

    @Test func pagesOfAWalkAreTheWholeResult() throws {
        let store = try Self.filled()
        for (number, request) in Self.requests().enumerated() {
            try store.read { transaction in
                let all = try transaction.places(request).map(\.key)
                var paged: [Int64] = []
                var page = request
                page.limit = 20
                // The walk is what is tested.
                #expect(try transaction.statement(page)?.walk([]) != nil, "request \(number)")
                while paged.count <= all.count {
                    let places = try transaction.places(page)
                    paged += places.map(\.key)
                    guard let last = places.last else { break }
                    #expect(places.count == min(20, all.count - paged.count + places.count), "request \(number)")
                    page.cursor = last
                }
                #expect(paged == all && all.count >= 300, "request \(number)")
            }
        }
    }

    /// Few resources are walked through, too, where many others refer to each.
    @Test func manyReferencesToFewResourcesAreWorthAWalk() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { transaction in
            try transaction.upsert(
                (0..<800).map { number -> FHIRResource in
                    let patient = Patient()
                    patient.id = "\(number)"
                    return patient
                })
            try transaction.upsert(
                (0..<8_000).map { number -> FHIRResource in
                    let observation = Observation()
                    observation.id = "o\(number)"
                    observation.status = .final
                    observation.code = CodeableConcept { $0.coding.append(Coding { $0.code = "c\(number / 800 % 3)" }) }
                    observation.subject = Reference { $0.reference = "Patient/\(number % 800)" }
                    return observation
                })
        }
        try store.createIndexes(.references)
        try store.createIndexes(.codes)
        let (observation, patient) = (Observation._layout, Patient._layout)
        let code = Self.value(observation, Self.path(observation, "code", "coding", "code"), "c1").predicate
        var page = QueryRequest(patient)
        page.predicate = .referredBy(observation, Self.path(observation, "subject"), code)
        page.limit = 21
        try store.read { transaction in
            let walk = try transaction.statement(page)?.walk([])
            let places = try transaction.places(page)
            #expect(walk != nil && places.count == 21)
        }
    }

    private static func steps(_ store: FHIRStore, _ request: QueryRequest) throws -> Int {
        try store.read { transaction in
            _ = try transaction.places(request)
            _ = transaction.access.connection.takeMachineSteps()
            _ = try transaction.places(request)
            return transaction.access.connection.takeMachineSteps()
        }
    }

    @Test func aPageCostsLittleWhereResultsAreFrequentAndBoundedWhereTheyAreLate() throws {
        let store = try Self.filled()
        for (number, request) in Self.requests().enumerated() {
            var page = request
            page.limit = 10
            let (one, all) = try (Self.steps(store, page), Self.steps(store, request))
            let isLate = (number < 4 && number >= 2) || number >= 6
            if isLate {
                #expect(one < 4 * all, "request \(number): \(one) of \(all)")
            } else {
                #expect(one * 2 < all, "request \(number): \(one) of \(all)")
            }
        }
    }

    @Test func sortedPagesAndShortListsNeedNoWalk() throws {
        let store = try Self.filled()
        try store.read { transaction in
            for request in Self.requests() {
                var page = request
                let walk = try transaction.statement(page)?.walk([])
                #expect(walk == nil)
                page.limit = 10
                page.sort = [SortKey(path: QueryPath([PathStep(slot: 0)]), isDescending: false, nulls: .last)]
                let sorted = try transaction.statement(page)?.walk([])
                #expect(sorted == nil)
            }
            let rare = Self.value(Patient._layout, Self.path(Patient._layout, "id"), "7")
            var page = rare
            page.limit = 10
            let walk = try transaction.statement(page)?.walk([])
            #expect(walk == nil)
        }
    }
}
