import Foundation

/// What is known about a record apart from its content.
public struct RecordMetadata: Sendable, Hashable {
    /// When it was stored first; nil if that was without records, by a store object that does not follow them.
    public let created: Date?
    /// When its content or its annotations changed last; nil if that is not known.
    public let updated: Date?
    /// Whether it is active, pending or deleted.
    public let status: RecordStatus
    /// When it was deleted; nil for others.
    public let deleted: Date?
}
