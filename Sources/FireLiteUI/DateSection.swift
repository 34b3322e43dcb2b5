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
    }

    /// `2020`, `2020-05` or `2020-05-17`, as the value states it in its own offset; shorter if the value is less precise; nil without a
    /// date.
    public let text: String?

    /// The section of a date; nil and values without a year are in a section of their own.
    public init(_ unit: Unit, of value: (some FHIRTemporal)?) {
        guard let value, value.year != nil else {
            text = nil
            return
        }
        text = String(value.literal.prefix(unit.rawValue))
    }

    /// The date, or an empty text.
    public var description: String { text ?? "" }

    /// Whether a section is earlier.
    public static func < (left: DateSection, right: DateSection) -> Bool {
        guard let first = left.text else { return false }
        return right.text.map { first < $0 } ?? true
    }
}
