import Foundation

/// A ratio of two decimals, so that a division that does not end loses nothing until the very last step.
struct UnitFactor: Sendable, Hashable {
    var numerator: Decimal
    var denominator: Decimal

    static let one = UnitFactor(numerator: 1, denominator: 1)

    func multiplied(by other: UnitFactor) -> UnitFactor {
        UnitFactor(numerator: numerator * other.numerator, denominator: denominator * other.denominator)
    }

    func divided(by other: UnitFactor) -> UnitFactor {
        UnitFactor(numerator: numerator * other.denominator, denominator: denominator * other.numerator)
    }

    func raised(to exponent: Int) -> UnitFactor {
        var result = UnitFactor.one
        for _ in 0..<abs(exponent) { result = exponent < 0 ? result.divided(by: self) : result.multiplied(by: self) }
        return result
    }

    var isUsable: Bool { !numerator.isNaN && !denominator.isNaN && !numerator.isZero && !denominator.isZero }

    /// Whether two numbers are equal but for what rounding at the 38th digit can do.
    static func areEqual(_ first: Decimal, _ second: Decimal) -> Bool {
        if first == second { return true }
        let difference = (first - second).magnitude
        let larger = max(first.magnitude, second.magnitude)
        return difference <= larger * Decimal(sign: .plus, exponent: -28, significand: 1)
    }
}
