import FireLiteCore
import Foundation

/// A decimal with the number of digits after its point: `1.50` is the number 1.5 with two digits.
///
/// Arithmetic is exact as far as Foundation's `Decimal` goes, 38 digits.
package struct PathDecimal: Sendable {
    /// The number.
    let value: Decimal
    /// The digits after the point that the literal has, or that the result of an operation keeps.
    let scale: Int
    /// Whether a zero is written with a minus, as the lower boundary of a small negative number is.
    private(set) var isNegativeZero = false

    init(_ value: Decimal, scale: Int) {
        self.value = value
        self.scale = scale
    }

    /// An integer.
    init(_ value: Int64) {
        self.value = Decimal(value)
        scale = 0
    }

    /// The number with as many digits as it needs; nil if it is not a number.
    init?(shortest value: Decimal) {
        guard !value.isNaN, value.isFinite else { return nil }
        self.value = value
        scale = Self.neededScale(of: value)
    }

    /// The number of a literal, without an exponent or with one; nil if it is not a number or needs more than 38 digits.
    init?(_ literal: String) {
        var digits = 0
        var scale = 0
        var isAfterPoint = false
        var isLeading = true
        var bytes = Array(literal.utf8)[...]
        if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
        guard Lexer.isDigit(bytes.first) else { return nil }
        var exponent = 0
        let exponents = -99...99
        while let byte = bytes.popFirst() {
            if Lexer.isDigit(byte) {
                if byte != UInt8(ascii: "0") { isLeading = false }
                if !isLeading { digits += 1 }
                if isAfterPoint { scale += 1 }
            } else if byte == UInt8(ascii: "."), !isAfterPoint, Lexer.isDigit(bytes.first) {
                isAfterPoint = true
            } else if byte | 0x20 == UInt8(ascii: "e"), let value = Int(String(decoding: bytes, as: UTF8.self)),
                exponents.contains(value)
            {
                exponent = value
                break
            } else {
                return nil
            }
        }
        guard digits <= Self.maximumDigits, scale <= Self.maximumScale else { return nil }
        let text = literal.hasPrefix("+") ? String(literal.dropFirst()) : literal
        guard let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !value.isNaN else { return nil }
        self.value = value
        self.scale = max(0, scale - exponent)
    }

    /// The number of a primitive's slot; nil beyond the range.
    init?(fhir decimal: FHIRDecimal) {
        if case .word(let raw) = decimal.storage {
            let word = DecimalWord(raw: raw)
            let magnitude = Decimal(word.mantissa.magnitude)
            value = Decimal(sign: raw < 0 ? .minus : .plus, exponent: -word.scale, significand: magnitude)
            scale = word.scale
        } else if let exact = PathDecimal(decimal.literal) {
            self = exact
        } else {
            guard let value = decimal.decimalValue, let decimal = PathDecimal(shortest: value) else { return nil }
            self = decimal
        }
    }

    static let maximumDigits = 38
    /// `Decimal` has exponents down to -127; products of two numbers must fit.
    static let maximumScale = 60

    /// The digits after the point without zeros at the end.
    static func neededScale(of value: Decimal) -> Int {
        var significand = value.significand
        var exponent = value.exponent
        guard exponent < 0, !value.isZero else { return 0 }
        let ten = Decimal(10)
        while exponent < 0 {
            let next = significand / ten
            guard next.rounded(0, .down) == next else { break }
            significand = next
            exponent += 1
        }
        return -exponent
    }

    /// The number without zeros at the end.
    var trimmed: PathDecimal { PathDecimal(value, scale: Self.neededScale(of: value)) }

    /// Whether there is nothing after the point but zeros.
    var isWhole: Bool { value.rounded(0, .down) == value }

    /// The number with a minus, also before a zero.
    var withMinus: PathDecimal {
        var result = self
        result.isNegativeZero = value.isZero
        return result
    }

    /// The integer, if it is one of 64 bits.
    var integer: Int64? {
        guard isWhole, value <= Decimal(Int64.max), value >= Decimal(Int64.min) else { return nil }
        return Int64("\(value)")
    }

    /// The number with all its digits, `1.50`.
    package var text: String {
        var text = "\(value.rounded(scale, .plain))"
        if isNegativeZero { text = "-" + text }
        guard scale > 0 else { return text }
        let point = text.utf8.firstIndex(of: UInt8(ascii: "."))
        let digits = point.map { text.utf8.distance(from: $0, to: text.utf8.endIndex) - 1 } ?? 0
        if point == nil { text += "." }
        text += String(repeating: "0", count: max(0, scale - digits))
        return text
    }
}

extension PathDecimal: Hashable {
    /// Whether both are the same literal; `value` compares numbers.
    package static func == (left: PathDecimal, right: PathDecimal) -> Bool { left.value == right.value && left.scale == right.scale }

    /// Hashes the number.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Decimal {
    private static let exponents = -128...127

    /// The product; NaN beyond the range. Foundation's operator, which this one replaces in the module, ends the process there on Linux.
    static func * (left: Decimal, right: Decimal) -> Decimal {
        guard exponents.contains(left.exponent + right.exponent) else { return .nan }
        var (left, right, product) = (left, right, Decimal())
        return NSDecimalMultiply(&product, &left, &right, .plain) == .overflow ? .nan : product
    }

    /// The number rounded to that many digits after the point.
    func rounded(_ scale: Int, _ mode: RoundingMode) -> Decimal {
        var source = self
        var result = Decimal()
        NSDecimalRound(&result, &source, scale, mode)
        return result
    }
}
