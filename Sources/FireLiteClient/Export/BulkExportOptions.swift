import Foundation

/// What a bulk export contains (<https://hl7.org/fhir/uv/bulkdata/export.html>).
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
        return FHIRRequest(.get, path, parameters: all, fields: ["Prefer": "respond-async"], isRepeatable: false)
    }
}
