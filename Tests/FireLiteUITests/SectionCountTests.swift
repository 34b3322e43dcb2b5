import FireLiteR4
import FireLiteUI
import TestSupport
import Testing

struct SectionCountTests {
    /// The sizes by columns must be those of the sections that objects give.
    @Test(arguments: 0..<6) func sizesAreThoseOfTheSections(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let dates = [
            "2020", "2020-03", "2020-03-05", "2020-03-05T23:30:00-05:00", "2020-03-06T04:30:00Z", "2021-12-31T00:10:00+02:00", nil,
        ]
        try store.write { tx in
            for number in 0..<Int.random(in: 1...60, using: &random) {
                try tx.add(
                    Encounter {
                        $0.id = "\(number)"
                        $0.status = [EncounterStatus.finished, .planned].randomElement(using: &random)
                        if let date = dates.randomElement(using: &random) ?? nil { $0.period = Period { $0.start = FHIRDateTime(date) } }
                    })
            }
        }
        let query = store.query(Encounter.self).sort(\.period.start).limit(Int.random(in: 1...80, using: &random))
        let all = try query.all()
        for unit in [DateSection.Unit.year, .month, .day] {
            let expected = SectionedSnapshot(all, section: { DateSection(unit, of: $0.period?.start) }, item: \.pk)
            let sections = try query.sections(by: unit, of: \.period.start)
            #expect(sections.map(\.id) == expected.sections)
            #expect(sections.map(\.count) == expected.sections.map { expected.items[$0]?.count ?? 0 })
        }
        let states = SectionedSnapshot(all, section: { $0.status?.rawValue }, item: \.pk)
        let sections = try query.sections(by: \.status)
        #expect(sections.map(\.id?.rawValue) == states.sections)
        #expect(sections.map(\.count).reduce(0, +) == all.count)
    }
}
