import FireLiteCore
import TestSupport
import Testing

@testable import FireLiteFHIRPath

/// Values at the ends of their ranges: what is beyond a range is nothing, or an error of the evaluation, and never the end of the process.
@Suite struct ExtremeValueTests {
    @Test func resultsBeyondTheRangeAreEmpty() throws {
        Sample.expect([
            ("0.1.power(-400)", ""), ("0.5.power(-1000)", ""), ("10.power(-400)", ""), ("1.power(-9223372036854775807 - 1)", "1"),
            ("0.1.power(100) * 0.1.power(100)", ""), ("0.1.power(100) / 10.power(60)", ""),
            ("1.0.highBoundary(9223372036854775807)", ""), ("(1 'cm').lowBoundary(9223372036854775807)", ""),
            ("1.0.lowBoundary(-9223372036854775807 - 1)", ""), ("@2020.highBoundary(9223372036854775807)", ""),
            ("(-2147483647 - 1).abs()", ""), ("-(-2147483647 - 1)", ""), ("(-9223372036854775807 - 1).abs()", ""),
            ("-(-9223372036854775807 - 1)", ""), ("(-9223372036854775807 - 1) div -1", ""),
            ("@2020 - 9223372036854775808.0 years", ""), ("@2020 + 9223372036854775807 days", ""),
            ("@T10:30 + 9999999999999999999999999999999999999.0 seconds", ""), ("@9999-12-31 + 1 day", ""), ("@0001-01-01 - 1 day", ""),
            ("1.5.round(9223372036854775807)", "1.5"), ("'abc'.substring(9223372036854775807)", ""),
            ("'abc'.substring(1, 9223372036854775807)", "bc"), ("(1 | 2).skip(9223372036854775807)", ""),
            ("(1 | 2).take(9223372036854775807).count()", "2"), ("(1 | 2).skip(-9223372036854775807 - 1).count()", "2"),
            ("1000.exp()", ""), ("1 '10*36.10*36.10*36.10*36' = 1 'm'", ""),
        ])
    }

    @Test func numbersOfRecordsBeyondTheRangeHaveNoValue() throws {
        for literal in ["1e-9223372036854775808", "1e9223372036854775807", "1e-400", "1e400"] {
            #expect(FHIRPathValue(try #require(FHIRDecimal(literal))) == nil, "\(literal)")
        }
        for literal in ["1e99", "1e-99", "-99999999999999999999999999999999999999e90"] {
            #expect(FHIRPathValue(try #require(FHIRDecimal(literal)))?.decimal != nil, "\(literal)")
        }
    }

    /// Every function there is, on and with extreme values of every kind, and operators between them.
    @Test func everyFunctionGivesValuesOrAnError() throws {
        var options = FHIRPathOptions()
        options.checksModel = false
        options.maximumSteps = 20_000
        options.maximumMatchingTime = .milliseconds(200)
        let names = Function.all.keys.sorted()
        var answers = 0
        var failures = 0
        try withEvery(Effort.seeds(byDay: 25, atNight: 4_000)) { seed in
            var random = ExtremeExpression(SeededGenerator(seed: seed))
            for text in names.map({ random.call($0, depth: 1) }) + names.map({ _ in random.operation(depth: 2) }) {
                do {
                    for value in try FHIRPath(text, options: options).evaluate() { try Self.check(value, text) }
                    answers += 1
                } catch is FHIRPathError {
                    failures += 1
                }
            }
        }
        // Most calls have arguments of other types than they need, but many have the right ones.
        #expect(answers > failures / 10)
    }

    private static func check(_ value: FHIRPathValue, _ expression: String) throws {
        guard value.namespace == "System" else { return }
        switch value.type {
        case "Integer": try #require(Int32(exactly: try #require(value.int, "\(expression)")) != nil, "\(expression)")
        case "Long": try #require(value.int != nil, "\(expression)")
        case "Decimal": try #require(value.decimal != nil, "\(expression)")
        case "Quantity": try #require(value.literal?.hasPrefix("NaN") == false, "\(expression)")
        default: break
        }
        guard case .temporal(let time) = value.item else { return }
        let isDate = 1...9_999 ~= time.year && 1...12 ~= time.month && 1...31 ~= time.day
        let isTime = 0...23 ~= time.hour && 0...59 ~= time.minute && 0...60 ~= time.second && 0..<1_000_000_000 ~= time.nanosecond
        try #require(isDate && isTime, "\(expression)")
    }
}

/// Random expressions with extreme values.
private struct ExtremeExpression {
    private var random: SeededGenerator

    init(_ random: SeededGenerator) { self.random = random }

    private static let numbers = [
        "0", "1", "-1", "7", "2147483647", "(-2147483647 - 1)", "9223372036854775807", "(-9223372036854775807 - 1)",
        "9223372036854775808.0", "0.0", "0.1", "-0.5", "0.50", "1.000000000", "0." + String(repeating: "0", count: 59) + "1",
        String(repeating: "9", count: 37) + ".0", "-0." + String(repeating: "9", count: 38),
        "-" + String(repeating: "9", count: 19) + "." + String(repeating: "9", count: 19), "0.1.power(100)", "10.power(60)",
        "(-10).power(59)", "0.3.power(200)",
    ]
    private static let units = [
        "'mg'", "'kg'", "'m'", "'Cel'", "'1'", "'none'", "'Ym24'", "'10*36.10*36.10*36.10*36'", "'10*-36/10*36/10*36/10*36'", "year",
        "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds",
    ]
    private static let moments = [
        "@0001", "@0001T", "@9999", "@0001-01", "@9999-12", "@0001-01-01", "@9999-12-31", "@2020-02-29", "@0001-01-01T00:00:00+14:00",
        "@9999-12-31T23:59:59.999999999-12:00", "@9999-12-31T23:59:59", "@1970-01-01T00", "@T00", "@T00:00:00.000", "@T23:59:59.999999999",
    ]
    private static let texts = [
        "''", "'a'", "'%\u{1F600}'", "'9223372036854775808'", "'-9223372036854775808'", "'1e-9223372036854775808'", "'1e99'",
        "'&#99999999999;&#x110000;&#'", "'$1\\\\'", "'[a-'", "'(a*)*b'", "'hex'", "'base64'", "'urlbase64'", "'html'", "'json'",
        "'\\\\u12'",
        "'0001-01-01T00:00:00.000000001+14:00'", "'9223372036854775807 \\'mg\\''", "'99999999999999999999999999999999999999 years'",
        "'" + String(repeating: "ab", count: 2_000) + "'", "'" + String(repeating: "9", count: 400) + "'",
    ]
    private static let others = ["{}", "true", "(1 | 2)", "('a' | 'b')", "(1 | 'a' | @2020)", "$this", "name"]

    mutating func value(depth: Int) -> String {
        if depth > 0, random.percent(30) {
            return random.percent(50) ? "(\(operation(depth: depth - 1)))" : call(random.pick(Function.all.keys.sorted()), depth: depth - 1)
        }
        switch random.int(0...9) {
        case 0...3: return random.pick(Self.numbers)
        case 4: return random.pick(Self.numbers.filter { !$0.hasPrefix("(") && !$0.hasSuffix(")") }) + " " + random.pick(Self.units)
        case 5, 6: return random.pick(Self.moments)
        case 7, 8: return random.pick(Self.texts)
        default: return random.pick(Self.others)
        }
    }

    mutating func call(_ name: String, depth: Int) -> String {
        guard let function = Function.all[name] else { return "{}" }
        let count = random.int(function.counts.lowerBound...min(function.counts.upperBound, function.counts.lowerBound + 2))
        var arguments = (0..<count).map { _ in value(depth: depth) }
        switch function.arguments {
        case .type, .optionalType: if count > 0 { arguments[0] = random.pick(["Integer", "Decimal", "String", "Quantity", "DateTime"]) }
        default: break
        }
        return "(\(value(depth: depth))).\(name)(\(arguments.joined(separator: ", ")))"
    }

    mutating func operation(depth: Int) -> String {
        let sign = random.pick(["", "", "-", "+"])
        let (left, right) = (value(depth: depth), value(depth: depth))
        if random.percent(10) { return "(\(left))[\(right)]" }
        return "\(sign)(\(left)) \(random.pick(PathOperator.allCases).rawValue) (\(right))"
    }
}
