import FireLite
import Foundation

/// A date or time of a search: the interval that it names, in UTC for values with a time of day, and by the clock of a zone for dates without one.
struct SearchDate {
    let utc: DateBounds
    let wall: DateBounds

    /// Nil for text that is not a date or time.
    init?(_ text: String, in zone: TimeZone) {
        // In an address that is not encoded, a plus is a space.
        guard let fields = Fields(text.replacing(" ", with: "+")) else { return nil }
        let own = fields.zone ?? zone
        guard let start = fields.moment(in: own), let end = fields.end(in: own) else { return nil }
        self.init(start, end, zone, precision: fields.precision)
    }

    private let start: Date
    private let end: Date
    private let zone: TimeZone

    /// - Parameter precision: the number of characters of the literal's date; more if it has a time of day.
    private init?(_ start: Date, _ end: Date, _ zone: TimeZone, precision: Int) {
        let (before, after) = (zone.secondsFromGMT(for: start), zone.secondsFromGMT(for: end))
        guard let utc = Self.bounds(start, end, precision),
            let wall = Self.bounds(
                start.addingTimeInterval(TimeInterval(before)), end.addingTimeInterval(TimeInterval(after)), precision)
        else { return nil }
        (self.utc, self.wall) = (utc, wall)
        (self.start, self.end, self.zone) = (start, end, zone)
    }

    /// The interval widened by a tenth of its distance from now, for `ap`.
    func approximate(_ now: Date) -> SearchDate {
        let gap = max(abs(now.timeIntervalSince(start)), abs(now.timeIntervalSince(end))) / 10
        return SearchDate(start.addingTimeInterval(-gap), end.addingTimeInterval(gap), zone, precision: 19) ?? self
    }

    private static func bounds(_ start: Date, _ end: Date, _ precision: Int) -> DateBounds? {
        guard let lower = moment(start), let upper = moment(end) else { return nil }
        let first = lower == DateBounds.beyond ? lower : text(start)
        // Less precise dates that begin at the same moment are not within the interval, and their texts are less than this one.
        let isWhole = precision <= 10 && first.hasSuffix("T00:00:00")
        return DateBounds(text: isWhole ? String(first.prefix(precision)) : first, lower: lower, upper: upper)
    }

    /// The first moment that no date of FHIR can name, as years have four digits.
    private static let end = Date(timeIntervalSince1970: 253_402_300_800)

    /// The shortest text of a moment; nil for one before the first year.
    private static func moment(_ date: Date) -> String? { date < end ? DateBounds(text(date) + "Z")?.lower : DateBounds.beyond }

    private static func text(_ date: Date) -> String {
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // Rounded to milliseconds, which a Date holds exactly enough.
        let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded())
        let whole = Date(timeIntervalSince1970: Double(milliseconds.quotientAndRemainder(dividingBy: 1_000).quotient))
        let rest = milliseconds.quotientAndRemainder(dividingBy: 1_000).remainder
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: rest < 0 ? whole.addingTimeInterval(-1) : whole)
        let fraction = rest < 0 ? rest + 1_000 : rest
        let day = "\((parts.year ?? 0).padded(4))-\((parts.month ?? 0).padded(2))-\((parts.day ?? 0).padded(2))"
        let time = "\((parts.hour ?? 0).padded(2)):\((parts.minute ?? 0).padded(2)):\((parts.second ?? 0).padded(2))"
        return fraction == 0 ? "\(day)T\(time)" : "\(day)T\(time).\(Int(fraction).padded(3))"
    }

    // MARK: - Conditions

    /// The condition on a value of a type at a path.
    func condition(_ prefix: SearchPrefix, _ path: QueryPath, _ type: PrimitiveType) -> Predicate {
        switch prefix {
        case .eq, .ap: return test(path, type, .equal, overlapping: prefix == .ap)
        case .ne: return .and([.exists(path), .not(test(path, type, .equal, overlapping: false))])
        case .gt: return test(path, type, .greater, overlapping: true)
        case .lt: return test(path, type, .less, overlapping: true)
        case .ge: return .or([test(path, type, .greater, overlapping: true), test(path, type, .equal, overlapping: false)])
        case .le: return .or([test(path, type, .less, overlapping: true), test(path, type, .equal, overlapping: false)])
        case .sa: return test(path, type, .greater, overlapping: false)
        case .eb: return test(path, type, .less, overlapping: false)
        }
    }

    /// The condition on a Period, whose ends may be absent.
    func condition(_ prefix: SearchPrefix, start: QueryPath, end: QueryPath) -> Predicate {
        func test(_ path: QueryPath, _ comparison: Comparison, overlapping: Bool) -> Predicate {
            self.test(path, .dateTime, comparison, overlapping: overlapping)
        }
        let isOpenEnded = Predicate.and([.not(.exists(end)), .exists(start)])
        let isOpenStarted = Predicate.and([.not(.exists(start)), .exists(end)])
        let isWithin = Predicate.and([
            test(start, .greaterOrEqual, overlapping: false), test(end, .lessOrEqual, overlapping: false),
        ])
        let isLater = Predicate.or([test(end, .greater, overlapping: true), isOpenEnded])
        let isEarlier = Predicate.or([test(start, .less, overlapping: true), isOpenStarted])
        switch prefix {
        case .eq: return isWithin
        case .ne: return .and([.or([.exists(start), .exists(end)]), .not(isWithin)])
        case .gt: return isLater
        case .lt: return isEarlier
        case .ge: return .or([isLater, isWithin])
        case .le: return .or([isEarlier, isWithin])
        case .sa: return test(start, .greater, overlapping: false)
        case .eb: return test(end, .less, overlapping: false)
        case .ap:
            return .and([
                .or([test(end, .greaterOrEqual, overlapping: true), isOpenEnded]),
                .or([test(start, .lessOrEqual, overlapping: true), isOpenStarted]),
            ])
        }
    }

    /// The condition on the outer limits of a Timing.
    func condition(_ prefix: SearchPrefix, _ limits: TimingLimits) -> Predicate {
        func event(_ comparison: Comparison, overlapping: Bool) -> Predicate {
            test(QueryPath(), .dateTime, comparison, overlapping: overlapping)
        }
        func bounds(_ prefix: SearchPrefix) -> Predicate {
            limits.bounds.map { condition(prefix, start: $0.start, end: $0.end) } ?? .constant(false)
        }
        func all(_ prefix: SearchPrefix, _ condition: Predicate) -> Predicate {
            let isBounded = limits.hasBounds
            return .and([limits.exist, .not(limits.some(.not(condition))), .or([.not(isBounded), bounds(prefix)])])
        }
        let isWithin = all(.eq, event(.equal, overlapping: false))
        let isLater = Predicate.or([limits.some(event(.greater, overlapping: true)), bounds(.gt)])
        let isEarlier = Predicate.or([limits.some(event(.less, overlapping: true)), bounds(.lt)])
        switch prefix {
        case .eq: return isWithin
        case .ne: return .and([limits.exist, .not(isWithin)])
        case .gt: return isLater
        case .lt: return isEarlier
        case .ge: return .or([isLater, isWithin])
        case .le: return .or([isEarlier, isWithin])
        case .sa: return all(.sa, event(.greater, overlapping: false))
        case .eb: return all(.eb, event(.less, overlapping: false))
        case .ap:
            // Some moment is not before, and some is not after.
            let isNotBefore = Predicate.or([limits.some(event(.greaterOrEqual, overlapping: true)), bounds(.gt), bounds(.ap)])
            let isNotAfter = Predicate.or([limits.some(event(.lessOrEqual, overlapping: true)), bounds(.lt), bounds(.ap)])
            return .and([isNotBefore, isNotAfter])
        }
    }

    private func test(_ path: QueryPath, _ type: PrimitiveType, _ comparison: Comparison, overlapping: Bool) -> Predicate {
        if type == .date { return .value(path, .date(comparison, wall, overlapping: overlapping)) }
        if type == .instant || utc == wall { return .value(path, .date(comparison, utc, overlapping: overlapping)) }
        return .or(
            [(utc, true), (wall, false)].flatMap { bounds, hasTime in
                ValueTest.date(comparison, bounds, overlapping: overlapping).alternatives.compactMap { alternative in
                    Self.test(path, alternative, hasTime: hasTime)
                }
            })
    }

    /// The condition that a date with a time, or without one, passes a test; nil if none does.
    private static func test(_ path: QueryPath, _ test: ValueTest, hasTime: Bool) -> Predicate? {
        var test = test
        if case .oneOf(let values) = test {
            let possible = values.filter { ($0.text?.utf8.count ?? 0 > 10) == hasTime }
            if possible.isEmpty { return nil }
            test = .oneOf(possible)
        }
        return .any(path, .and([.value(QueryPath(), test), .value(QueryPath(), .hasTime(hasTime))]))
    }

    // MARK: - Reading

    /// The parts of a literal; one with hours has minutes, and may have no seconds.
    private struct Fields {
        private var components = DateComponents()
        private var fraction = 0.0
        private var fractionDigits = 0
        var zone: TimeZone?
        /// The number of characters of the date; 19 if there is a time.
        var precision: Int { components.hour != nil ? 19 : components.day != nil ? 10 : components.month != nil ? 7 : 4 }

        init?(_ text: String) {
            let pattern = #/(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?)?)?/#
            guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
            components.year = Int(match.1)
            components.month = match.2.flatMap { Int($0) }
            components.day = match.3.flatMap { Int($0) }
            components.hour = match.4.flatMap { Int($0) }
            components.minute = match.5.flatMap { Int($0) }
            components.second = match.6.flatMap { Int($0) }
            if let digits = match.7 {
                fractionDigits = min(digits.count, 3)
                fraction = Double("0." + digits.prefix(3)) ?? 0
            }
            guard (1...9_999).contains(components.year ?? 0), (1...12).contains(components.month ?? 1),
                (1...31).contains(components.day ?? 1),
                (0...23).contains(components.hour ?? 0), (0...59).contains(components.minute ?? 0),
                (0...60).contains(components.second ?? 0)
            else { return nil }
            if let name = match.8 {
                if name == "Z" {
                    zone = .gmt
                } else {
                    let parts = name.dropFirst().split(separator: ":").compactMap { Int($0) }
                    let seconds = parts[0] * 3_600 + parts[1] * 60
                    guard let fixed = TimeZone(secondsFromGMT: name.first == "-" ? -seconds : seconds) else { return nil }
                    zone = fixed
                }
            }
        }

        private static func calendar(_ zone: TimeZone) -> Foundation.Calendar {
            var calendar = Foundation.Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            return calendar
        }

        func moment(in zone: TimeZone) -> Date? {
            let calendar = Self.calendar(zone)
            guard let date = calendar.date(from: components) else { return nil }
            // The 31st of a month with 30 days is no date.
            if let day = components.day, calendar.component(.day, from: date) != day, components.second != 60 { return nil }
            return date.addingTimeInterval(fraction)
        }

        func end(in zone: TimeZone) -> Date? {
            guard let start = moment(in: zone) else { return nil }
            let calendar = Self.calendar(zone)
            if fractionDigits > 0 { return start.addingTimeInterval(pow(10, -Double(fractionDigits))) }
            let unit: Foundation.Calendar.Component =
                components.second != nil
                ? .second
                : components.minute != nil ? .minute : components.day != nil ? .day : components.month != nil ? .month : .year
            return calendar.date(byAdding: unit, value: 1, to: start)
        }
    }
}
