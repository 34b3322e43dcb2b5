import Foundation

/// How long the intervals of statistics are.
public enum SampleInterval: Sendable, Hashable {
    /// So many minutes each, from the beginning of a day.
    case minutes(Int)
    /// The hours of the clock. The day on which clocks go back has 25.
    case hour
    /// The days of the calendar, of 23, 24 or 25 hours.
    case day
    /// The weeks of the calendar.
    case week
    /// The months of the calendar.
    case month
    /// All in one.
    case whole
}

/// Statistics of one interval. The numbers are in the mapping's unit.
public struct SampleStatistics: Sendable, Hashable {
    /// The beginning of the interval.
    public let start: Date
    /// The end of the interval, which is not a part of it.
    public let end: Date
    /// How many samples began in it.
    public let count: Int
    /// The smallest number; nil without samples.
    public let minimum: Double?
    /// The largest number; nil without samples.
    public let maximum: Double?
    /// The mean of the numbers; nil without samples.
    public let mean: Double?
    /// The sum; nil without samples. Of amounts, such as steps, each moment counts once, by the source with the highest priority; one that lies in
    /// two intervals counts in both by its share of time.
    public let sum: Double?
}

extension SampleType {
    /// Whether its numbers are amounts of a span of time, to be added: steps, distances, energy.
    public var isCumulative: Bool {
        guard kind == .quantity else { return false }
        let name = rawValue.dropFirst("HKQuantityTypeIdentifier".count)
        let beginnings = [
            "StepCount", "Distance", "ActiveEnergy", "BasalEnergy", "Flights", "Dietary", "PushCount", "SwimmingStroke",
            "AppleExerciseTime",
            "AppleMoveTime", "AppleStandTime", "TimeInDaylight", "NumberOf", "InhalerUsage", "InsulinDelivery",
        ]
        return beginnings.contains { name.hasPrefix($0) }
    }
}
