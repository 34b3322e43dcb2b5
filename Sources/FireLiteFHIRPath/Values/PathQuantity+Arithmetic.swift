extension PathQuantity {
    /// How the values of both quantities relate in one unit; nil if they cannot be compared.
    ///
    /// Years and months by name compare with each other, as do UCUM's, but not one with the other: a month is no fixed number of days.
    private func commonValues(_ other: PathQuantity) -> (PathDecimal, PathDecimal)? {
        if unit == other.unit { return (value, other.value) }
        if let months = months, let others = other.months { return (months, others) }
        if !isDefinite || !other.isDefinite { return nil }
        guard let mine = UnitCache.unit(unit.code), let its = UnitCache.unit(other.unit.code), mine.dimensions == its.dimensions else {
            return nil
        }
        // Into the larger unit, so that the digits of the less precise number count.
        if mine.isLarger(than: its) {
            guard let converted = its.convert(other.value, to: mine) else { return nil }
            return (value, converted)
        }
        guard let converted = mine.convert(value, to: its) else { return nil }
        return (converted, other.value)
    }

    private var isDefinite: Bool {
        if case .calendar(let unit) = unit { return unit.isDefinite }
        return true
    }

    /// The quantity in months, for years and months by name.
    private var months: PathDecimal? {
        switch unit {
        case .calendar(.year): value.multiplied(by: PathDecimal(12))
        case .calendar(.month): value
        default: nil
        }
    }

    /// Whether both are of one dimension, by their units.
    func isComparable(to other: PathQuantity) -> Bool {
        guard let mine = UnitCache.unit(unit.code), let its = UnitCache.unit(other.unit.code) else { return unit == other.unit }
        return mine.dimensions == its.dimensions
    }

    /// Whether both are equal; nil if they cannot be compared.
    func isEqual(to other: PathQuantity) -> Bool? { commonValues(other).map { UnitFactor.areEqual($0.value, $1.value) } }

    /// Whether both are equivalent: years and months by name are then UCUM's `a` and `mo`.
    func isEquivalent(to other: PathQuantity) -> Bool {
        if let (mine, its) = commonValues(other) { return mine.isEquivalent(to: its) }
        let (mine, its) = (
            PathQuantity(value: value, unit: .code(unit.code)), PathQuantity(value: other.value, unit: .code(other.unit.code))
        )
        return mine.commonValues(its).map { $0.isEquivalent(to: $1) } ?? false
    }

    /// Whether it is the smaller one; nil if they cannot be compared.
    func isLess(than other: PathQuantity) -> Bool? {
        commonValues(other).map { !UnitFactor.areEqual($0.value, $1.value) && $0.value < $1.value }
    }

    /// The sum, in the unit of the first; nil if they cannot be added.
    func adding(_ other: PathQuantity, isNegative: Bool) -> PathQuantity? {
        let converted: PathDecimal?
        if unit == other.unit {
            converted = other.value
        } else if let mine = months, let its = other.months {
            guard let sum = isNegative ? mine.subtracting(its) : mine.adding(its) else { return nil }
            return PathQuantity(value: sum, unit: .calendar(.month))
        } else {
            guard isDefinite, other.isDefinite, let mine = UnitCache.unit(unit.code), let its = UnitCache.unit(other.unit.code),
                mine.dimensions == its.dimensions
            else { return nil }
            converted = its.convert(other.value, to: mine)
        }
        guard let converted, let sum = isNegative ? value.subtracting(converted) : value.adding(converted) else { return nil }
        return PathQuantity(value: sum, unit: unit)
    }

    func multiplied(by other: PathQuantity) -> PathQuantity? {
        guard let product = value.multiplied(by: other.value) else { return nil }
        if other.unit.code == "1" { return PathQuantity(value: product, unit: unit) }
        if unit.code == "1" { return PathQuantity(value: product, unit: other.unit) }
        return PathQuantity(value: product, unit: .code("\(unit.code).\(Self.factor(other.unit.code))"))
    }

    func divided(by other: PathQuantity) -> PathQuantity? {
        guard let quotient = value.divided(by: other.value) else { return nil }
        if other.unit.code == "1" { return PathQuantity(value: quotient, unit: unit) }
        if unit == other.unit { return PathQuantity(value: quotient, unit: .code("1")) }
        return PathQuantity(value: quotient, unit: .code("\(unit.code == "1" ? "" : unit.code)/\(Self.factor(other.unit.code))"))
    }

    /// A unit as a factor of a term, between brackets if it is a term itself.
    private static func factor(_ code: String) -> String { code.contains { $0 == "." || $0 == "/" } ? "(\(code))" : code }
}
