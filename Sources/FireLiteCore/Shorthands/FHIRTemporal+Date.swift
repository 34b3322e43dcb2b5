import Foundation

extension FHIRDate {
    /// The day of a moment, as a calendar on a wall in the zone has it.
    ///
    /// - Precondition: between the years 1 and 9999.
    public init(_ date: Date, in zone: TimeZone) { self = .of(date, in: zone, [.year, .month, .day], keepsZone: false) }
}

extension FHIRDateTime {
    /// A moment to the second, with the offset that the zone has then.
    ///
    /// - Precondition: between the years 1 and 9999.
    public init(_ date: Date, in zone: TimeZone) {
        self = .of(date, in: zone, [.year, .month, .day, .hour, .minute, .second], keepsZone: true)
    }
}

extension FHIRInstant {
    /// A moment to the second, with the offset that the zone has then.
    ///
    /// - Precondition: between the years 1 and 9999.
    public init(_ date: Date, in zone: TimeZone) {
        self = .of(date, in: zone, [.year, .month, .day, .hour, .minute, .second], keepsZone: true)
    }
}

extension FHIRTime {
    /// The time of day of a moment, to the second, as a clock in the zone shows it.
    public init(_ date: Date, in zone: TimeZone) { self = .of(date, in: zone, [.hour, .minute, .second], keepsZone: false) }
}

extension FHIRTemporal {
    fileprivate static func of(
        _ date: Date, in zone: TimeZone, _ fields: Set<Foundation.Calendar.Component>, keepsZone: Bool
    ) -> Self {
        // FHIR's offsets are whole minutes; those of local mean times of old are not.
        let seconds = zone.secondsFromGMT(for: date)
        let whole = TimeZone(secondsFromGMT: seconds / 60 * 60) ?? zone
        var calendar = Foundation.Calendar(identifier: .iso8601)
        calendar.timeZone = whole
        var components = calendar.dateComponents(fields, from: date)
        components.timeZone = keepsZone ? whole : nil
        guard let value = Self(components) else {
            misuse("this moment has no FHIR literal: use one between the years 1 and 9999")
        }
        return value
    }
}
