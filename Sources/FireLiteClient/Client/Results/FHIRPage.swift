import FireLiteCore
import Foundation

/// A page of a search.
public struct FHIRPage<Resource: FHIRResource> {
    /// The resources that match.
    public let matches: [Resource]
    /// Others that the search asked for, by `_include` and `_revinclude`.
    public let included: [FHIRResource]
    /// What the server says about the search.
    public let issues: [OutcomeIssue]
    /// The number of matches on all pages; nil if the server does not say.
    public let total: Int?
    /// The address of the next page; nil if this is the last one.
    public let next: URL?
    /// When the server answered, by its own clock: `meta.lastUpdated` of the Bundle, or the field `Date`.
    public let serverTime: Date?
}
