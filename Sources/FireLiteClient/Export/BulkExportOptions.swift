import Foundation

/// The content of a bulk export (<https://hl7.org/fhir/uv/bulkdata/export.html>).
public struct BulkExportOptions: Sendable, Hashable {
    /// Whose data it is.
    public enum Level: Sendable, Hashable {
        /// Everything of the server.
        case system
        /// The compartments of all patients.
        case patients
        /// The compartments of the members of a group.
        case group(id: String)
    }

    /// Whose data it is.
    public var level: Level
    /// The types of resources; empty for all.
    public var types: [String]
    /// Only what was changed since, and what was deleted; nil for all.
    public var since: FHIRInstant?
    /// Further parameters, such as `_typeFilter`.
    public var parameters: FHIRParameters

    /// Creates options.
    ///
    /// - Parameters:
    ///   - level: whose data it is.
    ///   - types: the types of resources; empty for all.
    ///   - since: only what was changed since; nil for all.
    ///   - parameters: further parameters.
    public init(
        level: Level = .system, types: [String] = [], since: FHIRInstant? = nil, parameters: FHIRParameters = [:]
    ) {
        self.level = level
        self.types = types
        self.since = since
        self.parameters = parameters
    }

    /// The request that starts the export.
    func request() throws -> FHIRRequest {
        let path =
            switch level {
            case .system: "$export"
            case .patients: "Patient/$export"
            case .group(let id): try FHIRRequest.path("Group", id) + "/$export"
            }
        var all = parameters
        if !types.isEmpty { all.append("_type", try types.map(FHIRRequest.checkedType).joined(separator: ",")) }
        if let since { all.append("_since", since.literal) }
        return FHIRRequest(
            .get, path, parameters: all, fields: ["Accept": MediaType.fhirJSON, "Prefer": "respond-async"], isRepeatable: false)
    }
}

/// How far a bulk export is.
public enum BulkExportProgress: Sendable, Hashable {
    /// The server prepares the files. The text is its own words; nil if it has none.
    case preparing(String?)
    /// So many files of all are there, with so many bytes.
    case downloading(files: Int, of: Int, bytes: Int)
}

/// The files of a finished bulk export.
public struct BulkExportResult: Sendable, Hashable {
    /// The content of a file.
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
