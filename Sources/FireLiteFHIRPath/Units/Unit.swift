import Foundation

/// A UCUM unit: its dimensions and its size in base units.
struct Unit: Sendable, Hashable {
    /// The exponent of each base unit that has one other than 0. An arbitrary unit, `[iU]` for one, is a base unit of its own.
    var dimensions: [String: Int] = [:]
    /// Its size in base units.
    var factor = UnitFactor.one
    /// What is added to a number before the factor applies, for degrees Celsius and Fahrenheit.
    var offset: Decimal?

    func multiplied(by other: Unit) -> Unit? {
        guard offset == nil, other.offset == nil else { return nil }
        return Unit(
            dimensions: dimensions.merging(other.dimensions, uniquingKeysWith: +).filter { $0.value != 0 },
            factor: factor.multiplied(by: other.factor))
    }

    func raised(to exponent: Int) -> Unit? {
        if exponent == 1 { return self }
        guard offset == nil, abs(exponent) <= Self.maximumExponent else { return nil }
        return Unit(
            dimensions: exponent == 0 ? [:] : dimensions.mapValues { $0 * exponent }, factor: factor.raised(to: exponent))
    }

    /// `10*24` is the largest that is common.
    private static let maximumExponent = 36

    /// Whether one of this unit is more than one of the other, of the same dimensions.
    func isLarger(than other: Unit) -> Bool {
        factor.numerator * other.factor.denominator > other.factor.numerator * factor.denominator
    }

    /// The number in another unit of the same dimensions.
    func convert(_ value: PathDecimal, to other: Unit) -> PathDecimal? {
        let base = value.value + (offset ?? 0)
        let ratio = factor.divided(by: other.factor)
        guard ratio.isUsable, let converted = PathDecimal(shortest: base * ratio.numerator / ratio.denominator - (other.offset ?? 0)) else {
            return nil
        }
        return PathDecimal(converted.value, scale: max(converted.scale, 0))
    }
}
