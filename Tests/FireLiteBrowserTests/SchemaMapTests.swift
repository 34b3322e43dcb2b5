import FireLite
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// The drawing of the schema says what the file has.
@Suite struct SchemaMapTests {
    private func sample() throws -> BrowserSample {
        let sample = try BrowserSample()
        for (number, type) in ["Patient", "Observation", "Questionnaire", "Encounter"].enumerated() {
            for seed in 0..<4 {
                var random = RandomInstance(seed: UInt64(number * 10 + seed))
                let layout = try #require(sample.store.release.resourceLayout(named: type))
                if let resource = random.object(of: layout) as? FHIRResource { try sample.put(resource) }
            }
        }
        return sample
    }

    @Test func everyTypeOfTheMapHasTheRowsOfItsTables() async throws {
        let sample = try sample()
        let names = try await sample.store.sql("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap { $0[0].text }
        let page = await sample.get("/browse/schema").text
        #expect(PageRules.faults(page).isEmpty, "\(PageRules.faults(page).prefix(3))")
        for type in ["Patient", "Observation", "Questionnaire", "Encounter"] {
            let tables = names.filter { $0 == type || $0.hasPrefix(type + "_") }
            var rows = 0
            for table in tables { rows += Int(try await sample.store.sql("SELECT count(*) FROM \"\(table)\"")[0][0].integer ?? 0) }
            let label = "<a href=\"/browse/schema?type=\(type)\" aria-label=\"\(type), \(Numbers.count(tables.count, "table", "tables")) · "
            #expect(page.contains(label), "\(type)")
            #expect(page.contains(", \(Numbers.count(rows)) \(rows == 1 ? "row" : "rows")\">"), "\(type): \(rows)")
        }
    }

    @Test func everyTableOfATypeIsABoxBelowItsOwnerAndASection() async throws {
        let sample = try sample()
        let names = try await sample.store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Questionnaire%'")
            .compactMap { $0[0].text }
        let page = await sample.get("/browse/schema?type=Questionnaire").text
        #expect(PageRules.faults(page).isEmpty && names.count > 5)
        for name in names {
            #expect(page.contains("<a href=\"#t-\(name)\"") && page.contains("<details id=\"t-\(name)\">"), "\(name)")
        }
        #expect(page.components(separatedBy: "class=\"box main\"").count == 2)
    }

    /// Against the plain definition: the owner is the longest other name that begins a table's name.
    @Test func theOwnerOfATableIsTheLongestNameThatBeginsItsName() throws {
        try withEvery(0..<300) { seed in
            var random = SeededGenerator(seed: seed)
            let parts = ["a", "ab", "b", "contact", "contactX", "name"]
            var names: Set<String> = ["T"]
            for _ in 0..<Int.random(in: 0...14, using: &random) {
                let above = names.randomElement(using: &random) ?? "T"
                names.insert(above + "_" + (parts.randomElement(using: &random) ?? ""))
            }
            let boxes = SchemaMap.tree(Array(names), columns: { _ in 1 }, rows: { _ in nil })
            #expect(boxes.map(\.name) == names.sorted())
            for box in boxes {
                let owner = names.filter { box.name.hasPrefix($0 + "_") }.max { $0.utf8.count < $1.utf8.count }
                #expect(box.parent.map { boxes[$0].name } == owner, "\(box.name)")
                #expect(box.depth == (box.parent.map { boxes[$0].depth + 1 } ?? 0))
            }
        }
    }

    @Test func withoutTimeTheMapSaysWhatStatisticsSay() async throws {
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#) { $0.countingTime = .zero }
        let page = await sample.get("/browse/schema").text
        #expect(page.contains("rows not counted") && page.contains("takes longer than a page may"))
    }

    @Test func anEmptyStoreHasAPage() async throws {
        let page = await (try BrowserSample()).get("/browse/schema")
        #expect(page.status == 200 && PageRules.faults(page.text).isEmpty && page.text.contains("No table yet"))
    }
}
