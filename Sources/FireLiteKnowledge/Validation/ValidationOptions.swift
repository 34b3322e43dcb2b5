/// What a validator checks in addition to the rules, and its limits.
public struct ValidationOptions: Sendable, Hashable {
    /// Whether recommendations are reported, as warnings: a narrative for each resource, performers of observations. Default: false.
    public var bestPractice = false
    /// Whether absent elements that a profile marks as mustSupport are reported. Default: false.
    public var reportsMustSupport = false
    /// Whether texts that look like HTML are errors, because a careless viewer would show them as HTML. Default: false.
    public var refusesMarkup = false
    /// Whether the profiles in `meta.profile` are applied. Default: true.
    public var followsMetaProfiles = true
    /// The maximum number of steps, about one for each element and each rule of a profile. Default: 20 million.
    public var maximumSteps = 20_000_000
    /// The maximum number of issues that are kept; the rest are counted by one last issue. Default: 10,000.
    public var maximumIssues = 10_000

    /// The defaults.
    public init() {}
}
