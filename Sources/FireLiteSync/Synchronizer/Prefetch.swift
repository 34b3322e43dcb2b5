import Foundation

/// Follows references: after a pull, resources that pulled ones refer to, and that the store lacks, are read by id.
///
/// ```swift
/// configuration.prefetch = Prefetch(depth: 1, types: ["Practitioner", "Organization"])
/// ```
/// Only references to the same server count: relative ones, and those under its base address. Later pulls read them by id again, so they
/// stay up to date. References in sealed resources are not followed, as the list of what is missing is not sealed.
public struct Prefetch: Sendable, Hashable {
    /// The maximum number of references between a pulled resource and one that is read. Default: 1.
    public var depth: Int
    /// The maximum number of resources that a pull asks for; the next pull continues. Default: 10,000.
    public var limit: Int
    /// The types that are read; nil, the default, for all.
    public var types: Set<String>?
    /// How long a resource that the server does not have, or refuses, is not asked for again, even if a new resource refers to it. Default:
    /// a day.
    public var patience: Duration = .seconds(86_400)

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - depth: the maximum number of references between a pulled resource and one that is read.
    ///   - limit: the maximum number of resources that a pull asks for.
    ///   - types: the types that are read; nil for all.
    public init(depth: Int = 1, limit: Int = 10_000, types: Set<String>? = nil) {
        self.depth = depth
        self.limit = limit
        self.types = types
    }
}

/// A referenced resource that the server does not return.
public struct MissingReference: Sendable, Hashable, Codable {
    /// Why the store does not have it.
    public enum Reason: String, Sendable, Codable {
        /// The server does not have it.
        case absent
        /// The server has deleted it.
        case deleted
        /// The server refuses to give it, or answers with something else.
        case refused
    }

    /// The resource's type.
    public let typeName: String
    /// The resource's id.
    public let id: String
    /// Why the store does not have it.
    public let reason: Reason
    /// The status of the server's answer; nil if it was a success with something else.
    public let status: Int?
}

extension Synchronizer {
    /// The referenced resources that the server does not have, or refuses. One is not asked for again until a new resource refers to it and
    /// ``Prefetch/patience`` is over, or ``retryMissingReferences()`` is called.
    ///
    /// - Parameter limit: the maximum number; nil for all.
    /// - Throws: `FHIRStoreError`.
    public func missingReferences(limit: Int? = nil) async throws -> [MissingReference] {
        try await journal { try $0.missingReferences(limit: limit) }
    }

    /// Asks for missing references again with the next pull.
    ///
    /// - Returns: the number of them.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func retryMissingReferences() async throws -> Int { try await journal { try $0.retryMissingReferences() } }
}
