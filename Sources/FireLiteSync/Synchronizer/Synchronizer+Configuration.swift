import Foundation

extension Synchronizer {
    /// Settings of a synchronizer.
    public struct Configuration: Sendable {
        /// How changed resources are sent.
        public enum UpdateFormat: Sendable {
            /// Whole.
            case whole
            /// As a JSON Patch with a test before each operation, if the server's CapabilityStatement offers that; else whole.
            case jsonPatch
            /// As a FHIRPath Patch, if the server's CapabilityStatement offers that; whole if primitives with extensions or contained resources were changed.
            case fhirPathPatch
        }

        /// Who assigns ids to new resources.
        public enum NewIDs: Sendable {
            /// The store: resources are created with PUT.
            case client
            /// The server: resources are created with POST, and get the server's id in the store too, in every reference.
            case server
        }

        /// How changes are sent together.
        public enum Grouping: Sendable {
            /// In transactions if the server's CapabilityStatement offers them, else in batches, else one by one.
            case automatic
            /// In transactions.
            case transactions
            /// In batches.
            case batches
            /// One by one.
            case single
        }

        /// How conflicts are resolved. Default: disjoint changes are merged; the rest is deferred.
        public var conflicts = ConflictPolicy.merge()
        /// How changed resources are sent.
        public var updateFormat = UpdateFormat.whole
        /// Who assigns ids to new resources.
        public var newIDs = NewIDs.client
        /// How changes are sent together.
        public var grouping = Grouping.automatic
        /// Whether each version of a resource is sent instead of only the last one.
        public var sendsEachVersion = false
        /// The maximum number of resources in a Bundle.
        public var maximumBundleCount = 500
        /// The size in bytes of a Bundle; only a single resource, or a cycle of references, can be larger.
        public var maximumBundleSize = 4 << 20
        /// The requested number of resources on a page.
        public var pageSize = 500
        /// How much earlier than the newest known change a pull begins, as servers may make changes visible out of order.
        public var overlap: Duration = .seconds(10)
        /// Whether deletions are pulled, by the histories of the types.
        public var pullsDeletions = true
        /// How resources outside of the scope that pulled ones refer to are read too. Default: nil, they are not.
        public var prefetch: Prefetch?
        /// A folder for the files of a bulk export, which then replaces the first pull of scopes of whole types; nil to search from the
        /// start.
        public var exportFolder: URL?
        /// How long other processes wait for a synchronizer that does not renew its lease, because its process hangs, or ended on another machine. On
        /// the same machine, the lease ends with its process.
        public var leaseDuration: Duration = .seconds(120)
        /// How often a push restarts after a lost answer.
        public var maximumInterruptions = 5
        /// How often a request for one resource may fail with 500 before the resource is parked.
        public var maximumFailures = 5

        /// The standard settings.
        public init() {}
    }
}
