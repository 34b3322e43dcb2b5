/// The resources and rows that erasing a person removes, and what is left elsewhere.
public struct ErasureReport: Sendable, Hashable {
    /// A number of resources or rows of one kind.
    public struct Count: Sendable, Hashable {
        /// A resource type, or a table of the file.
        public let name: String
        /// The number of resources or rows.
        public let count: Int
    }

    /// Something of the person that is not erased.
    public struct Remainder: Sendable, Hashable {
        /// Its kind.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A resource that also belongs to other persons.
            case shared
            /// A resource that does not belong to the person, but refers to them or to what is erased, or has one of their identifiers.
            case reference
            /// A Device that only erased resources named, and no sample came from: it may be the person's.
            case named
            /// A server that the store was synchronized with, or that requests were sent to.
            case server
            /// Rows of the audit trail, which name resources and have none of their content.
            case audit
            /// App data that cannot be attributed to anybody, its sealed annotations that cannot be opened, files of payloads in a damaged store,
            /// what an earlier erasure listed if the file no longer has that list, and a kind that a later version has noted, in parentheses.
            case unknown
            /// Tables and views of other programs in the file.
            case other
        }

        /// Its kind.
        public let kind: Kind
        /// `Type/id`, an address, a number with its unit, or the name of a table.
        public let what: String
    }

    /// The resources, by type.
    public internal(set) var resources: [Count] = []
    /// The rows of the log of changes and of the history.
    public internal(set) var changes = 0
    /// The rows of other tables: records, annotations that name the person, samples, the outbox, journals of a sync, permissions and app data.
    public internal(set) var rows: [Count] = []
    /// The number of payloads that were deleted, because nothing refers to them any longer; 0 in a plan.
    public internal(set) var payloads = 0
    /// Copies and traces that are not erased.
    public internal(set) var left: [Remainder] = []
    /// Whether this is only a plan, and nothing was erased.
    public internal(set) var isPlan = false

    /// The persons, as `Type/id`, whose earlier erasures were interrupted and are completed by this one: ``left`` includes what those have left.
    public internal(set) var completed: [String] = []

    /// Whether an earlier call had deleted the person, so that the figures are of that call and this one only overwrote the file.
    package internal(set) var isCompletion = false

    /// The number of all resources.
    public var resourceCount: Int { resources.reduce(0) { $0 + $1.count } }
}

/// How a person is erased.
public struct ErasureOptions: Sendable {
    /// Whether resources that belong to other persons too are erased. Default: false; then ``ErasureReport/left`` lists them.
    public var erasesShared = false
    /// Whether the file is rewritten and its log truncated, so that no deleted bytes remain in them. Default: true.
    public var overwrites = true

    /// The defaults.
    public init() {}
}
