import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Filters on names and on the rows of reference sets mean what a plain model of the rows says.
@Suite struct ECLMemberTests {
    /// A row of a map.
    private struct Row {
        let refset: Int
        let concept: Int
        let isActive: Bool
        let module: Int64
        let date: String
        let group: Int
        let target: String
        let correlation: Int
    }

    private static let otherModule: Int64 = 900_000_000_000_012_004
    private static let dates = ["20230101", "20240131", "20250101"]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func rows(_ random: inout SeededGenerator, _ example: SnomedExamples) -> [Row] {
        let all = example.parents.keys.sorted()
        return (0..<120).map { _ in
            Row(
                refset: random.int(6...7), concept: random.pick(all), isActive: random.percent(80),
                module: random.percent(30) ? otherModule : SnomedCode.coreModule, date: random.pick(dates), group: random.int(1...3),
                target: random.pick(["A00", "A00.1", "B 7", ""]), correlation: random.pick(all))
        }
    }

    private func terminology(_ example: SnomedExamples, _ rows: [Row], _ file: String? = nil) throws -> Terminology {
        let release = try example.write(folder, UUID().uuidString)
        let lines = rows.enumerated().map { place, row in
            [
                "row\(place)", row.date, row.isActive ? "1" : "0", "\(row.module)", "\(SnomedExamples.code(row.refset))",
                "\(SnomedExamples.code(row.concept))", "\(row.group)", row.target, "\(SnomedExamples.code(row.correlation))",
            ].joined(separator: "\t")
        }
        let head = "id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapTarget correlationId"
        let text = ([head.split(separator: " ").joined(separator: "\t")] + lines).joined(separator: "\r\n") + "\r\n"
        let path = release + "/Snapshot/Refset/Content/der2_iscRefset_ExtendedMapSnapshot_INT_20250101.txt"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let database = file ?? folder.file("\(UUID().uuidString).sqlite")
        try CodeSystemFile(path: database).add([release])
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: database)
        return terminology
    }

    private static func numbers(_ terminology: Terminology, _ text: String, _ example: SnomedExamples) throws -> Set<Int> {
        let codes = Set(try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/" + text).codes.map(\.code))
        return Set(example.parents.keys.filter { codes.contains("\(SnomedExamples.code($0))") })
    }

    /// A random condition on rows, and what it means; whether it is about the status.
    private static func condition(
        _ random: inout SeededGenerator, _ example: SnomedExamples
    ) -> (text: String, test: (Row) -> Bool, saysActive: Bool) {
        let isEqual = random.percent(60)
        let sign = isEqual ? "=" : random.pick(["!=", "<>", "not ="])
        switch random.int(0...7) {
        case 0: return ("moduleId \(sign) \(otherModule)", { ($0.module == otherModule) == isEqual }, false)
        case 1:
            let (date, other) = (random.pick(dates), random.pick(["<", "<=", ">", ">="]))
            return (
                "effectiveTime \(other) \"\(date)\"",
                { row in
                    switch other {
                    case "<": row.date < date
                    case "<=": row.date <= date
                    case ">": row.date > date
                    default: row.date >= date
                    }
                }, false
            )
        case 2:
            let pair = [random.pick(dates), random.pick(dates)]
            return (
                "effectiveTime \(sign) (\"\(pair[0])\" \"\(pair[1])\")", { pair.contains($0.date) == isEqual }, false
            )
        case 3:
            let isActive = random.percent(50)
            return ("active \(sign) \(isActive ? "true" : "0")", { ($0.isActive == isActive) == isEqual }, true)
        case 4:
            let (limit, other) = (random.int(1...3), random.pick(["=", "!=", "<", ">="]))
            return (
                "MAPGROUP \(other) #\(limit)",
                { row in
                    switch other {
                    case "=": row.group == limit
                    case "!=": row.group != limit
                    case "<": row.group < limit
                    default: row.group >= limit
                    }
                }, false
            )
        case 5:
            let target = random.pick(["A00", "A00.1"])
            return ("mapTarget \(sign) exact:\"\(target)\"", { ($0.target == target) == isEqual }, false)
        case 6:
            let top = random.int(0...example.parents.count - 1)
            let below = example.below(top)
            return ("correlationId \(sign) < \(SnomedExamples.code(top))", { below.contains($0.correlation) == isEqual }, false)
        default:
            let concept = random.int(0...example.parents.count - 1)
            return ("referencedComponentId \(sign) \(SnomedExamples.code(concept))", { ($0.concept == concept) == isEqual }, false)
        }
    }

    @Test func randomFiltersOnRowsMeanWhatTheModelSays() throws {
        try withEvery(0..<3) { seed in
            var random = SeededGenerator(seed: seed)
            let example = SnomedExamples.random(seed, count: 50)
            let rows = Self.rows(&random, example)
            let terminology = try terminology(example, rows)
            for _ in 0..<80 {
                let conditions = (0..<random.int(1...3)).map { _ in Self.condition(&random, example) }
                let refset = random.int(6...7)
                let saysActive = conditions.contains { $0.saysActive }
                let found = rows.filter { row in
                    row.refset == refset && (saysActive || row.isActive) && conditions.allSatisfy { $0.test(row) }
                }
                let filter = "\(SnomedExamples.code(refset)) {{ M \(conditions.map(\.text).joined(separator: ", ")) }}"
                try #require(try Self.numbers(terminology, "^ \(filter)", example) == Set(found.map(\.concept)), "^ \(filter)")
                let values = try Self.numbers(terminology, "^ [correlationId] \(filter)", example)
                try #require(values == Set(found.map(\.correlation)), "^ [correlationId] \(filter)")
            }
            // Without a filter the active rows count, whichever fields they have.
            for refset in 6...7 {
                let active = Set(rows.filter { $0.refset == refset && $0.isActive }.map(\.concept))
                try #require(try Self.numbers(terminology, "^ \(SnomedExamples.code(refset))", example) == active)
            }
        }
    }

    @Test func fieldsThatNoRowHasAreErrorsThatNameThoseItHas() throws {
        var random = SeededGenerator(seed: 1)
        let example = SnomedExamples.random(1, count: 30)
        let terminology = try terminology(example, Self.rows(&random, example))
        func error(_ text: String) -> TerminologyError? {
            return #expect(throws: TerminologyError.self) { try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/" + text) }
        }
        let refset = SnomedExamples.code(6)
        #expect(error("^ \(refset) {{ M mapColor = \"red\" }}")?.message.contains("correlationId, mapGroup, mapTarget") == true)
        #expect(error("^ [mapTarget] \(refset)")?.message.contains("no concepts") == true)
        #expect(error("^ [targetComponentId] \(refset)")?.message.contains("no field 'targetcomponentid'") == true)
    }

    /// A member whose fields are lost is not one that no filter finds.
    @Test(arguments: ["{", "[]", ""]) func damagedFieldsAreAnError(_ text: String) throws {
        var random = SeededGenerator(seed: 3)
        let example = SnomedExamples.random(3, count: 30)
        let path = folder.file("damaged.sqlite")
        let rows = Self.rows(&random, example)
        _ = try terminology(example, rows, path)
        let connection = try Connection(path: path)
        try connection.run("UPDATE code_member_row SET fields = '\(text)' WHERE rowid = (SELECT max(rowid) FROM code_member_row)")
        var damaged = Terminology(release: TerminologyExamples.release)
        try damaged.addCodeSystems(at: path)
        #expect(throws: KnowledgeError.self) {
            for refset in 6...7 {
                let filter = "^ \(SnomedExamples.code(refset)) {{ M active = true, mapTarget = \"A00\" }}"
                _ = try damaged.expand("http://snomed.info/sct?fhir_vs=ecl/" + filter)
                _ = try damaged.expand("http://snomed.info/sct?fhir_vs=ecl/" + filter.replacing("true", with: "false"))
            }
        }
    }

    @Test func filtersOnTheModulesAndDatesOfNames() throws {
        var example = SnomedExamples()
        for number in 1...6 { example.parents[number] = [0] }
        example.nameOrigins = [
            1: (Self.otherModule, "20240101"), 2: (SnomedCode.coreModule, "20240601"), 3: (Self.otherModule, "20250101"),
        ]
        let terminology = try terminology(example, [])
        func numbers(_ filter: String) throws -> Set<Int> {
            try Self.numbers(terminology, "< \(SnomedExamples.root) {{ \(filter) }}", example)
        }
        #expect(try numbers("D moduleId = \(Self.otherModule)") == [1, 3])
        #expect(try numbers("moduleId != (\(Self.otherModule) 5)") == [2, 4, 5, 6])
        #expect(try numbers("D effectiveTime < \"20250101\"") == [1, 2])
        #expect(try numbers("effectiveTime >= \"20240601\", term = \"thing\", moduleId = \(Self.otherModule)") == [3])
        #expect(try numbers("effectiveTime != (\"20240101\" \"20240601\")") == [3, 4, 5, 6])
    }

    @Test func aReleaseOfAnEarlierVersionSaysThatItMustBeImportedAgain() throws {
        let example = SnomedExamples.random(2, count: 30)
        let path = folder.file("codes.sqlite")
        try CodeSystemFile(path: path).add([example.write(folder)])
        let connection = try Connection(path: path)
        for sql in ["DROP TABLE code_member_row", "ALTER TABLE code_name DROP COLUMN module", "ALTER TABLE code_name DROP COLUMN date"] {
            try connection.run(sql)
        }
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        func expand(_ text: String) throws -> Int { try terminology.expand("http://snomed.info/sct?fhir_vs=ecl/" + text).codes.count }
        #expect(try expand("^ \(SnomedExamples.code(4))") == example.members[4]?.count)
        for text in [
            "^ \(SnomedExamples.code(4)) {{ M active = true }}", "* {{ D moduleId = 5 }}", "* {{ D effectiveTime = \"20250101\" }}",
        ] {
            let error = #expect(throws: TerminologyError.self) { try expand(text) }
            #expect(error?.code == .notSupported && error?.message.contains("import the release again") == true, "\(text)")
        }
        // The import brings what was missing.
        try CodeSystemFile(path: path).add([example.write(folder)])
        #expect(try expand("^ \(SnomedExamples.code(4)) {{ M active = true }}") == example.members[4]?.count)
        #expect(try expand("* {{ D effectiveTime = \"20250101\" }}") > 0)
    }
}
