import FireLiteCore

/// The year, month or day of a date, as the key of a section. Sections are ordered by time; the one without a date comes last.
public struct DateSection: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// How long a section is.
    public enum Unit: Int, Sendable, Hashable {
        /// A year.
        case year = 4
        /// A month of a year.
        case month = 7
        /// A day.
        case day = 10

        var stored: SectionDate.Unit {
            switch self {
            case .year: .year
            case .month: .month
            case .day: .day
            }
        }
    }

    private let date: SectionDate?

    /// The section of a date, by its own clock: `2020-05-17T23:30:00-05:00` is on May 17. A date that is less precise than the unit, such as `2020` among
    /// months, has a section of its own. Nil, a time of day and text that is no date are in the section without a date.
    public init(_ unit: Unit, of value: (some FHIRTemporal)?) { date = value.flatMap { SectionDate($0.literal, unit.stored) } }

    init(_ key: SectionKey) { date = if case .date(let date) = key { date } else { nil } }

    var key: SectionKey { date.map { .date($0) } ?? .absent }

    /// `2020`, `2020-05` or `2020-05-17`; nil without a date.
    public var text: String? { date?.text }

    /// The date, or an empty text.
    public var description: String { text ?? "" }

    /// Whether a section is earlier.
    public static func < (left: DateSection, right: DateSection) -> Bool {
        guard let first = left.text else { return false }
        return right.text.map { first < $0 } ?? true
    }
}
