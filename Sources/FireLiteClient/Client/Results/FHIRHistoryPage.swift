import Foundation

/// A page of a history, the newest version first.
public struct FHIRHistoryPage {
    /// The versions.
    public let entries: [FHIRHistoryEntry]
    /// The number of versions on all pages; nil if the server does not say.
    public let total: Int?
    /// The address of the next page; nil if this is the last one.
    public let next: URL?
    /// When the server answered, by its own clock.
    public let serverTime: Date?
}
