extension FHIRTemporal {
    /// Where the value lies in time as seen from another one, or nil where FHIR does not say.
    ///
    /// A literal with a time is a moment; seconds without a fraction count as `.0`. A year, month or day is all of its moments. One that lies
    /// within the other, as March 2020 does in 2020, is neither before nor after it: nil
    /// (<https://hl7.org/fhirpath/#comparison>: a difference of precision gives no answer).
    ///
    /// Offsets count: `10:00+01:00` is before `10:00Z`. Two literals without an offset are taken to be in one zone. Of a literal with an
    /// offset and one without, only as much is said as holds in every zone, from -14:00 to +14:00. A `time` compares with a `time` alone. Text
    /// that lenient reading let through compares with nothing.
    ///
    /// ```swift
    /// FHIRDate("2020").compare(to: FHIRDate("2021-03"))      // before
    /// FHIRDate("2020").compare(to: FHIRDate("2020-03"))      // nil
    /// ```
    public func compare(to other: some FHIRTemporal) -> FHIRTemporalOrder? {
        guard (Self._type == .time) == (type(of: other)._type == .time), let first = span, let second = other.span else { return nil }
        return first.order(with: second)
    }

    /// Whether the value lies before another one; nil where `compare(to:)` says nothing.
    public func isBefore(_ other: some FHIRTemporal) -> Bool? { compare(to: other).map { $0 == .before } }

    /// Whether the value lies after another one; nil where `compare(to:)` says nothing.
    public func isAfter(_ other: some FHIRTemporal) -> Bool? { compare(to: other).map { $0 == .after } }

    /// Whether both are the same moment, or the same year, month or day, however they are written; nil where `compare(to:)` says nothing.
    public func isSame(as other: some FHIRTemporal) -> Bool? { compare(to: other).map { $0 == .same } }

    /// Orders by time, then by literal, and texts that are no values last: `<` of the types that every two values of can be ordered.
    fileprivate static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left == right { return false }
        switch (left.span?.utc.start, right.span?.utc.start) {
        case (let first?, let second?) where first != second: return first < second
        case (nil, _?): return false
        case (_?, nil): return true
        default: return left.literal.utf8.lexicographicallyPrecedes(right.literal.utf8)
        }
    }
}

/// Instants are in the order of time, and those of one moment in the order of their literals, as `==` compares literals.
///
/// So `<` sorts, and `compare(to:)` and `isBefore(_:)` say what is earlier. Dates and dateTimes have these two alone: not every two of them
/// can be ordered, as 2020 and 2020-03 cannot.
extension FHIRInstant: Comparable {
    /// Whether the left one is earlier, or the same moment by a literal that comes first.
    public static func < (left: FHIRInstant, right: FHIRInstant) -> Bool { precedes(left, right) }
}

/// Times are in the order of the day, and equal ones (`10:00:00` and `10:00:00.0`) in the order of their literals, as `==` compares literals.
extension FHIRTime: Comparable {
    /// Whether the left one is earlier, or the same by a literal that comes first.
    public static func < (left: FHIRTime, right: FHIRTime) -> Bool { precedes(left, right) }
}

/// How two dates or times lie in time.
public enum FHIRTemporalOrder: Sendable, Hashable {
    /// The first ends before the second begins.
    case before
    /// Both are the same moment, or the same year, month or day.
    case same
    /// The first begins after the second ends.
    case after
}
