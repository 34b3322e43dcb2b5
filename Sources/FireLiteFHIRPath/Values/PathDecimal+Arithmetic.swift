import Foundation

extension PathDecimal {
    var isZero: Bool { value.isZero }

    func adding(_ other: PathDecimal) -> PathDecimal? { Self.checked(value + other.value, scale: max(scale, other.scale)) }

    func subtracting(_ other: PathDecimal) -> PathDecimal? { Self.checked(value - other.value, scale: max(scale, other.scale)) }

    func multiplied(by other: PathDecimal) -> PathDecimal? {
        guard scale + other.scale <= Self.maximumScale else { return trimmedProduct(other) }
        return Self.checked(value * other.value, scale: scale + other.scale)
    }

    private func trimmedProduct(_ other: PathDecimal) -> PathDecimal? { PathDecimal(shortest: value * other.value) }

    /// The quotient with as many digits as it needs, at most 28 after the point; nil for a divisor of zero.
    func divided(by other: PathDecimal) -> PathDecimal? {
        guard !other.isZero else { return nil }
        let quotient = value / other.value
        guard !quotient.isNaN else { return nil }
        return PathDecimal(shortest: quotient.rounded(Self.quotientScale, .plain))
    }

    private static let quotientScale = 28

    /// The quotient without its fraction; nil for a divisor of zero.
    func wholeQuotient(by other: PathDecimal) -> PathDecimal? {
        guard !other.isZero else { return nil }
        let quotient = value / other.value
        guard !quotient.isNaN else { return nil }
        return PathDecimal(Self.truncated(quotient), scale: 0)
    }

    /// What is left after division, with the sign of the number; nil for a divisor of zero.
    func remainder(by other: PathDecimal) -> PathDecimal? {
        guard let whole = wholeQuotient(by: other) else { return nil }
        return Self.checked(value - whole.value * other.value, scale: max(scale, other.scale))
    }

    var negated: PathDecimal { PathDecimal(-value, scale: scale) }

    /// The number without its fraction.
    static func truncated(_ value: Decimal) -> Decimal { value.rounded(0, value.isSignMinus ? .up : .down) }

    private static func checked(_ value: Decimal, scale: Int) -> PathDecimal? {
        value.isNaN || !value.isFinite ? nil : PathDecimal(value, scale: scale)
    }

    /// Whether both are equal when rounded to the digits of the less precise one; zeros at the end do not count as digits.
    func isEquivalent(to other: PathDecimal) -> Bool {
        let digits = min(Self.neededScale(of: value), Self.neededScale(of: other.value))
        return value.rounded(digits, .plain) == other.value.rounded(digits, .plain)
    }

    // MARK: - Boundaries

    /// The most digits after the point that a boundary has: as many as `Decimal` can hold with the digits before it.
    func isPossible(digits: Int) -> Bool {
        guard 0...Self.maximumDigits ~= digits else { return false }
        let whole = Self.truncated(value.magnitude)
        return digits + (whole.isZero ? 0 : "\(whole)".utf8.count) <= Self.maximumDigits
    }

    /// The least number that rounds to this one at its precision, with that many digits; nil if there cannot be so many.
    func lowBoundary(digits: Int) -> PathDecimal? {
        value.isSignMinus && !isZero ? negated.outer(digits)?.negated.withMinus : inner(digits)
    }

    /// The greatest number that rounds to this one at its precision, with that many digits; nil if there cannot be so many.
    func highBoundary(digits: Int) -> PathDecimal? {
        value.isSignMinus && !isZero ? negated.inner(digits)?.negated.withMinus : outer(digits)
    }

    private var half: Decimal { Decimal(sign: .plus, exponent: -(scale + 1), significand: 5) }

    /// The boundary nearer to zero, cut off after the digits.
    private func inner(_ digits: Int) -> PathDecimal? {
        guard isPossible(digits: digits) else { return nil }
        return Self.checked((value - half).rounded(digits, .down), scale: digits)
    }

    /// The boundary farther from zero, rounded half up at the digits, as the specification's examples are.
    private func outer(_ digits: Int) -> PathDecimal? {
        guard isPossible(digits: digits) else { return nil }
        return Self.checked((value + half).rounded(digits, .plain), scale: digits)
    }
}
