/// The form in which the rows of a view are written.
public enum ViewFormat: Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a line of column names.
    case csv
    /// JSON, one object a line.
    case ndjson
}
