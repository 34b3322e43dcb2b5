import FireLiteR4
import Testing

@testable import FireLiteUI

struct SectionedSnapshotTests {
    /// Numbers that one seed always gives in the same order (SplitMix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return bits ^ bits >> 31
        }
    }

    private typealias Snapshot = SectionedSnapshot<String, Int>

    /// Random items in random sections.
    private func snapshot(_ generator: inout Seeded) -> Snapshot {
        let items = (0..<12).filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
        let sections = Dictionary(uniqueKeysWithValues: items.map { ($0, "abcd".randomElement(using: &generator).map(String.init) ?? "a") })
        return Snapshot(items, section: { sections[$0] ?? "a" }, item: { $0 })
    }

    /// The sections that a table shows after the batch updates: what is deleted and moved is taken out, then what is inserted and moved put in.
    private func applied(_ changes: SectionChanges, to old: Snapshot, towards new: Snapshot) -> [(String, [Int])] {
        let taken = Set(changes.deletedItems.map { [$0.section, $0.item] } + changes.movedItems.map { [$0.from.section, $0.from.item] })
        var kept: [String: [Int]] = [:]
        for (index, section) in old.sections.enumerated() {
            kept[section] = (old.items[section] ?? []).enumerated().filter { !taken.contains([index, $0.offset]) }.map(\.element)
        }
        let gone = Set(changes.deletedSections + changes.movedSections.map(\.from))
        var order = old.sections.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
        let placed = (changes.insertedSections + changes.movedSections.map(\.to)).sorted()
        for index in placed { order.insert(new.sections[index], at: index) }
        for index in changes.insertedSections { kept[new.sections[index]] = new.items[new.sections[index]] ?? [] }
        let puts = (changes.insertedItems + changes.movedItems.map(\.to)).sorted { ($0.section, $0.item) < ($1.section, $1.item) }
        for place in puts {
            let section = new.sections[place.section]
            kept[section, default: []].insert((new.items[section] ?? [])[place.item], at: place.item)
        }
        return order.map { ($0, kept[$0] ?? []) }
    }

    @Test(arguments: (0..<400).map { UInt64($0) }) func theChangesMakeTheNewOfTheOld(_ seed: UInt64) {
        var generator = Seeded(state: seed)
        let (old, new) = (snapshot(&generator), snapshot(&generator))
        let changes = new.changes(from: old)
        let result = applied(changes, to: old, towards: new)
        #expect(result.map(\.0) == new.sections, "seed \(seed)")
        #expect(result.map(\.1) == new.sections.map { new.items[$0] ?? [] }, "seed \(seed)")
        #expect(new.changes(from: new).isEmpty)
    }

    @Test func oneMoveIsOneMove() {
        let old = Snapshot([1, 2, 3, 4], section: { _ in "a" }, item: { $0 })
        let new = Snapshot([4, 1, 2, 3], section: { _ in "a" }, item: { $0 })
        let changes = new.changes(from: old)
        #expect(changes.movedItems == [.init(from: .init(section: 0, item: 3), to: .init(section: 0, item: 0))])
        #expect(changes.deletedItems.isEmpty && changes.insertedItems.isEmpty)
    }

    @Test func datesAreSectionsByTheirLiterals() {
        let date: FHIRDateTime = "2020-05-17T23:30:00+02:00"
        #expect(DateSection(.year, of: date).text == "2020")
        #expect(DateSection(.month, of: date).text == "2020-05")
        #expect(DateSection(.day, of: date).text == "2020-05-17")
        #expect(DateSection(.day, of: FHIRDate("1970")).text == "1970")
        let none = DateSection(.day, of: FHIRDate?.none)
        #expect(none.text == nil && DateSection(.year, of: date) < none && !(none < DateSection(.year, of: date)))
    }
}
