import FireLite
import FireLiteCore
import Foundation

/// A date or time of a search: the interval that it names, in UTC for values with a time of day, and by the clock of a zone for dates without one.
struct SearchDate {
    let utc: DateBounds
    let wall: DateBounds

    /// Nil for text that is not a date or time. One with hours has minutes, and may have no seconds and no offset.
    init?(_ text: String, in zone: TimeZone) {
        // In an address that is not encoded, a plus is a space.
        let literal = text.replacingBytes(" ", with: "+")
        guard let span = TemporalSpan(literal, read: { $0.readDate() && $0.readPartialTime(atLeast: .minute, endsAfterT: false) }) else {
            return nil
        }
        if span.offset != nil {
            self.init(span.utc.start, end: span.utc.end, zone: zone, precision: span.precision)
        } else {
            self.init(zone.utc(ofLocal: span.start), end: zone.utc(ofLocal: span.end), zone: zone, precision: span.precision)
        }
    }

    private let start: TemporalSpan.Moment
    private let end: TemporalSpan.Moment
    private let zone: TimeZone

    /// The interval between two moments in UTC.
    private init(_ start: TemporalSpan.Moment, end: TemporalSpan.Moment, zone: TimeZone, precision: TemporalPrecision) {
        utc = DateBounds(start, end, precision)
        wall = DateBounds(zone.local(start), zone.local(end), precision)
        (self.start, self.end, self.zone) = (start, end, zone)
    }

    /// The interval widened by a tenth of its distance from now, for `ap`.
    func approximate(_ now: Date) -> SearchDate {
        let (start, end) = (start.date, end.date)
        let gap = max(abs(now.timeIntervalSince(start)), abs(now.timeIntervalSince(end))) / 10
        return SearchDate(
            TemporalSpan.Moment(start.addingTimeInterval(-gap)), end: TemporalSpan.Moment(end.addingTimeInterval(gap)), zone: zone,
            precision: .second)
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
}

extension TimeZone {
    /// The moment by the zone's clock.
    fileprivate func local(_ utc: TemporalSpan.Moment) -> TemporalSpan.Moment { utc.moved(seconds: secondsFromGMT(for: utc.date)) }

    /// The moment at which the zone's clock shows a time: the first of two, and where clocks skip the time, as far after the gap's beginning as it is.
    fileprivate func utc(ofLocal local: TemporalSpan.Moment) -> TemporalSpan.Moment {
        let day = 86_400.0
        let earlier = secondsFromGMT(for: local.date.addingTimeInterval(-day))
        let later = secondsFromGMT(for: local.date.addingTimeInterval(day))
        let first = local.moved(seconds: -earlier)
        guard earlier != later, secondsFromGMT(for: first.date) != earlier else { return first }
        let second = local.moved(seconds: -later)
        return secondsFromGMT(for: second.date) == later ? second : first
    }
}
