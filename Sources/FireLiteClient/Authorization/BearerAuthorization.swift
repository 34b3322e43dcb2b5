import Foundation

/// A token that the app gets in its own way.
public struct BearerAuthorization: Authorization {
    private let token: @Sendable (_ isRejected: Bool) async throws -> Secret?
    private let keeper = TokenKeeper()

    /// Creates an authorization.
    ///
    /// - Parameter token: returns the token; nil for none. It is called once and its token kept until the server refuses it; then it is
    ///   called with true, once for all requests that were refused.
    package init(_ token: @escaping @Sendable (_ isRejected: Bool) async throws -> Secret?) { self.token = token }

    /// The value of the field `Authorization` for a request.
    public func header(for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context) { try await accessToken(isRejected: false) }?.header
    }

    /// A replacement for the value that the server refused; nil if there is none.
    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? {
        let header = try await keeper.token(context, replacing: rejected) { try await accessToken(isRejected: true) }?.header
        return header == rejected ? nil : header
    }

    /// The app's token. One with a line break would begin another header field (RFC 6750, 2.1, has only visible marks).
    private func accessToken(isRejected: Bool) async throws -> AccessToken? {
        guard let secret = try await token(isRejected) else { return nil }
        guard secret.isToken else {
            throw AuthorizationError(
                .invalidArgument, "the token has a line break, a space or another mark that no token has: remove it where it is read")
        }
        return AccessToken(secret)
    }
}

extension Authorization where Self == BearerAuthorization {
    /// A token that the app gets in its own way.
    ///
    /// - Parameter token: returns the token, or nil if there is none. Its argument says whether the server refused the last one.
    public static func bearer(_ token: @escaping @Sendable (_ isRejected: Bool) async throws -> Secret?) -> BearerAuthorization {
        BearerAuthorization(token)
    }
}
