import FireLiteCore
import Foundation

/// Compares dates in the overlapping form: whether some moment of the stored value's interval compares so.
///
/// `1970` stored and `"1970-06-15"` asked for: `$0.birthDate == …` is false, for not all of 1970 is in that day;
/// `$0.birthDate.overlapping == …` is true, for they have moments in common.
public struct OverlappingDatePath: Sendable {
    let path: QueryPath

    private func compare(_ comparison: Comparison, _ date: QueryDate) -> QueryCondition {
        QueryCondition(.value(path, ValueTest(comparison, date._operand, overlapping: true)))
    }

    /// Whether the intervals have a moment in common.
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
    /// The dates at the path, compared by whether some moment of them fits.
    public var overlapping: OverlappingDatePath { OverlappingDatePath(path: path) }
}

extension QueryValuePath where Value: FHIRTemporal & QueryValue, Value.Operand == QueryDate {
    /// Whether some value at the path is in the range, ends included: `$0.birthDate.in("1970"..."1980")` is in one of the eleven years.
    ///
    /// - Precondition: the lower end begins no later than the upper one.
    public func `in`(_ range: ClosedRange<QueryDate>) -> QueryCondition { between(range.lowerBound, range.upperBound) }

    /// Whether some value at the path is in the range and has ended when its upper end begins: `$0.birthDate.in("1970"..<"1980")`.
    ///
    /// - Precondition: the lower end begins no later than the upper one.
    public func `in`(_ range: Range<QueryDate>) -> QueryCondition { any { $0 >= range.lowerBound && $0 < range.upperBound } }

    /// Whether some value at the path is in the range, ends included.
    public func `in`(_ range: ClosedRange<Date>) -> QueryCondition {
        between(range.lowerBound._queryOperand, range.upperBound._queryOperand)
    }

    /// Whether some value at the path is in the range, its upper end excluded.
    public func `in`(_ range: Range<Date>) -> QueryCondition {
        any { $0 >= range.lowerBound._queryOperand && $0 < range.upperBound._queryOperand }
    }
}
