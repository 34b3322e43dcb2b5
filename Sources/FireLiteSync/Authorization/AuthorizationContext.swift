import Foundation

/// The server that access is asked for, and how to reach it.
public struct AuthorizationContext: Sendable {
    /// The server's base address.
    public let base: URL
    /// What sends requests.
    public let transport: any HTTPTransport
    /// The client's settings.
    public let configuration: FHIRClient.Configuration

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - base: the FHIR server's base address.
    ///   - transport: what sends requests.
    ///   - configuration: the settings: addresses without HTTPS, repetitions, timeout, time.
    public init(
        base: URL, transport: any HTTPTransport = .standard,
        configuration: FHIRClient.Configuration = FHIRClient.Configuration()
    ) {
        self.base = base
        self.transport = transport
        self.configuration = configuration
    }

    /// Sends a request to an authorization server and repeats it where that helps. Redirects are not followed: secrets go where they were
    /// meant to go.
    ///
    /// - Parameters:
    ///   - makeRequest: makes the request, a new one each time, as an assertion may be used once only.
    func send(_ makeRequest: () throws -> HTTPRequest) async throws -> HTTPResponse {
        let clock = configuration.clock
        var attempt = 1
        while true {
            try Task.checkCancellation()
            let request = try makeRequest()
            guard let origin = Origin(request.url), configuration.isPrivate(origin) else {
                throw AuthorizationError(.notPrivate, "an address of the authorization server is not HTTPS")
            }
            let canRepeat = attempt < configuration.retry.maximumAttempts
            var wait: Duration?
            do {
                let response = try await transport.send(request)
                guard response.status == 429 || response.status == 503, canRepeat else { return response }
                wait = HTTPDate.retryAfter(response.fields["Retry-After"], now: clock.now())
                guard wait ?? .zero <= configuration.retry.maximumRetryAfter else { return response }
            } catch let error as HTTPTransportError {
                guard error.code == .cannotConnect, canRepeat else {
                    throw AuthorizationError(.noAnswer, "the authorization server: \(error.message)")
                }
            }
            try await clock.sleep(configuration.retry.delay(afterAttempt: attempt, retryAfter: wait, random: clock.random()))
            attempt += 1
        }
    }
}

extension FHIRClient {
    /// How its authorization reaches the server, for signing in and registering.
    public var authorizationContext: AuthorizationContext {
        AuthorizationContext(base: base, transport: transport, configuration: configuration)
    }
}
