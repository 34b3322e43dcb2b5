import FireLiteClient
import FireLiteFHIRPath
import Foundation

extension FHIRService {
    /// How a service answers.
    public struct Configuration: Sendable {
        /// The address under which clients reach it, `https://example.org/fhir`. A slash at its end is ignored. Default:
        /// `http://localhost/fhir`.
        public var base = "http://localhost/fhir"
        /// Its name in `metadata`. Default: `FireLite`.
        public var name = "FireLite"
        /// Whether it refuses everything that would change the store. Default: false.
        public var isReadOnly = false
        /// Decides what a request may do by its token. Default: nil, which lets everybody do everything; use that only for tests,
        /// previews and your own machine.
        public var authorizer: (any ServiceAuthorizer)?
        /// Fetches the files that `$import` names, and sends notifications to hooks. Default: nil, which means neither of the two.
        public var transport: (any HTTPTransport)?
        /// The origins from which `$import` fetches files, `https://example.org`. Default: none, so there is no `$import`.
        public var importOrigins: Set<String> = []
        /// The topics that clients can subscribe to, besides those that the store has as resources. Default: none.
        public var topics: [ServiceTopic] = []
        /// The origins to whose addresses notifications are sent, `https://example.org`, by ``transport``. Default: none, so clients read notifications
        /// as a stream.
        public var hookOrigins: Set<String> = []
        /// How often a notification is sent that is not accepted, before its subscription is in error. Default: 8 times, with waits of up to 5 minutes.
        public var hookRetries: RetryPolicy = {
            var policy = RetryPolicy(maximumAttempts: 8, firstDelay: .seconds(2), maximumDelay: .seconds(300))
            policy.maximumTimeouts = 8
            return policy
        }()
        /// The folder for the jobs of `$export` and `$import`. The first job creates it, with mode 0700. Default: nil, which means
        /// neither of the two.
        public var workFolder: URL?
        /// Whether content must pass `validate()` to be stored; otherwise the release's classes need only be able to hold it. Default:
        /// true.
        public var validates = true
        /// Checks content further for `$validate`, by profiles; nil for no further checks. Default: nil.
        public var validator: (any ContentValidator)?
        /// Whether content is also stored only if ``validator`` finds no error in it, and nothing undecided that it does not accept. Default: false.
        public var storesOnlyConforming = false
        /// Operations from outside, such as those of a terminology. Default: none.
        public var operations: [RegisteredOperation] = []
        /// The JSON of a TerminologyCapabilities for `metadata?mode=terminology`, without what names the server; nil for 501. Default: nil.
        public var terminologyCapabilities: Data?
        /// Gives the codes of a value set for `:in` and `:not-in`, as `SearchOptions.codesInValueSet`. Default: the store's definitions alone.
        public var codesInValueSet: (@Sendable (_ valueSet: String) throws -> [(system: String?, code: String)]?)?
        /// Gives the codes below or above a code for `:below` and `:above`, as `SearchOptions.relatedCodes`. Default: the store's definitions alone.
        public var relatedCodes: (@Sendable (_ code: String, _ system: String, _ areBelow: Bool) throws -> [String]?)?
        /// What `memberOf`, `subsumes` and `%terminologies` in the expressions of views ask. Default: none, with which they are errors.
        public var terminology: (any FHIRPathTerminology & Sendable)?
        /// The number of resources that a conditional deletion may delete; 1 refuses conditions that several resources meet. Default: 1.
        public var conditionalDeletions = 1
        /// Canonical URLs of implementation guides that the server claims to support, for `metadata`. Default: none.
        public var implementationGuides: [String] = []
        /// Canonical addresses of capability statements that the server's owner says it implements, for `metadata`. Default: none.
        public var instantiates: [String] = []
        /// Canonical addresses of the profiles that the server's owner says it supports, by resource type, for `metadata`. Default: none.
        public var supportedProfiles: [String: [String]] = [:]
        /// The limits of requests.
        public var limits = Limits()
        /// The time zone of dates without a time zone in searches. Default: the machine's.
        public var timeZone = TimeZone.current
        /// The source of time. Default: the system's.
        public var clock = FHIRClock.system
        /// Gives the ids of new resources, for tests whose ids are the same each time; nil for random UUIDs. Ids that are in use or no ids of FHIR are
        /// skipped. Default: nil.
        public var makeID: (@Sendable () -> String)?

        /// The default configuration.
        public init() {}
    }

    /// The limits of requests. A request beyond one is refused with an OperationOutcome; pages are shortened instead.
    public struct Limits: Sendable {
        /// The longest target of a request, in bytes. Default: 16,384.
        public var targetBytes = 16_384
        /// The longest body of a request, in bytes. Default: 128 MiB.
        public var bodyBytes = 128 << 20
        /// The longest answer, in bytes of the JSON of resources: to a search, a history, or a batch or transaction with all its entries. Entries of a
        /// batch that read beyond it are refused, and those that write have no resource in the answer. Default: 64 MiB.
        public var answerBytes = 64 << 20
        /// The maximum number of entries in a batch or transaction. Default: 100,000.
        public var entries = 100_000
        /// The longest time for the work of one request, such as a search, a transaction or an operation. It is undone and refused then, with status 503
        /// and the issue `timeout`. Jobs of bulk data and streams of events may take longer. Default: 2 minutes.
        public var time = Duration.seconds(120)
        /// The number of results on a page if the request does not say. Default: 50.
        public var pageSize = 50
        /// The maximum number of results on a page. Default: 1,000.
        public var maximumPageSize = 1_000
        /// The maximum number of resources that `_include`, `_revinclude` and `$everything` add. Default: 10,000.
        public var included = 10_000
        /// The maximum number of exports and imports that run at the same time. Default: 2.
        public var jobs = 2
        /// The maximum number of subscriptions. Default: 1,000.
        public var subscriptions = 1_000
        /// The number of events that are kept of each subscription. A hook that is further behind is switched off. Default: 10,000.
        public var subscriptionEvents = 10_000
        /// The maximum number of streams of events that are open at the same time. Default: 64.
        public var eventStreams = 64

        /// The default limits.
        public init() {}
    }
}
