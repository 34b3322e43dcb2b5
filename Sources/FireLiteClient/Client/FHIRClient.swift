import Foundation

/// A client of a FHIR server: every interaction of FHIR's REST API, with objects of one release.
///
/// ```swift
/// let client = try FHIRClient(base: server, release: .r4)
/// let patient = try await client.read(Patient.self, id: "1")
/// ```
/// A client may be used by any number of tasks at once. Answers other than successes are thrown as ``FHIRClientError``.
///
/// Its authorization goes to the server's own origin only: redirects and next links that lead elsewhere are followed without it, and
/// content is never sent elsewhere.
public final class FHIRClient: Sendable {
    /// The server's base address.
    public let base: URL
    /// The release of the resources that it sends and returns.
    public let release: FHIRRelease
    /// How it asks for access.
    public let authorization: any Authorization
    /// Its settings.
    public let configuration: Configuration
    /// The transport that sends its requests.
    public let transport: any HTTPTransport
    package let origin: Origin
    /// Which formats the server takes.
    let formats: FormatChoice

    /// Creates a client. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - base: the server's base address, `https://example.org/fhir`.
    ///   - release: the release of its resources.
    ///   - authorization: how it asks for access.
    ///   - configuration: settings.
    ///   - transport: what sends its requests.
    /// - Throws: ``FHIRClientError/Code/notPrivate`` unless the address is HTTPS, on this machine, or in
    ///   ``Configuration/plainHTTPHosts``; ``FHIRClientError/Code/invalidArgument`` if it is no address of a server.
    public init(
        base: URL, release: FHIRRelease, authorization: any Authorization = .none, configuration: Configuration = Configuration(),
        transport: any HTTPTransport = .standard
    ) throws {
        origin = try configuration.checkedOrigin(base)
        guard base.query == nil, base.fragment == nil, base.user == nil, base.password == nil else {
            throw FHIRClientError(.invalidArgument, "the base address of a server has no user, password, query or fragment")
        }
        self.base = base
        self.release = release
        self.authorization = authorization
        self.configuration = configuration
        self.transport = transport
        formats = FormatChoice(configuration.format)
    }

    /// Sends a request as it is and returns the answer, with authorization, repetitions and redirects.
    ///
    /// FHIR's JSON is sent as XML to a server that takes nothing else, and FHIR's XML is returned as JSON unless it is invalid, or the request has an
    /// `Accept` of its own.
    /// - Throws: ``FHIRClientError`` for every status but 200 to 299 and 304; ``AuthorizationError``; `CancellationError`.
    public func send(_ request: FHIRRequest) async throws -> HTTPResponse {
        try await RequestRun(self, request, url: try url(of: request)).send()
    }

    /// Sends a request and returns the answer with its body as it arrives. A body that breaks off is not repeated.
    ///
    /// - Throws: as ``send(_:)``.
    public func stream(_ request: FHIRRequest) async throws -> HTTPStreamedResponse {
        try await RequestRun(self, request, url: try url(of: request)).stream()
    }

    /// The address of a request.
    func url(of request: FHIRRequest) throws -> URL {
        try request.checkPath()
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        if !request.path.isEmpty { text += "/" + request.path }
        if !request.parameters.all.isEmpty { text += "?" + request.parameters.query }
        guard let url = URL(string: text), Origin(url) == origin else {
            throw FHIRClientError(.invalidArgument, "\(request.method): the path of the request is not valid in an address")
        }
        return url
    }
}
