import FireLiteCore
import FireLiteR4
import FireLiteSynthetic
import TestSupport
import Testing

@testable import FireLite

/// Requests of one shape share their plans. Each gets the statement that it would get alone, with its own values.
@Suite(.soundStores) struct SharedPlanTests {
    private static func filled(_ patients: Int) throws -> (FHIRStore, [FHIRResource]) {
        let store = try freshStore()
        let types = ["Patient", "Encounter", "Observation", "Condition"]
        let resources = SyntheticPatients(count: patients, seed: 23).filter { types.contains($0.resourceType) }
        try store.write { transaction in _ = try transaction.upsert(resources) }
        return (store, resources)
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

    // MARK: - Comparison

    /// What becomes of a request that is compiled by itself.
    private static func own(
        _ request: QueryRequest, _ columns: ResultColumns, _ part: RequestShape.Part, _ transaction: ReadTransaction
    ) throws -> PlannedStatement {
        let statement = try QueryStatement(transaction.restricted(request), transaction.access, transaction.store.identity)
        if statement.isEmpty { return .empty }
        let selected = columns == .ids ? [try statement.id] : []
        if case .rest(let limit, let after) = part { return .keys(try statement.keys(selected, limit: limit, after: after).statement) }
        if let walk = try statement.walk(selected) { return .walk(walk.keys.statement, end: walk.end) }
        return .keys(try statement.keys(selected, withCursor: columns == .places).statement)
    }

    private static func text(_ statement: PlannedStatement) -> String {
        switch statement {
        case .empty: "nothing"
        case .keys(let sql): "\(sql.sql) \(sql.arguments)"
        case .walk(let sql, let end): "\(sql.sql) \(sql.arguments) to \(end.map { "\($0)" } ?? "the end")"
        }
    }

    /// Whether the request shares plans; its statements are compared in any case.
    @discardableResult
    private func expectSame(_ request: QueryRequest, _ store: FHIRStore, _ context: String) throws -> Bool {
        try store.read { transaction in
            var isShared = true
            for columns in [ResultColumns.none, .ids, .places] {
                var parts = [RequestShape.Part.first]
                if request.sort.isEmpty { parts.append(.rest(limit: 7, after: RowKey.key(3))) }
                for part in parts {
                    guard let shared = try transaction.sharedStatement(transaction.restricted(request), columns, part) else {
                        isShared = false
                        continue
                    }
                    let own = try Self.own(request, columns, part, transaction)
                    #expect(Self.text(shared) == Self.text(own), "\(context): \(request.predicate)")
                }
            }
            return isShared
        }
    }

    // MARK: - Random requests

    @Test func randomRequestsGetTheStatementsThatTheyWouldGetAlone() throws {
        let (store, resources) = try Self.filled(40)
        let instances = Dictionary(grouping: resources) { $0.resourceType }
        let layouts = [Patient._layout, Observation._layout, Encounter._layout, Condition._layout]
        var generator = SeededGenerator(seed: 31)
        let changes: [(String, (FHIRStore) throws -> Void)] = [
            ("no index", { _ in }), ("references", { try $0.createIndexes(.references) }), ("codes", { try $0.createIndexes(.codes) }),
            ("a base", { try $0.addBase("https://example.org/fhir") }), ("dates", { try $0.createIndexes(.dates) }),
            ("no codes", { try $0.dropIndexes(.codes) }), ("no base", { try $0.removeBase("https://example.org/fhir") }),
            ("more", { try $0.write { transaction in _ = try transaction.upsert(Array(SyntheticPatients(count: 30, seed: 24))) } }),
        ]
        var requests: [QueryRequest] = []
        for _ in 0..<Effort.count(60) {
            let layout = generator.pick(layouts)
            var random = RandomPredicate(layout: layout, instances: instances[layout.name] ?? [], generator: generator)
            var request = QueryRequest(layout)
            request.predicate = random.predicate()
            request.sort = random.sort()
            generator = random.generator
            if generator.percent(60) { request.limit = generator.int(1...20) }
            if generator.percent(20) { request.offset = generator.int(1...5) }
            requests.append(request)
        }
        var shared = 0
        for (name, change) in changes {
            try change(store)
            // The second time each finds the plan of the first.
            for round in 0..<2 {
                for (number, request) in requests.enumerated() {
                    if try expectSame(request, store, "\(name), round \(round), request \(number)") { shared += 1 }
                }
            }
        }
        #expect(shared > changes.count * requests.count / 2)
    }

    // MARK: - Other values

    /// Requests of a few shapes.
    private static var shapes: [(name: String, make: (String) -> QueryRequest)] {
        let (patient, observation) = (Patient._layout, Observation._layout)
        func request(_ layout: Layout, _ predicate: FireLite.Predicate, limit: Int? = 20) -> QueryRequest {
            var request = QueryRequest(layout)
            request.predicate = predicate
            request.limit = limit
            return request
        }
        let (family, given) = (path(patient, "name", "family"), path(patient, "name", "given"))
        let (code, date) = (path(observation, "code", "coding", "code"), path(observation, "effectiveDateTime"))
        let subject = path(observation, "subject")
        func name(_ text: String) -> FireLite.Predicate {
            .or([.value(family, .text(.hasPrefix, of: text, .all)), .value(given, .text(.hasPrefix, of: text, .all))])
        }
        func latest(_ text: String) -> QueryRequest {
            var latest = request(
                observation, .and([.refers(subject, ["Patient/\(text)"]), .value(code, .oneOf([.text(text), .text("8302-2")]))]))
            latest.sort = [SortKey(path: date, isDescending: true, nulls: .last)]
            return latest
        }
        func since(_ text: String) -> FireLite.Predicate {
            .value(date, .date(.greater, DateBounds(text) ?? DateBounds(text: "2015", lower: "2015", upper: "2016"), overlapping: true))
        }
        var shapes: [(name: String, make: (String) -> QueryRequest)] = []
        func add(_ title: String, _ make: @escaping (String) -> QueryRequest) { shapes.append((title, make)) }
        add("equality") { request(observation, .value(code, .compare(.equal, .text($0)))) }
        add("list") { request(observation, .value(code, .oneOf([.text($0), .text($0 + "x"), .text("8302-2")]))) }
        add("long list") { text in
            let values = (0..<9).map { SQLValue.text("\(text)\($0)") }
            return request(observation, .value(code, .oneOf(values)))
        }
        add("beginning") { request(patient, name($0.lowercased())) }
        add("exact beginning") { request(patient, .value(family, .text(.hasPrefix, $0, [])), limit: nil) }
        add("part") { request(patient, .value(family, .text(.contains, of: $0, .all))) }
        add("latest", latest)
        add("reference") { request(observation, .refers(subject, ["Patient/\($0)", "Group/\($0)", "urn:uuid:\($0)"])) }
        add("not a reference") { request(observation, .not(.refers(subject, ["urn:uuid:\($0)", "Patient/\($0)", "#\($0)"]))) }
        add("date") { request(observation, since($0)) }
        add("chain") { request(observation, .and([.target(subject, patient, name($0)), since("2015-02-03")])) }
        add("reverse") { request(patient, .referredBy(observation, subject, .value(code, .compare(.equal, .text($0))))) }
        add("not") { request(patient, .not(.value(family, .compare(.equal, .text($0))))) }
        return shapes
    }

    @Test(arguments: [false, true]) func otherValuesGetTheirOwnStatements(isIndexed: Bool) throws {
        let (store, resources) = try Self.filled(60)
        if isIndexed {
            for set in StoreIndexSet.known { try store.createIndexes(set) }
            let patient = Patient._layout
            _ = try store.createCaselessIndex(patient, Self.path(patient, "name", "family"))
            _ = try store.createCaselessIndex(patient, Self.path(patient, "name", "given"))
        }
        let codes = resources.compactMap { ($0 as? Observation)?.code?.coding.first?.code }
        let names = resources.compactMap { ($0 as? Patient)?.name.first?.family }
        var values = ["a", "A", "1", "x y", "2015", "2015-01", "2015-01-01", "2019-07-03T10:00:00Z", "2019-07-03T10:00:00.123Z", "9999"]
        // What the compiler, SQLite or JSON could take for something else.
        values += ["", "é", "aé", "\u{4}", "\u{4}\u{5}", "\u{80}", "\u{0}", "\"", "\\", "[\"a\"]", "\\u0004"]
        values += ["a/b", "%", "_", "'", "~", "\u{7F}", "Z.0.Z", ":", "::", "12:30:00"]
        values += [String(repeating: "a", count: 70), String(repeating: "b", count: 300)]
        values += Array(Set(codes).sorted().prefix(12))
        values += Array(Set(names).sorted().prefix(12))
        values += resources.prefix(12).compactMap(\.id)
        var known = 0
        for (name, make) in Self.shapes {
            for value in values {
                let before = try store.read { $0.access.queries.plans.compilations }
                let isShared = try expectSame(make(value), store, "\(name) of '\(value)'")
                if try isShared && before == store.read({ $0.access.queries.plans.compilations }) { known += 1 }
            }
        }
        // Many requests find a plan.
        #expect(known > Self.shapes.count * values.count / 5)
    }

    @Test func resultsAreThoseOfOwnCompilation() throws {
        let (store, resources) = try Self.filled(60)
        try store.createIndexes(.references)
        try store.createIndexes(.codes)
        let codes = Set(resources.compactMap { ($0 as? Observation)?.code?.coding.first?.code }).sorted()
        let ids = resources.filter { $0.resourceType == "Patient" }.compactMap(\.id)
        var found = 0
        for (_, make) in Self.shapes {
            for value in Array(codes.prefix(10)) + Array(ids.prefix(10)) + ["A", "Sm", "2015"] {
                let request = make(value)
                try store.read { transaction in
                    let plans = transaction.access.queries.plans
                    let shared = try transaction.places(request)
                    plans.isOn = false
                    defer { plans.isOn = true }
                    #expect(try transaction.places(request) == shared)
                    found += shared.count
                }
            }
        }
        #expect(found > 50)
    }

    /// An id alone means a resource of each type that a reference may lead to, and a UUID.
    @Test func referencesByAnyIDShareAPlan() throws {
        let (store, resources) = try Self.filled(20)
        try store.createIndexes(.references)
        let subject = Self.path(Observation._layout, "subject")
        let uuids = (0..<30).map { "00000000-0000-4000-8000-0000000000\(10 + $0)" }
        for ids in [uuids, (0..<30).map { "p\($0)" }, resources.prefix(30).compactMap(\.id)] {
            let compilations = try store.read { transaction in
                let before = transaction.access.queries.plans.compilations
                for id in ids {
                    var request = QueryRequest(Observation._layout)
                    request.predicate = .refers(subject, ["Patient/\(id)", "urn:uuid:\(id)"])
                    request.limit = 20
                    _ = try transaction.places(request)
                }
                return transaction.access.queries.plans.compilations - before
            }
            // What the planner counts has a few answers.
            #expect(compilations <= 12, "\(compilations) of \(ids.count)")
        }
    }

    // MARK: - State of the file

    /// How many rows a value has is asked again once anybody has changed the file.
    @Test func rowsAreCountedAgainAfterAChange() throws {
        let store = try freshStore(isInFile: true)
        try store.createIndexes(.codes)
        try store.createIndexes(.references)
        let (subject, code) = (Self.path(Observation._layout, "subject"), Self.path(Observation._layout, "code", "coding", "code"))
        func observations(_ count: Int, _ name: String, _ patient: String, _ text: String) -> [Observation] {
            (0..<count).map { number in
                Observation {
                    $0.id = "\(name)\(number)"
                    $0.subject = Reference { $0.reference = "Patient/\(patient)" }
                    $0.code = CodeableConcept { $0.coding = [Coding { $0.code = text }] }
                }
            }
        }
        var request = QueryRequest(Observation._layout)
        request.predicate = .and([.refers(subject, ["Patient/a"]), .value(code, .compare(.equal, .text("c")))])
        func leads() throws -> String {
            try expectSame(request, store, "counted")
            return try store.read { transaction in
                guard case .keys(let sql)? = try transaction.sharedStatement(request, .none, .first) else { return "no statement" }
                return sql.sql
            }
        }
        try store.write { transaction in
            try transaction.upsert(observations(200, "x", "b", "c"))
            try transaction.upsert(observations(20, "y", "a", "d"))
        }
        let byReference = try leads()
        #expect(try leads() == byReference)
        /// Now the patient has many, and the code few.
        func turn(_ store: FHIRStore) throws {
            try store.write { transaction in
                try transaction.upsert(observations(200, "x", "a", "d"))
                try transaction.upsert(observations(20, "z", "b", "c"))
            }
        }
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try store.write { transaction in
                try transaction.upsert(observations(200, "x", "a", "d"))
                _ = try transaction.places(request)
                throw Undone()
            }
        }
        #expect(try leads() == byReference)
        try turn(store)
        let byCode = try leads()
        #expect(byCode != byReference)
        let other = try FHIRStore(path: store.path, release: .r4)
        try other.write { transaction in
            try transaction.upsert(observations(200, "x", "b", "c"))
            try transaction.upsert(observations(20, "y", "a", "d"))
        }
        #expect(try leads() == byReference)
        try turn(other)
        #expect(try leads() == byCode)
    }

    @Test func rolledBackTablesAreForgotten() throws {
        let (store, _) = try Self.filled(3)
        let make = Self.shapes[0].make
        var request = make("x")
        request.predicate = .value(Self.path(Observation._layout, "device", "display"), .compare(.equal, "x"))
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try store.write { transaction in
                let observation = Observation { $0.device = Reference { $0.display = "x" } }
                observation.id = "device"
                try transaction.upsert([observation])
                #expect(try transaction.places(request).count == 1)
                throw Undone()
            }
        }
        #expect(try store.read { try $0.places(request) }.isEmpty)
        try expectSame(request, store, "after a rollback")
    }
}
