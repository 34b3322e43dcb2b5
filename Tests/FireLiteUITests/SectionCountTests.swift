import FireLiteR4
import FireLiteUI
import Foundation
import TestSupport
import Testing

struct SectionCountTests {
    /// What SQL says of a query's sections must be what a dictionary of the stored literals says, after every commit.
    @Test(arguments: Effort.seeds(byDay: 2, atNight: 60))
    func sectionsAreThoseOfTheModelAfterEveryCommit(_ seed: UInt64) throws {
        var run = try SectionRun(seed: seed)
        let all = run.store.query(Patient.self)
        let whole = [
            all, all.sort(\.birthDate), all.sort(\.deceasedDateTime, .reverse), all.sort(\.name.given),
            all.sort { [$0.gender.ascending(nulls: .first), $0.birthDate.descending] },
            all.where { $0.gender == .female }.sort { $0.deceasedDateTime.descending(nulls: .first) },
        ]
        let parts = [all.sort(\.deceasedDateTime).limit(5), all.limit(4), all.sort(\.birthDate, .reverse).offset(2)]
        for step in 0..<8 {
            try run.commit()
            if step == 4 {
                // An index changes the plan and nothing else.
                try run.store.createIndex(Patient.self) { $0.deceasedDateTime }
                try run.store.createIndex(Patient.self) { $0.gender }
            }
            for query in whole { try expect(query, run, isWhole: true) }
            for query in parts { try expect(query, run, isWhole: false) }
        }
    }

    private func expect(_ query: FHIRQuery<Patient>, _ run: SectionRun, isWhole: Bool) throws {
        for unit in [DateSection.Unit.year, .month, .day] {
            try expect(
                query, run, isWhole, query.sections(by: unit, of: \.birthDate), query.snapshot(by: unit, of: \.birthDate),
                text: { $0.text },
                model: { SectionRun.part($0.birth, unit) }, section: { query.section($0, by: unit, of: \.birthDate) })
            try expect(
                query, run, isWhole, query.sections(by: unit, of: \.deceasedDateTime), query.snapshot(by: unit, of: \.deceasedDateTime),
                text: { $0.text }, model: { SectionRun.part($0.death, unit) },
                section: { query.section($0, by: unit, of: \.deceasedDateTime) })
        }
        // Through lists, the first value in the resource counts.
        try expect(
            query, run, isWhole, query.sections(by: .month, of: \.name.period.start), query.snapshot(by: .month, of: \.name.period.start),
            text: { $0.text }, model: { SectionRun.part($0.names.lazy.compactMap(\.start).first, .month) },
            section: { query.section($0, by: .month, of: \.name.period.start) })
        try expect(
            query, run, isWhole, query.sections(by: \.name.given), query.snapshot(by: \.name.given), text: { $0 },
            model: { $0.names.flatMap(\.given).first }, section: { query.section($0, by: \.name.given) })
        try expect(
            query, run, isWhole, query.sections(by: \.gender), query.snapshot(by: \.gender), text: { $0?.rawValue }, model: { $0.gender },
            section: { query.section($0, by: \.gender) })
    }

    private func expect<Key>(
        _ query: FHIRQuery<Patient>, _ run: SectionRun, _ isWhole: Bool, _ sections: [SectionCount<Key>],
        _ snapshot: SectionedSnapshot<Key, String>, text: (Key) -> String?, model: (SectionRun.Entry) -> String?,
        section: (Key) -> FHIRQuery<Patient>
    ) throws {
        let ids = try query.ids()
        var order: [String?] = []
        var members: [String?: [String]] = [:]
        for id in ids {
            let key = model(try #require(run.entries[id]))
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(id)
        }
        #expect(sections.map { text($0.id) } == order)
        #expect(sections.map(\.count) == order.map { members[$0]?.count })
        #expect(snapshot.sections == sections.map(\.id))
        let idOfPK = Dictionary(uniqueKeysWithValues: zip(try query.pks(), ids))
        for key in snapshot.sections {
            let expected = members[text(key)]
            #expect(snapshot.items[key]?.map { idOfPK[$0] } == expected)
            guard isWhole else { continue }
            #expect(try section(key).ids() == expected)
            #expect(try section(key).count() == expected?.count)
            // Pages of a section continue each other.
            var paged: [String] = []
            var pages = section(key).pages(of: 2)
            while let page = try pages.next() { paged += page.compactMap(\.id) }
            #expect(paged == expected)
        }
    }

    /// The rows that SQLite gave for statements about sections.
    private final class Reports: @unchecked Sendable {
        // `lock` guards the list.
        private let lock = NSLock()
        private var list: [Int] = []

        func add(_ report: StatementReport) { if report.sql.contains("firelite_section") { lock.withLock { list.append(report.rows) } } }

        /// The numbers since the last call.
        func take() -> [Int] {
            lock.withLock {
                defer { list = [] }
                return list
            }
        }
    }

    @Test func aHeadingIsARowHoweverManyResultsItHas() throws {
        let reports = Reports()
        var configuration = FHIRStore.Configuration()
        configuration.observeStatements = { reports.add($0) }
        let store = try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
        try store.write { tx in
            for number in 0..<120 {
                try tx.add(
                    Encounter {
                        $0.id = "\(number)"
                        $0.status = .finished
                        $0.period = Period { $0.start = FHIRDateTime("2020-0\(1 + number % 4)-1\(number % 10)") }
                    })
            }
        }
        let months = ["2020-04", "2020-03", "2020-02", "2020-01"]
        let newest = store.query(Encounter.self).sort(\.period.start, .reverse)
        #expect(try newest.sections(by: .month, of: \.period.start).map(\.id.text) == months)
        #expect(reports.take() == [4])
        // Where the first sort values do not tell which section comes first, the keys of all results are read.
        let byStatus = store.query(Encounter.self).sort { [$0.status.ascending, $0.period.start.descending] }
        let sections = try byStatus.sections(by: .month, of: \.period.start)
        #expect(sections.map(\.id.text) == months && sections.allSatisfy { $0.count == 30 })
        #expect(reports.take() == [2, 120])
        // An index on the date leads to a section.
        try store.createIndex(Encounter.self) { $0.period.start }
        let march = store.query(Encounter.self).section(sections[1].id, by: .month, of: \.period.start)
        #expect(try march.explain().contains("SEARCH r USING INDEX") && march.count() == 30)
    }

    @Test func literalsOfOneNumberAreDifferentSections() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { tx in
            for (id, value) in [("1", "1.5"), ("2", "1.50"), ("3", "1.5"), ("4", nil)] as [(String, String?)] {
                try tx.add(
                    Observation {
                        $0.id = id
                        if let value { $0.valueQuantity = Quantity { $0.value = FHIRDecimal(value) } }
                    })
            }
        }
        let query = store.query(Observation.self)
        let sections = try query.sections(by: \.valueQuantity.value)
        #expect(sections.map { $0.id?.literal } == ["1.5", "1.50", nil])
        #expect(sections.map(\.count) == [2, 1, 1])
        #expect(try sections.map { try query.section($0.id, by: \.valueQuantity.value).ids() } == [["1", "3"], ["2"], ["4"]])
    }

    @Test func typesThatWereNeverStoredHaveNoSections() throws {
        let query = try FHIRStore(path: ":memory:", release: .r4).query(Encounter.self)
        #expect(try query.sections(by: .day, of: \.period.start).isEmpty)
        #expect(try query.sections(by: \.status).isEmpty)
        #expect(try query.snapshot(by: \.status).sections.isEmpty)
    }

    @Test func sectionsCombineWithOtherConditions() throws {
        var run = try SectionRun(seed: 9)
        for _ in 0..<10 { try run.commit() }
        let women = run.store.query(Patient.self).section(AdministrativeGender.female, by: \.gender)
        for year in try women.sections(by: .year, of: \.deceasedDateTime) {
            let ids = try women.section(year.id, by: .year, of: \.deceasedDateTime).ids()
            #expect(ids.count == year.count)
            #expect(ids.allSatisfy { run.entries[$0]?.gender == "female" })
        }
        #expect(try women.delete() == run.entries.values.count { $0.gender == "female" })
        #expect(try run.store.query(Patient.self).sections(by: \.gender).allSatisfy { $0.id != .female })
    }
}
