import Foundation

/// The server that access is asked for, and how to reach it.
public struct AuthorizationContext: Sendable {
    /// The server's base address.
    public let base: URL
    /// The transport that sends requests.
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
        return try await configuration.retry.retrying(by: clock) {
            let request = try makeRequest()
            guard let origin = Origin(request.url), configuration.isPrivate(origin) else {
                throw AuthorizationError(.notPrivate, "an address of the authorization server is not HTTPS")
            }
            do {
                let response = try await transport.send(request)
                guard RetryPolicy.mayRepeat(response.status, isRepeatable: false) else { return .done(response) }
                return .failed(.success(response), retryAfter: HTTPDate.retryAfter(response.fields["Retry-After"], now: clock.now()))
            } catch let error as HTTPTransportError {
                let failure = AuthorizationError(.noAnswer, "the authorization server: \(error.message)")
                guard RetryPolicy.mayRepeat(error, isRepeatable: false) else { throw failure }
                return .failed(.failure(failure), retryAfter: nil)
            }
        }
    }
}

extension FHIRClient {
    /// How its authorization reaches the server, for signing in and registering.
    public var authorizationContext: AuthorizationContext {
        AuthorizationContext(base: base, transport: transport, configuration: configuration)
    }
}
