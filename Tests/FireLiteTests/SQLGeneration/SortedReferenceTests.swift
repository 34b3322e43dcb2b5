import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// What refers to a resource, sorted: with an index each form of the reference is searched for by itself.
@Suite(.soundStores) struct SortedReferenceTests {
    private static let uuid = "c757873d-ec9a-4326-a141-556f43239520"
    /// Some begin with others, and one is written in two ways.
    private static let ids = ["1", "1-2", "1.", "10", uuid]

    private struct Made {
        let name: String
        let reference: String
        let id: String
        /// Whether it leads to a resource of this store.
        let isLocal: Bool
    }

    private static func filled(_ bases: [String], _ generator: inout SeededGenerator) throws -> (FHIRStore, [Made]) {
        var configuration = FHIRStore.Configuration()
        configuration.bases = bases
        let store = try freshStore(configuration)
        var made: [Made] = []
        try store.write { transaction in
            for number in 0..<300 {
                let id = generator.pick(ids)
                var reference = "Patient/\(id)"
                var isLocal = true
                switch generator.int(0...5) {
                case 0: reference += "/_history/\(generator.int(1...2))"
                case 1: if let base = bases.randomElement(using: &generator) { reference = "\(base)/\(reference)" }
                case 2: if let base = bases.randomElement(using: &generator) { reference = "\(base)/\(reference)/_history/1" }
                case 3: (reference, isLocal) = ("http://other.example/\(reference)", false)
                case 4: (reference, isLocal) = ("urn:uuid:\(id)", id == uuid)
                default: break
                }
                made.append(Made(name: "o\(number)", reference: reference, id: id, isLocal: isLocal))
                let dates = ["2020", "2020-01", "2020-01-01", "2020-01-02T03:04:05Z", "2019-12-31T23:30:00-01:00"]
                let date = generator.percent(20) ? nil : FHIRDateTime(generator.pick(dates))
                let (status, code) = (generator.percent(50), "c\(generator.int(0...2))")
                try transaction.add(
                    Observation {
                        $0.id = "o\(number)"
                        $0.subject = Reference { $0.reference = reference }
                        $0.effectiveDateTime = date
                        $0.status = status ? .final : .amended
                        $0.code = CodeableConcept { $0.coding = [Coding { $0.code = code }] }
                        // As a contained resource it is none of the results.
                        if number % 10 == 0 { $0.contained = [Observation { $0.subject = Reference { $0.reference = reference } }] }
                    })
            }
        }
        return (store, made)
    }

    private static func path(_ names: String...) throws -> QueryPath {
        var path = QueryPath()
        var layout = Observation._layout
        for name in names {
            let element = try #require(layout.element(named: name))
            path = path.appending(PathStep(slot: element.slot))
            if let inner = element.layout { layout = inner }
        }
        return path
    }

    private func requests(_ texts: [String], _ generator: inout SeededGenerator) throws -> [QueryRequest] {
        let subject = try Self.path("subject")
        let (date, status, code) = (try Self.path("effectiveDateTime"), try Self.path("status"), try Self.path("code", "coding", "code"))
        return (0..<6).map { number in
            var request = QueryRequest(Observation._layout)
            var parts: [FireLite.Predicate] = [.refers(subject, texts)]
            if number % 3 == 1 { parts.append(.value(code, .oneOf([.text("c1"), .text("c2")]))) }
            if number % 4 == 1 { parts.append(.not(.value(status, .compare(.equal, .text("final"))))) }
            request.predicate = parts.count == 1 ? parts[0] : .and(parts)
            let isDescending = generator.percent(50)
            request.sort = [SortKey(path: date, isDescending: isDescending, nulls: generator.percent(50) ? .first : .last)]
            if generator.percent(30) { request.sort.append(SortKey(path: status, isDescending: isDescending, nulls: .first)) }
            if generator.percent(50) { request.limit = generator.int(1...30) }
            if generator.percent(30) { request.offset = generator.int(1...9) }
            return request
        }
    }

    /// The keys of the results, also page by page, and with a statement of the request's own.
    private func keys(_ request: QueryRequest, _ store: FHIRStore) throws -> [Int64] {
        try store.read { transaction in
            let keys = try transaction.places(request).map(\.key)
            let plans = transaction.access.queries.plans
            plans.isOn = false
            #expect(try transaction.places(request).map(\.key) == keys)
            plans.isOn = true
            guard request.limit == nil, request.offset == 0 else { return keys }
            var (page, paged) = (request, [Int64]())
            page.limit = 7
            while true {
                let places = try transaction.places(page)
                guard let last = places.last else { break }
                paged += places.map(\.key)
                page.cursor = last
            }
            #expect(paged == keys)
            return keys
        }
    }

    @Test(arguments: [[], ["https://a.example/fhir"], ["https://a.example/fhir", "http://b.example"]])
    func resultsAreThoseWithoutAnIndex(bases: [String]) throws {
        var generator = SeededGenerator(seed: UInt64(41 + bases.count))
        let (store, made) = try Self.filled(bases, &generator)
        var asked: [(texts: [String], request: QueryRequest)] = []
        for id in Self.ids + ["none"] {
            var forms = [["Patient/\(id)"], ["Patient/\(id)", "urn:uuid:\(id)"], ["Patient/\(id)", "Group/\(id)"]]
            forms += [["Patient/\(id)/_history/1"], ["Patient/\(id)", "Patient/\(id)/_history/1"], ["Patient/\(id)", "Patient/1"]]
            forms += bases.map { ["\($0)/Patient/\(id)", "Patient/\(id)"] }
            for texts in forms { asked += try requests(texts, &generator).map { (texts, $0) } }
        }
        let expected = try asked.map { try keys($0.request, store) }
        for (texts, request) in asked where texts.count == 1 && !texts[0].contains("_history") {
            var all = request
            (all.limit, all.offset) = (nil, 0)
            guard case .refers = all.predicate else { continue }
            let names = Set(made.filter { "Patient/\($0.id)" == texts[0] && $0.isLocal && !$0.reference.hasPrefix("urn:") }.map(\.name))
            let found = try store.read { try $0.resources(keys: try $0.places(all).map(\.key)).compactMap(\.id) }
            #expect(Set(found) == names && found.count == names.count)
        }
        var separate = 0
        for set in [StoreIndexSet.references, .codes, .dates] {
            try store.createIndexes(set)
            for (index, (texts, request)) in asked.enumerated() {
                #expect(try keys(request, store) == expected[index], "\(texts), \(request.predicate)")
                let sql = try store.read { try QueryStatement(request, $0.access, $0.store.identity).keys().statement.sql }
                if sql.contains(" UNION ALL "), !sql.contains("_k IN (SELECT") { separate += 1 }
            }
        }
        #expect(separate > asked.count / 4)
        #expect(expected.reduce(0) { $0 + $1.count } > 500)
    }
}
