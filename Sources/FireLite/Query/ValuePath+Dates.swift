import FireLiteCore
import Foundation

/// Compares dates in the overlapping form: whether some moment of the stored value's interval compares so.
///
/// If `1970` is stored, `$0.birthDate == "1970-06-15"` is false, as not all of 1970 is in that day;
/// `$0.birthDate.overlapping == "1970-06-15"` is true, as they overlap.
public struct OverlappingDatePath: Sendable {
    let path: QueryPath

    private func compare(_ comparison: Comparison, _ date: QueryDate) -> QueryCondition {
        QueryCondition(.value(path, ValueTest(comparison, date._operand, overlapping: true)))
    }

    /// Whether the intervals overlap.
    public static func == (path: OverlappingDatePath, date: QueryDate) -> QueryCondition { path.compare(.equal, date) }
    /// Whether some moment of the stored value is before the operand.
    public static func < (path: OverlappingDatePath, date: QueryDate) -> QueryCondition { path.compare(.less, date) }
    /// Whether some moment of the stored value is before the end of the operand.
    public static func <= (path: OverlappingDatePath, date: QueryDate) -> QueryCondition { path.compare(.lessOrEqual, date) }
    /// Whether some moment of the stored value is after the operand.
    public static func > (path: OverlappingDatePath, date: QueryDate) -> QueryCondition { path.compare(.greater, date) }
    /// Whether some moment of the stored value is after the beginning of the operand.
    public static func >= (path: OverlappingDatePath, date: QueryDate) -> QueryCondition { path.compare(.greaterOrEqual, date) }
}

extension QueryValuePath where Value: FHIRTemporal {
    /// The dates at the path, compared in the overlapping form.
    public var overlapping: OverlappingDatePath { OverlappingDatePath(path: path) }
}

extension QueryValuePath where Value: FHIRTemporal & QueryValue, Value.Operand == QueryDate {
    /// Whether some value at the path is in the range, including both ends: `$0.birthDate.in("1970"..."1980")` covers eleven years.
    ///
    /// - Precondition: the lower end begins no later than the upper one.
    public func `in`(_ range: ClosedRange<QueryDate>) -> QueryCondition { between(range.lowerBound, range.upperBound) }

    /// Whether some value at the path is in the range and ends before its upper end begins: `$0.birthDate.in("1970"..<"1980")`.
    ///
    /// - Precondition: the lower end begins no later than the upper one.
    public func `in`(_ range: Range<QueryDate>) -> QueryCondition { any { $0 >= range.lowerBound && $0 < range.upperBound } }

    /// Whether some value at the path is in the range, including both ends.
    public func `in`(_ range: ClosedRange<Date>) -> QueryCondition {
        between(range.lowerBound._queryOperand, range.upperBound._queryOperand)
    }

    /// Whether some value at the path is in the range, excluding its upper end.
    public func `in`(_ range: Range<Date>) -> QueryCondition {
        any { $0 >= range.lowerBound._queryOperand && $0 < range.upperBound._queryOperand }
    }
}
