/// A unit of time by its name in FHIRPath: `4 days`.
enum CalendarUnit: String, Sendable, CaseIterable {
    case year, month, week, day, hour, minute, second, millisecond

    /// The unit that a word names, in singular or plural.
    init?(word: String) {
        guard let unit = Self(rawValue: word.hasSuffix("s") ? String(word.dropLast()) : word) else { return nil }
        self = unit
    }

    /// The unit that a UCUM code names where that means the same. `a` and `mo` do not: they are 365.25 and 30.4375 days.
    init?(definiteCode code: String) {
        switch code {
        case "wk": self = .week
        case "d": self = .day
        case "h": self = .hour
        case "min": self = .minute
        case "s": self = .second
        case "ms": self = .millisecond
        default: return nil
        }
    }

    /// The nearest UCUM code.
    var code: String {
        switch self {
        case .year: "a"
        case .month: "mo"
        case .week: "wk"
        case .day: "d"
        case .hour: "h"
        case .minute: "min"
        case .second: "s"
        case .millisecond: "ms"
        }
    }

    /// Whether it is a fixed number of seconds; years and months are not.
    var isDefinite: Bool { self != .year && self != .month }
}
