import Foundation

/// How to interpret a search.
public struct SearchOptions: Sendable {
    /// How a search treats parameters that the type does not have, and unknown names in `_type`, `_elements`, `_include` and `_revinclude`.
    public enum Handling: Sendable {
        /// They are ignored, and the result lists them as issues.
        case lenient
        /// They are an error.
        case strict
    }

    /// How a search treats what does not exist. Default: it ignores it.
    public var handling = Handling.lenient
    /// The zone of dates without one, in searches and in the store. Default: the machine's.
    public var timeZone = TimeZone.current
    /// The moment from which `ap` measures how far a date is away. Default: that of the search, by the store's clock.
    public var now: Date?
    /// The number of results of a page if the search has no `_count`. Default: all.
    public var pageSize: Int?
    /// Whether results are counted if the search has no `_total`. Default: true.
    public var countsTotal = true
    /// The maximum number of resources that includes add. Default: 10,000.
    public var maximumIncluded = 10_000
    /// The base address under which resources are known, `https://example.org/fhir`: the links and full URLs of Bundles begin with it.
    /// Default: none, so links are relative, and full URLs are `urn:uuid:` with the resource's pk.
    ///
    /// References under it lead to the store's own resources in this search, as those under `FHIRStore.bases()` always do; not in a restricted
    /// view, where that could show more.
    public var base: String?
    /// Gives the codes of a value set by its URL, for `:in` and `:not-in`, such as those of a terminology; nil for a value set that it does not
    /// know, which is looked for in the store. Default: the store alone.
    public var codesInValueSet: (@Sendable (_ valueSet: String) throws -> [(system: String?, code: String)]?)?
    /// Gives a code and those below it, or those above it, for `:below` and `:above`; nil for a code system that it does not know, which is
    /// looked for in the store. Default: the store alone.
    public var relatedCodes: (@Sendable (_ code: String, _ system: String, _ areBelow: Bool) throws -> [String]?)?

    /// The defaults.
    public init() {}
}
