import Foundation

/// A FHIR `decimal`: a number that keeps its literal, `1.50` and not 1.5
/// (<https://hl7.org/fhir/datatypes.html#decimal>: the precision of a decimal is significant).
///
/// `==` compares the literals; `<` compares the numbers, and literals of the same number by their length.
public struct FHIRDecimal: Sendable, Hashable {
    package let storage: _PackedLiteral

    package init(storage: _PackedLiteral) { self.storage = storage }

    /// The decimal with this literal, or nil if it is not a JSON number.
    public init?(_ literal: String) {
        var literal = literal
        let packed: _PackedLiteral? = literal.withUTF8 { bytes in
            guard JSONNumber.isNumber(bytes) else { return nil }
            return DecimalWord(bytes).map { .word($0.raw) } ?? .text(String(decoding: bytes, as: UTF8.self))
        }
        guard let packed else { return nil }
        storage = packed
    }

    /// The decimal with the shortest literal that reads back as `value`.
    ///
    /// - Precondition: `value` is finite.
    public init(_ value: Double) {
        misuse(unless: value.isFinite, "a FHIR decimal cannot be infinite or NaN: check the Double before converting it to a FHIRDecimal")
        if value == 0 {
            storage = .word(0)
        } else if let word = DecimalWord(shortest: value) {
            storage = .word(word.raw)
        } else {
            var literal = "\(value)"
            storage = literal.withUTF8 { DecimalWord($0).map { .word($0.raw) } } ?? .text(literal)
        }
    }

    /// The decimal with the literal of `value`, with all digits.
    ///
    /// - Precondition: `value` is a number.
    public init(_ value: Decimal) {
        guard let decimal = FHIRDecimal("\(value)") else {
            misuse("a FHIR decimal has no NaN: check the Decimal before making a FHIRDecimal of it")
        }
        self = decimal
    }

    /// The decimal with the literal of `value`.
    public init(_ value: Int) {
        var literal = "\(value)"
        storage = literal.withUTF8 { DecimalWord($0).map { .word($0.raw) } } ?? .text(literal)
    }

    /// The number's text in JSON.
    public var literal: String {
        switch storage {
        case .word(let raw):
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
                let length = DecimalWord(raw: raw).write(to: buffer.baseAddress.unsafelyUnwrapped)
                return String(decoding: buffer[..<length], as: UTF8.self)
            }
        case .text(let text): text
        }
    }

    /// The nearest `Double`; infinite if the literal is beyond its range.
    public var doubleValue: Double {
        switch storage {
        case .word(let raw):
            let word = DecimalWord(raw: raw)
            return word.mantissa.magnitude <= UInt64(DecimalWord.exactDigits) ? word.doubleValue : Double(literal) ?? 0
        case .text(let text): return Double(text) ?? 0
        }
    }

    /// The number as Foundation's `Decimal`, exact up to 38 digits and rounded beyond them; nil beyond its range.
    public var decimalValue: Decimal? {
        switch storage {
        case .word(let raw):
            let word = DecimalWord(raw: raw)
            return Decimal(sign: raw < 0 ? .minus : .plus, exponent: -word.scale, significand: Decimal(word.mantissa.magnitude))
        case .text(let text): return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        }
    }
}

/// `let dose: FHIRDecimal = "1.50"` keeps the literal. Swift reads `1.50` as the double 1.5, so as a number it becomes `1.5`.
extension FHIRDecimal: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The decimal with this literal.
    ///
    /// - Precondition: it is a JSON number.
    public init(stringLiteral literal: String) {
        guard let value = Self(literal) else {
            misuse("'\(literal)' is no FHIR decimal: write a JSON number, or use the failable initializer with a variable")
        }
        self = value
    }

    /// The decimal with the shortest literal that reads back as the same double: `1.5` for `1.50`.
    public init(floatLiteral value: Double) { self.init(value) }

    /// The decimal with this literal.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension FHIRDecimal: Comparable {
    /// Whether the left number is smaller, or equal with a shorter literal.
    public static func < (left: FHIRDecimal, right: FHIRDecimal) -> Bool {
        if let first = left.decimalValue, let second = right.decimalValue, first != second { return first < second }
        let first = left.doubleValue
        let second = right.doubleValue
        if first != second { return first < second }
        let (firstLiteral, secondLiteral) = (left.literal, right.literal)
        return (firstLiteral.utf8.count, firstLiteral) < (secondLiteral.utf8.count, secondLiteral)
    }
}

extension FHIRDecimal: CustomStringConvertible {
    /// The literal.
    public var description: String { literal }
}
