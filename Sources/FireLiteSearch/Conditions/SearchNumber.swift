import FireLite
import Foundation

/// A number of a search: its value, and the interval of numbers that round to it.
struct SearchNumber {
    let value: Double
    let lower: Double
    let upper: Double
    /// A tenth of it, for `ap`.
    private let tenth: Double
    private let decimal: Decimal
    private let half: Decimal

    /// Nil for text that is not a decimal.
    init?(_ text: String) {
        guard FHIRDecimal(text) != nil, let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
            let value = Double(text)
        else { return nil }
        let halves = text.lowercased().split(separator: "e")
        let exponent = halves.count > 1 ? Int(halves[1]) ?? 0 : 0
        let digits = halves[0].firstIndex(of: ".").map { halves[0].distance(from: $0, to: halves[0].endIndex) - 1 } ?? 0
        // FHIR's example: 1e2 means [95, 105), while 100 means [99.5, 100.5).
        let place = exponent - digits - (halves.count > 1 ? 1 : 0)
        guard abs(place) < 100 else { return nil }
        let half = Decimal(sign: .plus, exponent: place - 1, significand: 5)
        self.value = value
        self.decimal = decimal
        self.half = half
        lower = Double("\(decimal - half)") ?? value
        upper = Double("\(decimal + half)") ?? value
        tenth = abs(Double("\(decimal / 10)") ?? value / 10)
    }

    /// The number and its interval in another unit; nil if the conversion is impossible.
    init?(converting number: SearchNumber, _ convert: (Decimal) -> Decimal?) {
        guard let decimal = convert(number.decimal), let first = convert(number.decimal - number.half),
            let last = convert(number.decimal + number.half), let above = convert(number.decimal + number.decimal / 10),
            let value = Double("\(decimal)"), let lower = Double("\(first)"), let upper = Double("\(last)"),
            let tenth = Double("\(above - decimal)")
        else { return nil }
        (self.value, self.lower, self.upper, self.tenth) = (value, lower, upper, abs(tenth))
        (self.decimal, half) = (decimal, (last - first) / 2)
    }

    private static func compare(_ comparison: Comparison, _ value: Double) -> ValueTest { .compare(comparison, .real(value)) }

    /// The condition on a value at a path.
    func condition(_ prefix: SearchPrefix, _ path: QueryPath) -> Predicate {
        func test(_ comparison: Comparison, _ value: Double) -> Predicate { .value(path, Self.compare(comparison, value)) }
        switch prefix {
        case .eq: return .and([test(.greaterOrEqual, lower), test(.less, upper)])
        case .ne: return .or([test(.less, lower), test(.greaterOrEqual, upper)])
        case .gt, .sa: return test(.greater, value)
        case .lt, .eb: return test(.less, value)
        case .ge: return test(.greaterOrEqual, value)
        case .le: return test(.lessOrEqual, value)
        case .ap: return .value(path, .between(.real(value - tenth), .real(value + tenth)))
        }
    }

    /// The condition on a Quantity, whose comparator makes its value the end of an interval: `>100` is all that is more.
    func condition(_ prefix: SearchPrefix, value: QueryPath, comparator: QueryPath?) -> Predicate {
        let isMet = Predicate.and([.exists(value), condition(prefix, value)])
        guard let comparator else { return isMet }
        func test(_ comparison: Comparison, _ number: Double) -> Predicate { .value(value, Self.compare(comparison, number)) }
        func when(_ signs: String, _ condition: Predicate) -> Predicate {
            .and([.value(comparator, .compare(.equal, .text(signs))), condition])
        }
        let ends: [Predicate]
        switch prefix {
        case .eq: ends = []
        case .ne: ends = ["<", "<=", ">", ">="].map { when($0, .exists(value)) }
        case .gt:
            ends = [when(">", .exists(value)), when(">=", .exists(value))] + ["<", "<="].map { when($0, test(.greater, self.value)) }
        case .ge:
            ends = [
                when(">", .exists(value)), when(">=", .exists(value)), when("<", test(.greater, self.value)),
                when("<=", test(.greaterOrEqual, self.value)),
            ]
        case .lt: ends = [when("<", .exists(value)), when("<=", .exists(value))] + [">", ">="].map { when($0, test(.less, self.value)) }
        case .le:
            ends = [
                when("<", .exists(value)), when("<=", .exists(value)), when(">", test(.less, self.value)),
                when(">=", test(.lessOrEqual, self.value)),
            ]
        case .sa: ends = [when(">", test(.greaterOrEqual, self.value)), when(">=", test(.greater, self.value))]
        case .eb: ends = [when("<", test(.lessOrEqual, self.value)), when("<=", test(.less, self.value))]
        case .ap:
            ends = [
                when(">", test(.less, self.value + tenth)), when(">=", test(.lessOrEqual, self.value + tenth)),
                when("<", test(.greater, self.value - tenth)), when("<=", test(.greaterOrEqual, self.value - tenth)),
            ]
        }
        let isEnd = Predicate.value(comparator, .oneOf(["<", "<=", ">", ">="].map { .text($0) }))
        return .or([.and([isMet, .not(isEnd)])] + ends)
    }

    /// The condition on the interval of the values of SampledData.
    func condition(_ prefix: SearchPrefix, sampled path: QueryPath) -> Predicate {
        func least(_ comparison: Comparison, _ value: Double) -> Predicate { .sampled(path, .least, comparison, value) }
        func greatest(_ comparison: Comparison, _ value: Double) -> Predicate { .sampled(path, .greatest, comparison, value) }
        switch prefix {
        case .eq: return .and([least(.greaterOrEqual, lower), greatest(.less, upper)])
        case .ne: return .or([least(.less, lower), greatest(.greaterOrEqual, upper)])
        case .gt: return greatest(.greater, value)
        case .ge: return greatest(.greaterOrEqual, value)
        case .lt: return least(.less, value)
        case .le: return least(.lessOrEqual, value)
        case .sa: return least(.greater, value)
        case .eb: return greatest(.less, value)
        case .ap: return .and([greatest(.greaterOrEqual, value - tenth), least(.lessOrEqual, value + tenth)])
        }
    }

    /// The condition on an interval: the values of a Range, either of which may be absent.
    func condition(_ prefix: SearchPrefix, low: QueryPath, high: QueryPath) -> Predicate {
        func test(_ path: QueryPath, _ comparison: Comparison, _ value: Double) -> Predicate {
            .value(path, Self.compare(comparison, value))
        }
        func above(_ comparison: Comparison, _ value: Double) -> Predicate {
            .or([test(high, comparison, value), .and([.not(.exists(high)), .exists(low)])])
        }
        func below(_ comparison: Comparison, _ value: Double) -> Predicate {
            .or([test(low, comparison, value), .and([.not(.exists(low)), .exists(high)])])
        }
        let isWithin = Predicate.and([test(low, .greaterOrEqual, lower), test(high, .less, upper)])
        switch prefix {
        case .eq: return isWithin
        case .ne: return .and([.or([.exists(low), .exists(high)]), .not(isWithin)])
        case .gt: return above(.greater, value)
        case .ge: return above(.greaterOrEqual, value)
        case .lt: return below(.less, value)
        case .le: return below(.lessOrEqual, value)
        case .sa: return test(low, .greater, value)
        case .eb: return test(high, .less, value)
        case .ap: return .and([above(.greaterOrEqual, value - tenth), below(.lessOrEqual, value + tenth)])
        }
    }
}
