import Foundation

/// The files of a finished bulk export.
public struct BulkExportResult: Sendable, Hashable {
    /// What a file contains.
    public enum Content: String, Sendable, Hashable, Codable {
        /// Resources.
        case resources = "output"
        /// Bundles of type `transaction` with a `DELETE` for each deleted resource.
        case deletions = "deleted"
        /// OperationOutcomes about what could not be exported.
        case errors = "error"
    }

    /// A file of NDJSON.
    public struct File: Sendable, Hashable {
        /// What it contains.
        public let content: Content
        /// The type of its resources.
        public let typeName: String
        /// Where it is.
        public let url: URL
        /// The number of its resources, as the server says; nil if it does not.
        public let count: Int?
    }

    /// The server's time at which the data was read: the `since` of the next export.
    public let transactionTime: FHIRInstant?
    /// The files, in the server's order.
    public let files: [File]

    /// The files with resources, for `FHIRStore.importResources`.
    public var resourceURLs: [URL] { files.filter { $0.content == .resources }.map(\.url) }
}
