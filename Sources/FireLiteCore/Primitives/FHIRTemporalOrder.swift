/// How two dates or times lie in time.
public enum FHIRTemporalOrder: Sendable, Hashable {
    /// The first ends before the second begins.
    case before
    /// Both are the same moment, or the same year, month or day.
    case same
    /// The first begins after the second ends.
    case after
}
