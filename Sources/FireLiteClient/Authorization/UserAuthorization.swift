import Foundation

/// Access in the name of a user: SMART App Launch, which is OAuth's authorization code with PKCE, and refresh.
///
/// ```swift
/// let user = UserAuthorization(
///     OAuthClient(id: "my-app"), redirectURL: redirect, scope: "launch/patient patient/*.rs offline_access",
///     credentials: credentials)
/// let client = try FHIRClient(base: server, release: .r4, authorization: user)
/// let session = try await user.begin(client.authorizationContext)
/// ```
/// Open `session.url` in a browser, and pass the address that the browser is sent to to `session.finish`. From then on requests have
/// access; tokens are refreshed and kept in the credential store, also for the next run of the app.
public struct UserAuthorization: Authorization {
    private let client: OAuthClient
    private let redirectURL: URL
    private let scope: String
    private let credentials: any CredentialStore
    private let name: String
    private let keeper = TokenKeeper()
    private let discovery = Discovery()

    /// Creates an authorization. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: the app.
    ///   - redirectURL: where browsers are sent after signing in, as registered with the server.
    ///   - scope: what the app asks for; with `offline_access` or `online_access`, tokens can be refreshed.
    ///   - credentials: where the tokens are kept.
    ///   - name: the name under which they are kept; the server's address is added to it.
    public init(
        _ client: OAuthClient, redirectURL: URL, scope: String, credentials: any CredentialStore, name: String = "token"
    ) {
        self.client = client
        self.redirectURL = redirectURL
        self.scope = scope
        self.credentials = credentials
        self.name = name
    }

    // MARK: - Signing in and out

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - context: the server: ``FHIRClient/authorizationContext``.
    ///   - launch: the value of the parameter `launch` if a health record system has started the app.
    /// - Throws: ``AuthorizationError/Code/noEndpoint`` if the server does not say where users sign in.
    public func begin(_ context: AuthorizationContext, launch: String? = nil) async throws -> AuthorizationSession {
        let found = try await discovery.configuration(context)
        guard let signIn = found.authorizationEndpoint, let endpoint = found.tokenEndpoint else {
            throw AuthorizationError(.noEndpoint, "the server does not say where users sign in")
        }
        guard let origin = Origin(signIn), context.configuration.isPrivate(origin) else {
            throw AuthorizationError(.notPrivate, "the address where users sign in is not HTTPS")
        }
        if let methods = found.codeChallengeMethods, !methods.contains("S256") {
            throw AuthorizationError(.noEndpoint, "the server does not support PKCE with S256, which protects the sign-in")
        }
        return try AuthorizationSession(
            signIn, client: client, redirectURL: redirectURL, scope: scope, base: context.base, launch: launch
        ) { code, verifier in
            let parameters: FHIRParameters = [
                "grant_type": "authorization_code", "code": code.value, "redirect_uri": redirectURL.absoluteString,
                "code_verifier": verifier.value,
            ]
            let token = try await client.token(endpoint, parameters, context)
            try await credentials.store(token, named: storedName(context))
            await keeper.set(token, for: context.base)
            return token
        }
    }

    /// Forgets the tokens.
    ///
    /// - Parameter context: the server: ``FHIRClient/authorizationContext``.
    /// - Throws: ``AuthorizationError/Code/storage``.
    public func signOut(_ context: AuthorizationContext) async throws {
        await keeper.set(nil, for: context.base)
        try await credentials.setCredential(nil, named: storedName(context))
    }

    /// The present token, with SMART's launch context; nil before the sign-in.
    ///
    /// - Parameter context: the server: ``FHIRClient/authorizationContext``.
    /// - Throws: ``AuthorizationError/Code/storage``.
    public func token(_ context: AuthorizationContext) async throws -> AccessToken? {
        if let token = await keeper.current(context.base) { return token }
        return try await credentials.load(AccessToken.self, named: storedName(context))
    }

    // MARK: - Access

    /// The value of the field `Authorization` for a request.
    public func header(for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context) { try await fetch(context, rejected: nil) }?.header
    }

    /// A replacement for the value that the server refused; nil if there is none.
    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context, replacing: rejected) { try await fetch(context, rejected: rejected) }?.header
    }

    /// The stored token, not the kept one, decides: it is what other processes and signing out change.
    private func fetch(_ context: AuthorizationContext, rejected: String?) async throws -> AccessToken {
        let stored = try await credentials.load(AccessToken.self, named: storedName(context))
        // Another process may have refreshed it meanwhile.
        if let stored, stored.header != rejected, stored.isUsable(at: context.configuration.clock.now()) { return stored }
        guard let old = stored, let refreshToken = old.refreshToken else {
            throw AuthorizationError(.signInRequired, "the user must sign in", remedy: .signIn)
        }
        let endpoint = try await discovery.tokenEndpoint(nil, context)
        let parameters: FHIRParameters = ["grant_type": "refresh_token", "refresh_token": refreshToken.value]
        let answer: AccessToken
        do {
            answer = try await client.token(endpoint, parameters, context)
        } catch let error as AuthorizationError where error.reason == "invalid_grant" {
            try await credentials.setCredential(nil, named: storedName(context))
            throw AuthorizationError(
                .signInRequired, "the server does not refresh the token: the user must sign in again", reason: error.reason,
                status: error.status)
        }
        let token = AccessToken(
            answer.value, expires: answer.expires, scope: answer.scope ?? old.scope, refreshToken: answer.refreshToken ?? refreshToken,
            context: old.context.merging(answer.context) { _, new in new })
        // Stored before it is used: the server may not accept the old refresh token again.
        try await credentials.store(token, named: storedName(context))
        return token
    }

    private func storedName(_ context: AuthorizationContext) -> String { "\(name) \(context.base.absoluteString)" }
}
