import FireLiteCore
import FireLiteCrypto
import Foundation

/// A user's sign-in under way: open ``url`` in a browser, and hand back the address that the browser is sent to.
///
/// On Apple's systems, `ASWebAuthenticationSession` does both.
public final class AuthorizationSession: Sendable {
    /// The address to open in a browser, never in a view of the app itself (RFC 8252).
    public let url: URL
    private let redirectURL: URL
    private let state: String
    private let verifier: Secret
    private let isOpen = Once(true)
    private let exchange: @Sendable (_ code: Secret, _ verifier: Secret) async throws -> AccessToken

    init(
        _ endpoint: URL, client: OAuthClient, redirectURL: URL, scope: String, base: URL, launch: String?,
        exchange: @escaping @Sendable (_ code: Secret, _ verifier: Secret) async throws -> AccessToken
    ) throws {
        do {
            state = try RandomBytes.make(24).base64URL
            verifier = Secret(try RandomBytes.make(32).base64URL)
        } catch { throw AuthorizationError(.invalidKey, "the system gives no random numbers") }
        self.redirectURL = redirectURL
        self.exchange = exchange
        var parameters: FHIRParameters = [
            "response_type": "code", "client_id": client.id, "redirect_uri": redirectURL.absoluteString, "scope": scope, "state": state,
            "aud": base.absoluteString, "code_challenge_method": "S256",
            "code_challenge": HashAlgorithm.sha256.digest(of: Data(verifier.value.utf8)).base64URL,
        ]
        if let launch { parameters.append("launch", launch) }
        let separator = endpoint.query == nil ? "?" : "&"
        guard let url = URL(string: endpoint.absoluteString + separator + parameters.query) else {
            throw AuthorizationError(.noEndpoint, "the address where users sign in is not valid")
        }
        self.url = url
    }

    /// Completes the sign-in.
    ///
    /// - Parameter redirect: the address that the browser was sent to, with its parameters.
    /// - Returns: the token, with SMART's launch context.
    /// - Throws: ``AuthorizationError/Code/wrongRedirect`` if the address belongs to another session or was handed back before;
    ///   ``AuthorizationError/Code/refused`` if the user or the server refused.
    @discardableResult
    public func finish(_ redirect: URL) async throws -> AccessToken {
        guard let parts = URLComponents(url: redirect, resolvingAgainstBaseURL: true),
            let expected = URLComponents(url: redirectURL, resolvingAgainstBaseURL: true),
            parts.scheme?.lowercased() == expected.scheme?.lowercased(), parts.host?.lowercased() == expected.host?.lowercased(),
            parts.port == expected.port, Self.path(parts) == Self.path(expected)
        else { throw AuthorizationError(.wrongRedirect, "the address is not the one that the session sends browsers to") }
        // In a form, a blank may be a plus.
        func value(_ name: String) -> String? {
            parts.percentEncodedQuery?.split(separator: "&").first { $0.hasPrefix(name + "=") }
                .flatMap { $0.dropFirst(name.count + 1).replacingBytes("+", with: "%20").removingPercentEncoding }
        }
        guard let returned = value("state"), ConstantTime.areEqual(Data(returned.utf8), Data(state.utf8)) else {
            throw AuthorizationError(.wrongRedirect, "the address belongs to another session: somebody may have made it up")
        }
        guard isOpen.take() != nil else {
            throw AuthorizationError(.wrongRedirect, "the session is over: begin another one")
        }
        if let reason = value("error") {
            let word = AuthorizationError.printable(reason)
            throw AuthorizationError(
                .refused, "the sign-in was refused" + (word.map { ": \($0)" } ?? ""), reason: word, detail: value("error_description"))
        }
        guard let code = value("code"), !code.isEmpty else {
            throw AuthorizationError(.wrongRedirect, "the address has no authorization code")
        }
        return try await exchange(Secret(code), verifier)
    }

    private static func path(_ parts: URLComponents) -> String { parts.path.isEmpty ? "/" : parts.path }
}
