import Foundation

/// Follows references: after a pull, the resources that references of what was pulled lead to and that are not in the store are read by their ids.
///
/// ```swift
/// configuration.prefetch = Prefetch(depth: 1, types: ["Practitioner", "Organization"])
/// ```
/// Only references to the same server count: relative ones, and those under its base address. What was read in this way is asked for by id in later
/// pulls, so it stays up to date. References in sealed resources are not followed, as the list of what is missing is not sealed.
public struct Prefetch: Sendable, Hashable {
    /// How many references lead from what was pulled to what is read at most. Default: 1.
    public var depth: Int
    /// How many resources a pull asks for at most; the next one goes on. Default: 10,000.
    public var limit: Int
    /// The types that are read; nil, the default, for all.
    public var types: Set<String>?
    /// How long what the server does not have, or refuses, is not asked for, although something new refers to it. Default: a day.
    public var patience: Duration = .seconds(86_400)

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - depth: how many references lead from what was pulled to what is read at most.
    ///   - limit: how many resources a pull asks for at most.
    ///   - types: the types that are read; nil for all.
    public init(depth: Int = 1, limit: Int = 10_000, types: Set<String>? = nil) {
        self.depth = depth
        self.limit = limit
        self.types = types
    }
}

/// A resource that references lead to and that the server does not give.
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
    /// What references lead to and the server does not have, or refuses. It is not asked for again until something new refers to it and
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
