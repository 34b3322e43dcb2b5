extension FHIRTemporal {
    /// The order of the value and another one in time; nil if FHIR defines none.
    ///
    /// A literal with a time is a moment; seconds without a fraction count as `.0`. A year, month or day covers all of its moments. If one
    /// value contains the other, as 2020 contains March 2020, the result is nil (<https://hl7.org/fhirpath/#comparison>: a difference of
    /// precision gives no answer).
    ///
    /// Offsets count: `10:00+01:00` is before `10:00Z`. Two literals without an offset count as in one zone. If only one has an offset, the
    /// result must hold in every zone from -14:00 to +14:00; otherwise it is nil. A `time` compares only with a `time`. Invalid text from
    /// lenient reading does not compare.
    ///
    /// ```swift
    /// FHIRDate("2020").compare(to: FHIRDate("2021-03"))      // before
    /// FHIRDate("2020").compare(to: FHIRDate("2020-03"))      // nil
    /// ```
    public func compare(to other: some FHIRTemporal) -> FHIRTemporalOrder? {
        guard (Self._type == .time) == (type(of: other)._type == .time), let first = span, let second = other.span else { return nil }
        return first.order(with: second)
    }

    /// Whether the value is before another one; nil if `compare(to:)` is nil.
    public func isBefore(_ other: some FHIRTemporal) -> Bool? { compare(to: other).map { $0 == .before } }

    /// Whether the value is after another one; nil if `compare(to:)` is nil.
    public func isAfter(_ other: some FHIRTemporal) -> Bool? { compare(to: other).map { $0 == .after } }

    /// Whether both are the same moment, or the same year, month or day, whatever their literals; nil if `compare(to:)` is nil.
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

/// Instants sort by time, and instants of one moment by their literals, as `==` compares literals.
///
/// Use `<` to sort, and `compare(to:)` and `isBefore(_:)` to ask which is earlier. Dates and dateTimes have only the latter two, as some
/// pairs, such as 2020 and 2020-03, are unordered.
extension FHIRInstant: Comparable {
    /// Whether the left one is earlier, or the same moment with a literal that sorts first.
    public static func < (left: FHIRInstant, right: FHIRInstant) -> Bool { precedes(left, right) }
}

/// Times are in the order of the day, and equal ones (`10:00:00` and `10:00:00.0`) in the order of their literals, as `==` compares literals.
extension FHIRTime: Comparable {
    /// Whether the left one is earlier, or the same time with a literal that sorts first.
    public static func < (left: FHIRTime, right: FHIRTime) -> Bool { precedes(left, right) }
}

/// The order of two dates or times.
public enum FHIRTemporalOrder: Sendable, Hashable {
    /// The first ends before the second begins.
    case before
    /// Both are the same moment, or the same year, month or day.
    case same
    /// The first begins after the second ends.
    case after
}
