import FireLiteCore
import Foundation

/// Units of samples and their conversion. Apple's units (`count/min`, `mmHg`) have UCUM codes; numbers are converted as decimals.
package enum SampleUnits {
    /// The UCUM code of a unit as sources write it. UCUM codes are their own.
    static func code(of unit: String) -> String { codes[unit] ?? unit }

    private static let codes: [String: String] = [
        "count/min": "/min", "beats/min": "/min", "count/s": "/s", "mmHg": "mm[Hg]", "degC": "Cel", "degF": "[degF]", "lb": "[lb_av]",
        "oz": "[oz_av]", "st": "[stone_av]", "in": "[in_i]", "ft": "[ft_i]", "yd": "[yd_i]", "mi": "[mi_i]", "mcg": "ug", "Cal": "kcal",
        "hr": "h", "l": "L", "dl": "dL", "ml": "mL", "fl_oz_us": "[foz_us]", "cup_us": "[cup_us]", "dBASPL": "dB[SPL]",
        "dB(SPL)": "dB[SPL]", "dBHL": "dB", "mmol<180.1558800000541>/L": "mmol/L", "IU": "[iU]", "km/hr": "km/h",
        "mi/hr": "[mi_i]/h", "kcal/hr·kg": "kcal/kg/h", "kcal/hr*kg": "kcal/kg/h", "mL/min·kg": "mL/kg/min", "mL/kg*min": "mL/kg/min",
        "mcV": "uV", "mcS": "uS", "count": "{count}", "m": "m",
    ]

    /// How many of a base unit a unit is; units with the same base can be converted.
    private static let factors: [String: (base: String, factor: String)] = [
        "kg": ("g", "1000"), "g": ("g", "1"), "mg": ("g", "0.001"), "ug": ("g", "0.000001"), "[lb_av]": ("g", "453.59237"),
        "[oz_av]": ("g", "28.349523125"), "[stone_av]": ("g", "6350.29318"),
        "km": ("m", "1000"), "m": ("m", "1"), "cm": ("m", "0.01"), "mm": ("m", "0.001"), "[in_i]": ("m", "0.0254"),
        "[ft_i]": ("m", "0.3048"), "[yd_i]": ("m", "0.9144"), "[mi_i]": ("m", "1609.344"),
        "L": ("L", "1"), "dL": ("L", "0.1"), "mL": ("L", "0.001"), "[foz_us]": ("L", "0.0295735295625"),
        "[cup_us]": ("L", "0.2365882365"),
        "h": ("s", "3600"), "min": ("s", "60"), "s": ("s", "1"), "ms": ("s", "0.001"), "d": ("s", "86400"),
        // The thermochemical calorie, as UCUM and HealthKit have it.
        "kcal": ("J", "4184"), "cal": ("J", "4.184"), "kJ": ("J", "1000"), "J": ("J", "1"),
        "/min": ("/min", "1"), "/s": ("/min", "60"), "m/s": ("m/s", "1"), "km/h": ("m/s", "0.277777777777777777777777777777777778"),
        "[mi_i]/h": ("m/s", "0.44704"), "cm/s": ("m/s", "0.01"), "mV": ("V", "0.001"), "uV": ("V", "0.000001"), "V": ("V", "1"),
        "S": ("S", "1"), "uS": ("S", "0.000001"), "mm[Hg]": ("Pa", "133.322"), "kPa": ("Pa", "1000"), "Pa": ("Pa", "1"),
        // Glucose: 180.1558800000541 g a mole, as HealthKit has it.
        "mg/dL": ("glucose", "1"), "mmol/L": ("glucose", "18.01558800000541"),
    ]

    /// Digits behind the point that a conversion keeps where the result has no end.
    private static let places = 10

    /// A number in another unit; nil if the units have nothing in common.
    ///
    /// It is exact where the result is a decimal number of up to 38 digits, and rounded to 10 places otherwise.
    /// - Parameters:
    ///   - unit: its unit, as the source writes it. HealthKit's `%` is a fraction: 0.97 is 97 %.
    ///   - target: a UCUM code.
    package static func convert(_ number: FHIRDecimal, from unit: String, to target: String) -> FHIRDecimal? {
        let source = code(of: unit)
        if source == "%" && unit == "%" && target == "%" { return shifted(number, by: 2) }
        if source == target { return number }
        // Counts of anything. HealthKit's body mass index is a count too.
        if source.hasPrefix("{"), target.hasPrefix("{") || target == "1" || target == "kg/m2" { return number }
        guard let value = number.decimalValue else { return nil }
        switch (source, target) {
        case ("[degF]", "Cel"): return quotient((value - 32) * 5, 9)
        case ("Cel", "[degF]"): return quotient(value * 9 + 160, 5)
        default: break
        }
        guard let from = factors[source], let to = factors[target], from.base == to.base, let multiplier = decimal(from.factor),
            let divisor = decimal(to.factor)
        else { return nil }
        // Hours and kilometres have no exact factor to metres a second, but to each other they do.
        return quotient(value * multiplier, divisor)
    }

    /// A number as a percentage, and back.
    static func shifted(_ number: FHIRDecimal, by places: Int) -> FHIRDecimal? {
        guard let value = number.decimalValue else { return nil }
        return FHIRDecimal(value * Decimal(sign: .plus, exponent: places, significand: 1))
    }

    private static func decimal(_ text: String) -> Decimal? { Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) }

    private static func quotient(_ value: Decimal, _ divisor: Decimal) -> FHIRDecimal? {
        if divisor == 1 { return FHIRDecimal(value) }
        var result = value / divisor
        if result * divisor != value {
            var rounded = Decimal()
            NSDecimalRound(&rounded, &result, places, .plain)
            result = rounded
        }
        return result.isNaN ? nil : FHIRDecimal(result)
    }
}
