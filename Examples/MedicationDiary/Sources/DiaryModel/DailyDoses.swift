import Foundation

/// The number of doses taken on one day.
public struct DailyDoses: Sendable, Hashable, Identifiable {
    /// The beginning of the day.
    public let day: Date
    public let count: Int

    public var id: Date { day }
}
