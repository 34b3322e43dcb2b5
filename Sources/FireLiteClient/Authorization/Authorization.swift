import Foundation

/// How a client gets access to a server.
///
/// The ready-made ones are ``NoAuthorization``, ``BearerAuthorization``, ``ClientCredentialsAuthorization``,
/// ``RegisteredClientAuthorization`` and ``UserAuthorization``.
public protocol Authorization: Sendable {
    /// The value of the field `Authorization`; nil to send none.
    ///
    /// - Parameter context: the server and how to reach it.
    /// - Throws: ``AuthorizationError``; `CancellationError`.
    func header(for context: AuthorizationContext) async throws -> String?

    /// A replacement for a value that the server refused with 401; nil if there is none.
    ///
    /// - Parameters:
    ///   - rejected: the refused value.
    ///   - context: the server and how to reach it.
    /// - Throws: ``AuthorizationError``; `CancellationError`.
    func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String?
}

/// No authorization, for open servers.
public struct NoAuthorization: Authorization {
    /// No authorization.
    package init() {}

    /// Nil.
    public func header(for context: AuthorizationContext) async throws -> String? { nil }

    /// Nil.
    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? { nil }
}

extension Authorization where Self == NoAuthorization {
    /// No authorization, for open servers.
    public static var none: NoAuthorization { NoAuthorization() }
}
