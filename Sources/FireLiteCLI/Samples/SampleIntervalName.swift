import FireLiteSamples

/// The intervals by their names in the tool.
enum SampleIntervalName: String, CaseIterable {
    case hour, day, week, month, whole

    var interval: SampleInterval {
        switch self {
        case .hour: .hour
        case .day: .day
        case .week: .week
        case .month: .month
        case .whole: .whole
        }
    }
}
