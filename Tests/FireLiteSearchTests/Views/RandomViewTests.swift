import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// Random views on random resources: one SQL statement, a view in the file and the evaluation of objects have the same rows.
struct RandomViewTests {
    @Test func viewsAgreeWithTheEvaluation() throws {
        let seeds = 0..<UInt64(Effort.isNightly ? 8_000 : Effort.count(200))
        var compiled: [RandomView.Kind: (views: Int, all: Int)] = [:]
        var shown = 0
        try withEvery(seeds) { seed in
            var random = RandomView(seed)
            let store = try ViewStore.store((0..<12).map { random.resource($0) })
            for _ in 0..<6 {
                let (kind, view) = random.view()
                let text = "seed \(seed), \(kind): \(view.selects) where \(view.conditions)"
                let objects = try ViewStore.rows(view, store, by: .objects)
                let sql = try ViewStore.rows(view, store, by: .sql)
                var count = compiled[kind] ?? (0, 0)
                count.all += 1
                if case .failure(let error) = sql, error.code == .notCompiled {
                    compiled[kind] = count
                    continue
                }
                count.views += 1
                compiled[kind] = count
                #expect(sql == objects, "\(text)")
                shown += try compareInFile(view, objects, store, text) ? 1 : 0
            }
        }
        // A few views say nothing of the part.
        for (kind, count) in compiled where !Effort.isReduced {
            #expect(count.views * 10 >= count.all * 7, "\(kind): \(count.views) of \(count.all) were SQL")
        }
        #expect(shown * 10 >= compiled.values.reduce(0) { $0 + $1.views } * 4, "\(shown) views in files")
    }

    /// Several threads make the rows that one makes, in the same order, and end with the same error.
    @Test func severalCoresMakeTheSameRows() throws {
        let seeds = 0..<UInt64(Effort.isNightly ? 600 : Effort.count(12))
        var (failed, rows) = (0, 0)
        try withEvery(seeds) { seed in
            var random = RandomView(seed)
            let folder = try TemporaryFolder()
            let path = folder.file("store.sqlite")
            let resources = (0..<[3, 40, 700, 1_500][Int(seed % 4)]).map { random.resource($0) }
            let one = try ViewStore.store(resources, at: path, cores: 1)
            let many = try ViewStore.store([], at: path, cores: 4)
            // Numbers far apart: some ranges have no resource.
            try one.write { tx in
                for number in resources.indices where seed % 3 == 0 && number % 5 > 0 && number > 20 {
                    if let observation = try tx.resource(Observation.self, id: "o\(number)") { try tx.delete(observation) }
                }
            }
            for _ in 0..<4 {
                let (kind, view) = random.view()
                for backEnd in [ViewBackEnd.objects, .sql, .automatic] {
                    let expected = try ViewStore.rowsAndError(view, one, by: backEnd)
                    let found = try ViewStore.rowsAndError(view, many, by: backEnd)
                    #expect(
                        found.rows == expected.rows && found.error == expected.error, "seed \(seed), \(kind), \(backEnd): \(view.selects)")
                    (rows, failed) = (rows + found.rows.count, failed + (found.error == nil ? 0 : 1))
                }
                for format in ViewFormat.allCases {
                    #expect(Self.written(view, one, format) == Self.written(view, many, format), "seed \(seed), \(kind): \(view.selects)")
                }
            }
        }
        #expect(rows > 500 && failed > 0, "\(rows) rows, \(failed) errors")
    }

    /// The rows as text and their number, or the error.
    private static func written(_ view: ViewDefinition, _ store: FHIRStore, _ format: ViewFormat) -> String {
        var text = Data()
        do {
            let count = try store.writeRows(of: view, as: format) { text.append($0) }
            return "\(count)\n" + String(decoding: text, as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    /// Whether the view could be one in the file; its rows are compared as texts, in any order. A statement that ends with an error has found what
    /// only objects can say.
    private func compareInFile(_ view: ViewDefinition, _ objects: Result<[ViewRow], ViewError>, _ store: FHIRStore, _ text: String) throws
        -> Bool
    {
        guard case .success(let expected) = objects else { return false }
        do { try store.createView(view, named: "random_view") } catch let error as ViewError where error.code == .notCompiled {
            return false
        }
        let rows: [SQLRow]
        do { rows = try store.sql("SELECT * FROM random_view") } catch let error as FHIRStoreError where error.code == .sqlite {
            return true
        }
        let found = rows.map { $0.values.map(Self.text) }.sorted { "\($0)" < "\($1)" }
        #expect(found == expected.map { $0.values.map(Self.text) }.sorted { "\($0)" < "\($1)" }, "\(text)")
        return true
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null, .blob: ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }

    private static func text(_ value: ViewValue) -> String {
        if case .boolean(let truth) = value { return truth ? "1" : "0" }
        return value.text
    }
}

/// Makes resources and views whose dates, numbers and elements meet often.
private struct RandomView {
    enum Kind: Hashable, CaseIterable { case dates, numbers, texts, boundaries, repeats, items }

    private var random: SeededGenerator

    init(_ seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ oneIn: Int) -> Bool { number(1...oneIn) == 1 }

    // MARK: - Dates

    private mutating func date(_ precision: Int) -> String {
        let parts = [pick(["2019", "2020"]), pick(["01", "02", "12"]), pick(["01", "29", "31"])]
        if parts[1] == "02", precision > 2 { return "\(parts[0])-02-0\(number(1...2))" }
        return parts.prefix(precision).joined(separator: "-")
    }

    /// A time of day up to a part: 1 for hours, 3 for seconds, 4 for a fraction.
    private mutating func time(_ precision: Int) -> String {
        let time = [pick(["00", "10", "23"]), pick(["00", "30", "59"]), pick(["00", "30", "59"])].prefix(precision).joined(separator: ":")
        return precision < 4 ? time : time + "." + pick(["0", "5", "50", "500", "499", "123456789", "1234567891", "000"])
    }

    private static let zones = ["Z", "+00:00", "-00:00", "+01:00", "-05:00", "+05:30", "+14:00", "-12:00", "-00:30"]

    /// A dateTime as resources have them.
    private mutating func dateTime() -> String {
        let precision = number(1...6)
        return precision <= 3 ? date(precision) : instant()
    }

    private mutating func instant() -> String { "\(date(3))T\(time(number(3...4)))\(pick(Self.zones))" }

    private mutating func dateLiteral() -> String {
        switch number(0...6) {
        case 0...1: "@\(date(number(1...3)))"
        case 2: "@\(date(number(1...3)))T"
        case 3: "@\(date(3))T\(time(number(1...4)))"
        default: "@\(date(3))T\(time(number(2...4)))\(pick(Self.zones))"
        }
    }

    // MARK: - Resources

    mutating func resource(_ number: Int) -> String {
        chance(3) ? questionnaireResponse("q\(number)") : observation("o\(number)")
    }

    private mutating func observation(_ id: String) -> String {
        var members = [#""resourceType":"Observation","id":"\#(id)","status":"\#(pick(["final", "amended"]))","code":{"text":"c"}"#]
        if !chance(5) { members.append(#""effectiveDateTime":"\#(dateTime())""#) }
        if !chance(3) { members.append(#""issued":"\#(instant())""#) }
        if let value = value() { members.append(value) }
        let components = (0..<self.number(0...3)).map { _ in
            "{\"code\":{\"text\":\"\(pick(["a", "b"]))\"}\(value().map { "," + $0 } ?? "")}"
        }
        if !components.isEmpty { members.append("\"component\":[\(components.joined(separator: ","))]") }
        if chance(2) { members.append(#""note":[{"text":"n","time":"\#(dateTime())"},{"text":"m"}]"#) }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func value() -> String? {
        switch number(0...5) {
        case 0: #""valueDateTime":"\#(dateTime())""#
        case 1: #""valueTime":"\#(time(number(3...4)))""#
        case 2: #""valueInteger":\#(pick([0, 1, -1, 7, -7, 2, Int(Int32.max), Int(Int32.min)]))"#
        case 3: #""valueString":"\#(pick(["a", "b", "it's", "é"]))""#
        case 4: #""valuePeriod":{"start":"\#(dateTime())","end":"\#(dateTime())"}"#
        default: nil
        }
    }

    private mutating func questionnaireResponse(_ id: String) -> String {
        let items = (0..<number(0...3)).map { _ in item(3) }
        let list = items.isEmpty ? "" : ",\"item\":[\(items.joined(separator: ","))]"
        return #"{"resourceType":"QuestionnaireResponse","id":"\#(id)","status":"completed","authored":"\#(dateTime())"\#(list)}"#
    }

    private mutating func item(_ depth: Int) -> String {
        var members = [#""linkId":"\#(number(1...9))""#]
        if chance(2) { members.append(#""text":"\#(pick(["x", "y"]))""#) }
        if depth > 0, chance(2) { members.append("\"item\":[\((0..<number(1...3)).map { _ in item(depth - 1) }.joined(separator: ","))]") }
        if depth > 0, chance(2) {
            let answers = (0..<number(1...2)).map { _ in
                chance(2)
                    ? "{\"valueInteger\":\(number(0...3)),\"item\":[\(item(depth - 1))]}" : "{\"valueDateTime\":\"\(dateTime())\"}"
            }
            members.append("\"answer\":[\(answers.joined(separator: ","))]")
        }
        return "{\(members.joined(separator: ","))}"
    }

    // MARK: - Views

    mutating func view() -> (Kind, ViewDefinition) {
        typealias Select = ViewDefinition.Select
        let kind = pick(Kind.allCases)
        switch kind {
        case .dates: return (kind, observations((0..<4).map { _ in dateComparison() }))
        case .numbers: return (kind, observations((0..<3).map { _ in integer(2) } + [integerComparison()]))
        case .texts: return (kind, observations((0..<3).map { _ in text(2) }))
        case .boundaries:
            let dates = [
                "effective.ofType(dateTime)", "issued", "value.ofType(dateTime)", "value.ofType(time)",
                "component[0].value.ofType(dateTime)",
                "value.ofType(Period).end", "component.where(code.text = 'a').first().value.ofType(time)",
            ]
            return (kind, observations((0..<3).map { _ in pick(dates) + pick([".lowBoundary()", ".highBoundary()"]) }))
        case .repeats:
            let paths = pick([
                ["item"], ["item", "answer.item"], ["answer.item", "item"], ["item.where(text.exists())"], ["answer.item", "item.item"],
            ])
            let inner = Select(
                .repeating(paths),
                columns: columns(["linkId", "text", "item.count()", "answer.value.ofType(integer).first()", "answer.exists()"]),
                selects: chance(3) ? [Select(.forEachOrNull("answer"), columns: columns(["value.ofType(dateTime)"], from: 10))] : [])
            let outer = chance(3) ? Select(.forEach("item"), columns: columns(["linkId"], from: 20), selects: [inner]) : inner
            return (
                kind,
                ViewDefinition(resource: "QuestionnaireResponse", selects: [Select(columns: columns(["id"], from: 30)), outer])
            )
        case .items:
            let isNote = chance(3)
            let path = isNote ? "note" : pick(["component", "component", "component.where(code.text = 'a')"])
            let dates = isNote ? ["time"] : ["value.ofType(dateTime)", "value.ofType(Period).end"]
            let inner = Select(
                chance(2) ? .forEach(path) : .forEachOrNull(path),
                columns: columns([
                    path.contains("where") ? "1" : "%rowIndex", pick(dates), "\(pick(dates)) \(comparison()) \(dateLiteral())",
                ]))
            let paths = ["id", pick(["component[1].value.ofType(integer)", "component.first().code.text", "note[0].time"])]
            return (kind, ViewDefinition(resource: "Observation", selects: [Select(columns: columns(paths, from: 10)), inner]))
        }
    }

    private func columns(_ paths: [String], from start: Int = 0) -> [ViewDefinition.Column] {
        paths.enumerated().map { ViewDefinition.Column(name: "c\($0 + start)", path: $1) }
    }

    private mutating func observations(_ paths: [String]) -> ViewDefinition {
        ViewDefinition(
            resource: "Observation", selects: [ViewDefinition.Select(columns: columns(["id"] + paths))],
            conditions: chance(4) ? [dateComparison()] : chance(5) ? [integerComparison()] : [])
    }

    private mutating func comparison() -> String { pick(["<", "<=", ">", ">=", "=", "!="]) }

    private mutating func dateComparison() -> String {
        if chance(5) {
            let times = ["value.ofType(time)", "component[0].value.ofType(time)", "@T\(time(number(1...4)))"]
            return "\(pick(times)) \(comparison()) \(pick(times))"
        }
        let paths = [
            "effective.ofType(dateTime)", "issued", "value.ofType(dateTime)", "component[0].value.ofType(dateTime)", "note.first().time",
            "value.ofType(Period).start", "value.ofType(Period).end", "effective.ofType(dateTime).where(1 = 1)",
        ]
        let left = chance(6) ? dateLiteral() : pick(paths + ["component.value.ofType(dateTime)"])
        let right = chance(3) ? pick(paths) : dateLiteral()
        let one = "\(left) \(comparison()) \(right)"
        return chance(4) ? "(\(one)) \(pick(["and", "or", "xor", "implies"])) (\(right) \(comparison()) \(pick(paths)))" : one
    }

    private mutating func integer(_ depth: Int) -> String {
        if depth == 0 || chance(4) {
            return pick([
                "value.ofType(integer)", "component[0].value.ofType(integer)", "component.count()", "2", "3", "0", "2147483647",
                "%rowIndex",
            ])
        }
        if chance(5) { return "(-\(integer(depth - 1)))" }
        return "(\(integer(depth - 1)) \(pick(["+", "-", "*", "div", "mod"])) \(integer(depth - 1)))"
    }

    private mutating func integerComparison() -> String { "\(integer(1)) \(comparison()) \(integer(1))" }

    private mutating func text(_ depth: Int) -> String {
        if depth == 0 || chance(4) {
            return pick(["value.ofType(string)", "status", "component[0].value.ofType(string)", "'it\\'s'", "code.text", "id"])
        }
        return "(\(text(depth - 1)) \(pick(["&", "+"])) \(text(depth - 1)))"
    }
}
