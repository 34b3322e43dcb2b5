import Foundation

/// Conversion of numbers between units of one dimension, for modules above.
package enum UnitConversion {
    /// The number in another UCUM unit; nil if a unit is unknown, or the dimensions differ.
    package static func convert(_ value: Decimal, from code: String, to other: String) -> Decimal? {
        guard let first = UnitCache.unit(code), let second = UnitCache.unit(other), first.dimensions == second.dimensions else {
            return nil
        }
        let ratio = first.factor.divided(by: second.factor)
        guard ratio.isUsable else { return nil }
        let converted = (value + (first.offset ?? 0)) * ratio.numerator / ratio.denominator - (second.offset ?? 0)
        return converted.isNaN ? nil : converted
    }
}
