import FireLiteCore
import Foundation

/// A Swift type of primitives that conditions can test.
public protocol QueryValue: Sendable {
    /// The type to compare values with; accepts literals.
    associatedtype Operand: QueryOperand
}

/// The type that a value at a path can be compared with.
public protocol QueryOperand: Sendable {
    /// The operand in its internal form, for this library only.
    var _operand: QueryOperandValue { get }
}

/// A type whose values can be used as an operand: a `FHIRDate` as a `QueryDate`.
public protocol QueryOperandConvertible: Sendable {
    /// The type of the operand.
    associatedtype Operand: QueryOperand
    /// The value as an operand of conditions.
    var _queryOperand: Operand { get }
}

/// An operand in its internal form, for this library only.
public struct QueryOperandValue: Sendable {
    enum Form: Sendable {
        case plain(SQLValue)
        case date(DateBounds)
    }
    let form: Form
}

extension String: QueryValue, QueryOperand {
    /// The type that conditions compare the value with.
    public typealias Operand = String
    /// The operand in its internal form, for this library only.
    public var _operand: QueryOperandValue { QueryOperandValue(form: .plain(ValueCodec.operand(self))) }
}

extension Bool: QueryValue, QueryOperand {
    /// The type that conditions compare the value with.
    public typealias Operand = Bool
    /// The operand in its internal form, for this library only.
    public var _operand: QueryOperandValue { QueryOperandValue(form: .plain(ValueCodec.operand(self))) }
}

extension Int: QueryValue, QueryOperandConvertible {
    /// The type that conditions compare the value with.
    public typealias Operand = QueryNumber
    /// The value as an operand of conditions.
    public var _queryOperand: QueryNumber { QueryNumber(self) }
}

extension FHIRDecimal: QueryValue, QueryOperandConvertible {
    /// The type that conditions compare the value with.
    public typealias Operand = QueryNumber
    /// The value as an operand of conditions.
    public var _queryOperand: QueryNumber { QueryNumber(self) }
}

extension Double: QueryOperandConvertible {
    /// The value as an operand of conditions.
    public var _queryOperand: QueryNumber { QueryNumber(self) }
}

extension Decimal: QueryOperandConvertible {
    /// The value as an operand of conditions.
    public var _queryOperand: QueryNumber { QueryNumber(FHIRDecimal(self)) }
}

extension FHIRTemporal {
    /// The type that conditions compare the value with.
    public typealias Operand = QueryDate
    /// The value as an operand of conditions.
    public var _queryOperand: QueryDate { QueryDate(self) }
}

extension FHIRDate: QueryValue, QueryOperandConvertible {}
extension FHIRDateTime: QueryValue, QueryOperandConvertible {}
extension FHIRInstant: QueryValue, QueryOperandConvertible {}
extension FHIRTime: QueryValue, QueryOperandConvertible {}

extension Date: QueryOperandConvertible {
    /// The value as an operand of conditions.
    public var _queryOperand: QueryDate { QueryDate(self) }
}

/// A number to compare integers and decimals with. Numbers compare as doubles, whatever their literals: `1.50` equals `1.5`.
public struct QueryNumber: QueryOperand, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    private let value: SQLValue

    /// An integer to compare with.
    public init(_ value: Int) { self.value = ValueCodec.operand(value) }
    /// A number to compare with.
    public init(_ value: Double) { self.value = ValueCodec.operand(value) }
    /// A decimal to compare with, as a double.
    public init(_ value: FHIRDecimal) { self.value = ValueCodec.operand(value) }
    /// The number of a literal.
    public init(integerLiteral value: Int) { self.init(value) }
    /// The number of a literal.
    public init(floatLiteral value: Double) { self.init(value) }

    /// The operand in its internal form, for this library only.
    public var _operand: QueryOperandValue { QueryOperandValue(form: .plain(value)) }
}

/// A date or time to compare dates and times with: a literal of any precision, `"1970"`, `"2020-02-01T10:00:00+01:00"`, or a `Date`.
///
/// It names an interval: `"2020-06"` is the whole of June 2020. A literal without an offset is read as UTC.
public struct QueryDate: QueryOperand, ExpressibleByStringLiteral {
    package let bounds: DateBounds

    /// The interval that the literal of a date, dateTime, instant or time names; nil for other text.
    public init?(_ literal: String) {
        guard let bounds = DateBounds(literal) else { return nil }
        self.bounds = bounds
    }

    /// The interval that a date, dateTime, instant or time names.
    ///
    /// - Precondition: its literal is valid.
    public init(_ value: some FHIRTemporal) {
        guard let bounds = DateBounds(value.literal) else {
            misuse("the literal of this \(type(of: value)) is not a date or time: check it with validate() before using it in a query")
        }
        self.bounds = bounds
    }

    /// A moment, to the nearest millisecond.
    ///
    /// - Precondition: the year is between 1 and 9999, as FHIR requires.
    public init(_ date: Date) { self.init(FHIRInstant(date)) }

    /// - Precondition: the literal is a FHIR date or time.
    public init(stringLiteral literal: String) {
        guard let bounds = DateBounds(literal) else {
            misuse("'\(literal)' is not a FHIR date or time: write a valid literal, or use the failable initializer")
        }
        self.bounds = bounds
    }

    /// The operand in its internal form, for this library only.
    public var _operand: QueryOperandValue { QueryOperandValue(form: .date(bounds)) }
}

/// Dates are ordered by the start of their intervals, and then by the end; `"1970"..."1980"` is a range.
extension QueryDate: Comparable {
    /// Whether both name the same interval.
    public static func == (left: QueryDate, right: QueryDate) -> Bool {
        (left.bounds.lower, left.bounds.upper) == (right.bounds.lower, right.bounds.upper)
    }

    /// Whether the first interval starts earlier, or starts at the same time and ends earlier.
    public static func < (left: QueryDate, right: QueryDate) -> Bool {
        (left.bounds.lower, left.bounds.upper) < (right.bounds.lower, right.bounds.upper)
    }
}
