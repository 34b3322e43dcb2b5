import FireLiteR4
import FireLiteSearch
import FireLiteSynthetic
import Foundation
import TestSupport
import Testing

/// SQL on the tables and FHIRPath on objects are each other's test: the same rows in the same order.
struct ViewBackEndTests {
    /// Columns on patients, all of which are compiled.
    private static let patientPaths = [
        "id", "getResourceKey()", "active", "gender", "birthDate", "deceased.ofType(boolean)", "deceased.ofType(dateTime)",
        "name.first().family", "name[1].family", "name[0].given[1]", "name.given.first()", "name.where(use = 'official').family.first()",
        "name.given.join(',')", "name.exists()", "name.family.exists()", "name.where(use = 'old').exists()", "name.empty()", "name.count()",
        "name.given.count()", "name.exists(use = 'old')", "name.where(use = 'official' and family = 'O\\'Hara').exists()",
        "telecom.where(system = 'phone').first().value", "telecom.where(system = 'phone')[1].value", "telecom.rank.first()",
        "active = true", "active != true", "active.not()", "gender = 'male' and active", "gender = 'male' or active.exists()",
        "gender = 'male' implies active", "gender = 'male' xor active", "name.family = 'B'", "name.family != 'B'", "telecom.rank > 1",
        "contact.first().name.given.join()", "contact.name.family.first()", "contact.telecom.value.first()", "address.line.join('; ')",
        "maritalStatus.coding.code.first()", "maritalStatus.text", "maritalStatus.exists()", "managingOrganization.getReferenceKey()",
        "managingOrganization.getReferenceKey(Patient)", "birthDate.where(1 = 1)", "birthDate.where(1 = 2)",
        "link.other.getReferenceKey(Patient).first()", "link.other.reference.first()",
        "extension('http://x/sex').value.ofType(code).first()", "extension('http://x/race').extension('text').value.ofType(string).first()",
        "%rowIndex", "'text'", "7", "Patient.gender", "$this.gender",
    ]

    /// Given names without a value are items, which only objects show.
    private static let ofObjects: Set<String> = ["name[0].given[1]", "name.given.first()", "name.given.count()"]

    private static let observationPaths = [
        "id", "status", "code.coding.first().code", "code.coding.first().system", "code.text", "subject.getReferenceKey()",
        "subject.getReferenceKey(Patient)", "effective.ofType(dateTime)", "effective.ofType(instant)", "effective.ofType(Period).start",
        "effective.ofType(Period).end", "effective.ofType(Period).where(end.exists()).start", "issued", "value.ofType(Quantity).value",
        "value.ofType(Quantity).unit", "value.ofType(string)",
        "value.ofType(integer)", "value.ofType(boolean)", "value.ofType(time)", "(value as Quantity).value",
        "value.ofType(Quantity).value > 1.2", "value.ofType(Quantity).value = 1.5", "value.ofType(integer) >= 42",
        "component[1].value.ofType(string)", "component.value.ofType(Quantity).value.first()",
        "component.where(code.text = 'd').value.ofType(string).first()", "category.coding.code.first()", "value.ofType(Quantity).exists()",
        "code.coding.where(code = '8867-4').exists()", "code.coding.exists(code = '8867-4' and system = 'http://loinc.org')",
    ]

    private static func view(_ resource: String, _ paths: [String], where conditions: [String] = []) -> ViewDefinition {
        let columns = paths.enumerated().map { ViewDefinition.Column(name: "c\($0)", path: $1) }
        return ViewDefinition(resource: resource, selects: [ViewDefinition.Select(columns: columns)], conditions: conditions)
    }

    private func expectSame(_ view: ViewDefinition, _ store: FHIRStore, compiles: Bool = true, _ name: String = "") throws {
        let objects = try ViewStore.rows(view, store, by: .objects)
        var sql = try ViewStore.rows(view, store, by: .sql)
        if !compiles, case .failure(let error) = sql, error.code == .notCompiled { sql = objects }
        #expect(sql == objects, "\(name.isEmpty ? "\(view.selects)" : name)")
    }

    @Test(arguments: patientPaths) func pathsOfPatientsAgree(_ path: String) throws {
        try expectSame(Self.view("Patient", [path]), ViewStore.store(ViewStore.tricky), compiles: !Self.ofObjects.contains(path), path)
    }

    @Test(arguments: observationPaths) func pathsOfObservationsAgree(_ path: String) throws {
        try expectSame(Self.view("Observation", [path]), ViewStore.store(ViewStore.tricky), path)
    }

    @Test func columnsOfTheSameItemsAgree() throws {
        typealias Select = ViewDefinition.Select
        func columns(_ paths: String...) -> [ViewDefinition.Column] {
            paths.map { ViewDefinition.Column(name: "c" + $0.filter(\.isLetter) + $0.filter(\.isNumber), path: $0) }
        }
        let store = try ViewStore.store(ViewStore.tricky)
        let names = columns("name.first().family", "name[1].family", "name[0].use", "name[1].use", "name.first().text", "telecom[0].rank")
        let inner = Select(.forEachOrNull("contact"), columns: columns("telecom.first().value", "telecom[0].system", "telecom[1].value"))
        let views = [
            ViewDefinition(resource: "Patient", selects: [Select(columns: columns("id") + names)]),
            ViewDefinition(resource: "Patient", selects: [Select(columns: columns("id") + names), inner]),
            ViewDefinition(resource: "Patient", selects: [inner, Select(columns: names)]),
        ]
        for view in views { try expectSame(view, store) }
    }

    /// Columns of one item share a row, and SQLite builds no index for a query of a view.
    @Test func columnsOfOneItemShareARow() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        let paths = [
            "id", "name.first().family", "name.first().text", "name[1].family", "name.first().use", "contact.first().name.family", "active",
            "name.where(use = 'official').first().family", "link.first().type", "telecom[0].where(rank = 2).value",
        ]
        let view = ViewDefinition(
            resource: "Patient",
            selects: [ViewDefinition.Select(columns: paths.enumerated().map { ViewDefinition.Column(name: "c\($0)", path: $1) })])
        let sql = try store.sql(of: view)
        #expect(sql.components(separatedBy: "LEFT JOIN \"Patient_name\"").count == 3)
        // An item that its elements select stays a subquery: joined, SQLite builds an index of those elements for each query.
        #expect(!sql.contains("LEFT JOIN \"Patient_telecom\""))
        for view in [view] + ViewDefinition.standard(for: .r4) {
            let plan = try store.sql("EXPLAIN QUERY PLAN " + store.sql(of: view)).map { $0["detail"].text ?? "" }
            #expect(!plan.isEmpty && !plan.contains { $0.contains("AUTOMATIC") }, "\(plan)")
        }
    }

    /// Texts that are read again are kept apart from others of the same length, beginning and end, and dates from those of other zones.
    @Test func valuesThatAreAlikeStayApart() throws {
        let dates = [
            "2020-01-01T12:00:00Z", "2020-01-01T14:00:00+02:00", "2020-01-01T12:00:00+00:00", "2020-01-01T12:00:00-00:00", "2020-01-01",
        ]
        let codes = ["abcdefgh1ijklmnop", "abcdefgh2ijklmnop", "a", "b", "ab", "abcdefgh", String(repeating: "x", count: 90)]
        let subjects = [
            "Patient/1", "Patient/2", "Patient/1/_history/2", "http://h/fhir/Patient/1", "urn:uuid:00000000-0000-0000-0000-000000000001",
        ]
        let store = try ViewStore.store(
            (0..<400).map { number in
                #"""
                {"resourceType":"Observation","id":"o\#(number)","status":"final","effectiveDateTime":"\#(dates[number % 5])",
                 "code":{"coding":[{"code":"\#(codes[number % 7])","display":"\#(codes[number % 3])"}]},
                 "subject":{"reference":"\#(subjects[number / 3 % 5])"},"valueQuantity":{"value":\#(number % 4).50,"unit":"u\#(number % 41)"}}
                """#
            })
        try expectSame(
            Self.view(
                "Observation",
                [
                    "id", "effective.ofType(dateTime)", "code.coding.first().code", "code.coding.first().display",
                    "subject.getReferenceKey()",
                    "value.ofType(Quantity).value", "value.ofType(Quantity).unit", "status",
                ]), store)
    }

    @Test func conditionsAgree() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        for condition in [
            "active", "active.not()", "active.exists()", "name.exists() and active", "name.where(use = 'old').exists()",
            "where(gender = 'male').exists()", "deceased.ofType(boolean) = false", "telecom.where(rank > 1).exists()", "name.family = 'B'",
        ] {
            try expectSame(Self.view("Patient", ["id"], where: [condition]), store, condition)
            try expectSame(Self.view("Patient", ["id"], where: [condition, "id = 'a'"]), store, condition)
        }
    }

    @Test func partsAgree() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        typealias Select = ViewDefinition.Select
        func column(_ name: String, _ path: String, isCollection: Bool = false) -> ViewDefinition.Column {
            ViewDefinition.Column(name: name, path: path, isCollection: isCollection)
        }
        let id = Select(columns: [column("id", "id")])
        let given = Select(.forEach("given"), columns: [column("given", "$this"), column("n", "%rowIndex")])
        for (number, (selects, compiles)) in [
            ([id, Select(.forEach("name"), columns: [column("f", "family"), column("i", "%rowIndex")])], true),
            ([id, Select(.forEachOrNull("name"), columns: [column("f", "family"), column("x", "'x'"), column("i", "%rowIndex")])], true),
            (
                [
                    id,
                    Select(
                        .forEach("name"), columns: [column("f", "family")],
                        selects: [Select(.forEach("given"), columns: [column("g", "$this")])]),
                ], false
            ),
            ([id, Select(.forEach("name.where(use = 'old')"), columns: [column("f", "family")])], true),
            ([id, Select(.forEach("contact.telecom"), columns: [column("v", "value"), column("s", "system")])], true),
            ([id, Select(.forEach("maritalStatus"), columns: [column("t", "text")])], true),
            ([id, Select(.forEachOrNull("maritalStatus"), columns: [column("t", "text"), column("x", "'x'")])], true),
            ([id, Select(.forEach("name.first()"), columns: [column("f", "family"), column("i", "%rowIndex")])], true),
            (
                [
                    id, Select(.forEach("telecom"), columns: [column("v", "value")]),
                    Select(.forEach("name"), columns: [column("f", "family")]),
                ], true
            ),
            (
                [
                    Select(
                        columns: [column("id", "id")],
                        unionAll: [
                            Select(.forEach("telecom"), columns: [column("v", "value"), column("i", "%rowIndex")]),
                            Select(.forEach("contact.telecom"), columns: [column("v", "value"), column("i", "0")]),
                            Select(columns: [column("v", "gender"), column("i", "%rowIndex")]),
                        ]), Select(.forEachOrNull("name"), columns: [column("f", "family")]),
                ], true
            ),
            ([id, Select(columns: [column("g", "name.given", isCollection: true), column("u", "name.use", isCollection: true)])], false),
            ([id, Select(columns: [column("l", "address.line", isCollection: true), column("u", "name.use", isCollection: true)])], true),
            (
                [
                    id,
                    Select(
                        .forEach("contact"),
                        columns: [column("g", "name.given", isCollection: true), column("a", "gender", isCollection: true)]),
                ], true
            ),
            ([id, Select(.forEach("address"), selects: [Select(.forEach("line"), columns: [column("l", "$this")])])], true),
            ([id, Select(.forEach("name"), columns: [column("g", "given", isCollection: true)])], false),
            (
                [
                    id,
                    Select(
                        .forEachOrNull("contact"), columns: [column("k", "name.family")],
                        selects: [Select(.forEachOrNull("telecom"), columns: [column("v", "value")])]),
                ], true
            ),
            ([id, Select(.forEachOrNull("contact"), selects: [Select(.forEach("telecom"), columns: [column("v", "value")])])], false),
            ([id, Select(.forEach("name"), selects: [given])], false),
            ([id, Select(.repeating(["contact", "extension"]), columns: [column("u", "id")])], false),
            ([Select(columns: [column("several", "name.family")])], true), ([Select(columns: [column("several", "telecom.value")])], true),
        ].enumerated() {
            try expectSame(ViewDefinition(resource: "Patient", selects: selects), store, compiles: compiles, "view \(number)")
        }
    }

    /// Dates and references come from the tables as they are stored, except in unions, where SQL does the rest.
    @Test func datesAndReferencesAgreeInEveryPart() throws {
        typealias Select = ViewDefinition.Select
        func column(_ name: String, _ path: String) -> ViewDefinition.Column { ViewDefinition.Column(name: name, path: path) }
        func observation(_ id: String, _ time: String, _ reference: String) -> String {
            #"""
            {"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"effectiveDateTime":"\#(time)",
             "subject":{"reference":"\#(reference)","display":"\#(id)"},"performer":[{"reference":"\#(reference)"},{"display":"nobody"}],
             "hasMember":[{"reference":"Observation/\#(id)"}]}
            """#
        }
        let store = try ViewStore.store([
            observation("a", "2020-01-01T23:30:00-05:00", "Patient/1"), observation("b", "2020-01-01T23:30:00-05:00", "Patient/1"),
            observation("c", "2020-02-29T00:10:00.250+02:00", "Patient/2"), observation("d", "2020-01-01T00:00:00Z", "Group/2"),
            observation("e", "2020-05", "https://example.org/fhir/Patient/3/_history/4"),
            observation("f", "2020-01-01T00:00:00+00:00", "#p"),
            observation("g", "2020-05-06", "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"),
            observation("h", "0001-01-01T00:00:00+05:00", "Patient/4"),
            observation("i", "2020-05", "https://other.example/fhir/Patient/3"),
            observation("j", "2020-05", "https://example.org/fhir/x/Patient/3"),
        ])
        try store.addBase("https://example.org/fhir")
        let id = Select(columns: [column("id", "id")])
        let time = Select(columns: [column("t", "effective.ofType(dateTime)"), column("k", "subject.getReferenceKey(Patient)")])
        let other = Select(columns: [column("t", "effective.ofType(dateTime)"), column("k", "status")])
        let everyKey = Select(columns: [column("t", "effective.ofType(dateTime)"), column("k", "subject.getReferenceKey()")])
        for (number, selects) in [
            [id, time],
            [time, Select(columns: [column("all", "subject.getReferenceKey()"), column("group", "subject.getReferenceKey(Group)")])],
            [Select(columns: [column("id", "id")], unionAll: [time, other, everyKey])],
            [id, Select(selects: [Select(unionAll: [everyKey, time])])],
            [id, Select(.forEach("performer"), columns: [column("k", "getReferenceKey(Patient)")])],
            [id, Select(.forEachOrNull("performer"), columns: [column("k", "getReferenceKey(Patient)"), column("n", "%rowIndex")])],
            [id, Select(.forEachOrNull("subject"), columns: [column("s", "getReferenceKey(Patient)")]), time],
            [id, Select(columns: [column("w", "subject.where(display = 'a').getReferenceKey(Patient)")])],
            [id, Select(columns: [column("w", "subject.getReferenceKey(Patient).where($this = 'Patient/1')")])],
            [id, Select(columns: [column("w", "subject.getReferenceKey(Patient) = 'Patient/1'")])],
            [id, Select(columns: [column("w", "subject.getReferenceKey(Patient).exists()")])],
        ].enumerated() {
            try expectSame(ViewDefinition(resource: "Observation", selects: selects), store, compiles: number < 8, "view \(number)")
        }
    }

    @Test func severalValuesAreAnErrorOfBoth() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        for backEnd in [ViewBackEnd.sql, .objects, .automatic] {
            guard case .failure(let error) = try ViewStore.rows(Self.view("Patient", ["id", "name.family"]), store, by: backEnd) else {
                Issue.record("no error")
                continue
            }
            #expect(error.code == .severalValues && error.place == "select[0].column[1].path" && !"\(error)".contains("O'Hara"))
        }
    }

    @Test func constantsAgree() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        var view = Self.view("Patient", ["name.where(use = %use).family.first()", "telecom[%n].value", "active = %yes"])
        view.constants = [
            ViewDefinition.Constant(name: "use", type: .code, literal: "old"),
            ViewDefinition.Constant(name: "n", type: .integer, literal: "1"),
            ViewDefinition.Constant(name: "yes", type: .boolean, literal: "true"),
        ]
        try expectSame(view, store)
    }

    @Test func standardViewsAgreeOnMadeUpPatients() throws {
        let store = try ViewStore.store(ViewStore.tricky)
        try store.write { transaction in
            for resource in SyntheticPatients(count: 60, seed: 1) { _ = try transaction.upsert(resource) }
        }
        for view in ViewDefinition.standard(for: .r4) { try expectSame(view, store, view.name ?? "") }
    }

    @Test(.enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"))
    func theSuiteAgrees() throws {
        let folder = try TemporaryFolder()
        var compiled = 0
        for test in try ViewSuite(unpackedInto: folder.path).cases where test.rows != nil {
            let store = try ViewStore.store(test.resources)
            let view = try ViewDefinition(json: Data(test.view.utf8))
            try expectSame(view, store, compiles: false, test.name)
            if case .success = try ViewStore.rows(view, store, by: .sql) { compiled += 1 }
        }
        #expect(compiled >= 40)
    }

    @Test(
        .enabled(
            if: SharedArchive("examples-R4.tar.xz") != nil, "the archive examples-R4.tar.xz is not beside the package, in ../shared/data"))
    func viewsAgreeOnTheOfficialExamples() throws {
        let folder = try TemporaryFolder()
        try SharedArchive("examples-R4.tar.xz")?.unpack(into: folder.path)
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { transaction in
            for file in SharedArchive.files(in: folder.path, where: { $0.hasSuffix(".json") }) {
                try transaction.add(FHIRJSON.resource(from: Data(contentsOf: URL(fileURLWithPath: file)), release: .r4))
            }
        }
        for view in ViewDefinition.standard(for: .r4) { try expectSame(view, store, compiles: false, view.name ?? "") }
        for path in Self.patientPaths { try expectSame(Self.view("Patient", [path]), store, compiles: false, path) }
        for path in Self.observationPaths { try expectSame(Self.view("Observation", [path]), store, compiles: false, path) }
    }
}
