import Foundation

/// A token that the app gets in its own way.
public struct BearerAuthorization: Authorization {
    private let token: @Sendable (_ isRejected: Bool) async throws -> Secret?
    private let keeper = TokenKeeper()

    /// Creates an authorization.
    ///
    /// - Parameter token: returns the token; nil for none. It is called once and its token kept until the server refuses it; then it is
    ///   called with true, once for all requests that were refused.
    public init(_ token: @escaping @Sendable (_ isRejected: Bool) async throws -> Secret?) { self.token = token }

    public func header(for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context) { try await token(false).map { AccessToken($0) } }?.header
    }

    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? {
        let header = try await keeper.token(context, replacing: rejected) { try await token(true).map { AccessToken($0) } }?.header
        return header == rejected ? nil : header
    }
}

extension Authorization where Self == BearerAuthorization {
    /// A token that the app gets in its own way.
    ///
    /// - Parameter token: see ``BearerAuthorization/init(_:)``.
    public static func bearer(_ token: @escaping @Sendable (_ isRejected: Bool) async throws -> Secret?) -> BearerAuthorization {
        BearerAuthorization(token)
    }
}
