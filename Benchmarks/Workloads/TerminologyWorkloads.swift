import FireLiteKnowledge
import FireLiteR4
import FireLiteSQLite
import Foundation

/// Questions about codes of an invented code system in SNOMED CT's form. The floor is the same question as a prepared statement on the same tables.
struct TerminologyWorkloads: Workload {
    static let lookup = "terminology, look up a code"
    static let subsumes = "terminology, compare two codes"
    static let member = "terminology, validate against an implicit value set"
    static let completion = "terminology, complete three letters"
    static let expansion = "terminology, expand 10,000 codes"

    private static let url = "http://snomed.info/sct"
    private static let root = 138_875_005
    private static let questions = 500

    var names: [String] { [Self.lookup, Self.subsumes, Self.member, Self.completion, Self.expansion] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard names.contains(where: bench.wants) else { return [] }
        let release = CodeRelease(count: max(50_000, bench.size))
        let folder = bench.scratch.fresh("rf2")
        try release.write(to: folder)
        let path = bench.scratch.fresh()
        try CodeSystemFile(path: path).add([folder])
        var terminology = Terminology(release: .r4)
        try terminology.addCodeSystems(at: path)
        terminology.maximumExpansion = 40_000
        let known = terminology
        let floor = try CodeFloor(path)
        let codes = release.sample(Self.questions).map(String.init)
        var measurements: [Measurement] = []
        func add(_ name: String, _ arguments: [String], _ query: (String) throws -> Int, _ floor: @escaping (String) -> Int) throws {
            guard bench.wants(name) else { return }
            measurements.append(
                try bench.measureEach(name, arguments, query: query, floor: floor) { found, expected in
                    found == expected && found.contains { $0 > 0 }
                })
        }
        try add(
            Self.lookup, codes, { try known.lookup(TerminologyCode($0, system: Self.url)).display == nil ? 0 : 1 },
            { floor.count(floor.row, $0) })
        let top = "\(release.code(1))"
        try add(
            Self.subsumes, codes, { try known.relation(of: top, to: $0, in: Self.url) == .subsumes ? 1 : 0 },
            { floor.count(floor.above, $0, top) })
        let valueSet = "\(Self.url)?fhir_vs=isa/\(top)"
        try add(
            Self.member, codes,
            { code in
                if case .member = try known.membership(of: [TerminologyCode(code, system: Self.url)], in: valueSet) { 1 } else { 0 }
            }, { floor.count(floor.above, $0, top) })
        try add(
            Self.completion, release.prefixes,
            { try known.expand("\(Self.url)?fhir_vs", filter: $0, count: 20).codes.count }, { floor.count(floor.words, "\"\($0)\"*") })
        try add(
            Self.expansion, [release.group].map(String.init), { try known.expand("\(Self.url)?fhir_vs=isa/\($0)").codes.count },
            { floor.count(floor.below, $0) + 1 })
        bench.scratch.delete(path)
        return measurements
    }
}

/// An invented release in the form RF2, whose concept `n` is below concept `n / 3`, and one of which has about 10,000 below it.
private struct CodeRelease {
    let count: Int

    func code(_ number: Int) -> Int { number == 0 ? 138_875_005 : (number + 3_000_000) * 1_000 + 5 }

    /// The concept of which the number of those below it is the nearest to 10,000.
    var group: Int {
        var best = 1
        for number in 2..<min(count, 1_000) where abs(below(number) - 10_000) < abs(below(best) - 10_000) { best = number }
        return code(best)
    }

    private func below(_ top: Int) -> Int {
        var (first, last, all) = (top * 3, top * 3 + 2, 0)
        while first < count {
            all += min(last, count - 1) - first + 1
            (first, last) = (first * 3, last * 3 + 2)
        }
        return all
    }

    func sample(_ wanted: Int) -> [Int] { (1...wanted).map { code($0 * (count - 1) / wanted) } }

    let prefixes = ["wor", "ord", "fin", "tin"]

    private func name(_ number: Int) -> String { "\(["word", "order", "find", "tinct"][number % 4])\(number % 977) of \(number)" }

    func write(to folder: String) throws {
        let (date, core) = ("20250101", "900000000000207008")
        var concepts = "id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\n116680003\t\(date)\t1\t\(core)\t1\n"
        var names = "id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n"
        var relations =
            "id\teffectiveTime\tactive\tmoduleId\tsourceId\tdestinationId\trelationshipGroup\ttypeId\tcharacteristicTypeId\tmodifierId\n"
        for number in 0..<count {
            let own = code(number)
            concepts += "\(own)\t\(date)\t1\t\(core)\t1\n"
            names += "\(number * 1_000 + 11)\t\(date)\t1\t\(core)\t\(own)\ten\t900000000000013009\t\(name(number))\t1\n"
            guard number > 0 else { continue }
            relations +=
                "\(number * 1_000 + 21)\t\(date)\t1\t\(core)\t\(own)\t\(code(number / 3))\t0\t116680003\t900000000000011006\t1\n"
        }
        let place = folder + "/Snapshot/Terminology"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (name, text) in [("Concept", concepts), ("Description", names), ("Relationship", relations)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(place)/sct2_\(name)_Snapshot_INT_\(date).txt"))
        }
    }
}

/// Questions to the tables of code systems as prepared statements.
private final class CodeFloor {
    private let database: RawDatabase
    let row: OpaquePointer
    let above: OpaquePointer
    let below: OpaquePointer
    let words: OpaquePointer

    init(_ path: String) throws {
        database = try RawDatabase(path)
        let key = "(SELECT _k FROM code_concept WHERE code = "
        row = try database.prepare("SELECT code, display, flags FROM code_concept WHERE code = ?1")
        above = try database.prepare("SELECT 1 FROM code_above WHERE code = \(key)?1) AND above = \(key)?2)")
        below = try database.prepare(
            "SELECT c.code, c.display FROM code_below b JOIN code_concept c ON c._k = b.below WHERE b.code = \(key)?1) ORDER BY b.below")
        words = try database.prepare(
            """
            SELECT c.code, c.display FROM code_word JOIN code_name n ON n._k = code_word.rowid JOIN code_concept c ON c._k = n.concept
            WHERE code_word MATCH ?1 ORDER BY code_word.rowid LIMIT 20
            """)
    }

    /// The number of rows of a question.
    func count(_ statement: OpaquePointer, _ values: String...) -> Int {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (place, value) in values.enumerated() { sqlite3_bind_text(statement, Int32(place + 1), value, -1, transient) }
        var count = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            for column in 0..<sqlite3_column_count(statement) { _ = sqlite3_column_text(statement, column) }
            count += 1
        }
        sqlite3_reset(statement)
        return count
    }
}
