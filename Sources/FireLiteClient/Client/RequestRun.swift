import Foundation

/// One request on its way: with authorization, redirects and repetitions, until there is an answer or no more hope.
struct RequestRun {
    let client: FHIRClient
    let request: FHIRRequest
    let url: URL
    /// Tells the server's log and ours which request it was.
    let id = UUID().uuidString.lowercased()
    /// Whether the request is sent without authorization, even to the server's origin.
    var isAnonymous = false

    private var configuration: FHIRClient.Configuration { client.configuration }
    private var clock: FHIRClock { configuration.clock }

    init(_ client: FHIRClient, _ request: FHIRRequest, url: URL) {
        self.client = client
        self.request = request
        self.url = url
    }

    func send() async throws -> HTTPResponse {
        try await run(until: configuration.deadline) {
            try await client.transport.send($0)
        } reading: {
            $0
        }
    }

    func stream() async throws -> HTTPStreamedResponse {
        // A body of any length may come, as long as it makes progress.
        try await run(until: nil) {
            try await client.transport.stream($0)
        } reading: { answer in
            // Only what went wrong is read here, to say why.
            let body = try await answer.body.collected(upTo: 1 << 20)
            return HTTPResponse(answer.status, fields: answer.fields, body: body)
        }
    }

    // MARK: - Repetitions

    private func run<Answer: HTTPAnswer>(
        until deadline: Duration?, _ exchange: (HTTPRequest) async throws -> Answer, reading: (Answer) async throws -> HTTPResponse
    ) async throws -> Answer {
        var header = isAnonymous ? nil : try await client.authorization.header(for: client.authorizationContext)
        var hasReplacedHeader = false
        let start = clock.now()
        return try await configuration.retry.retrying(by: clock, .limited(deadline)) {
            while true {
                let begin = clock.now()
                let remaining = deadline.map { $0 - .seconds(begin.timeIntervalSince(start)) }
                do {
                    let answer = try await follow(header, remaining, exchange)
                    if 200..<300 ~= answer.status || answer.status == 304 { return .done(answer) }
                    if answer.status == 401, let rejected = header, !hasReplacedHeader,
                        let replacement = try await client.authorization.header(replacing: rejected, for: client.authorizationContext)
                    {
                        // A new token is no repetition: the server has refused before it did anything.
                        header = replacement
                        hasReplacedHeader = true
                        try Task.checkCancellation()
                        continue
                    }
                    let response = try await reading(answer)
                    let requestID = response.fields["X-Request-Id"] ?? response.fields["X-Correlation-Id"] ?? id
                    let failure = FHIRClientError(request, response, requestID: Self.printable(requestID), now: clock.now())
                    guard RetryPolicy.mayRepeat(response.status, isRepeatable: request.isRepeatable) else { throw failure }
                    return .failed(.failure(failure), retryAfter: failure.retryAfter)
                } catch let error as HTTPTransportError {
                    let failure = FHIRClientError(request, error)
                    guard RetryPolicy.mayRepeat(error, isRepeatable: request.isRepeatable) else { throw failure }
                    let isSilence = error.code == .timedOut || .seconds(clock.now().timeIntervalSince(begin)) >= configuration.timeout
                    return .failed(.failure(failure), retryAfter: nil, isSilence: isSilence)
                }
            }
        }
    }

    /// A request id as it may be shown: what is longer or has other marks could be anything.
    private static func printable(_ id: String) -> String? {
        let isPlain =
            1...128 ~= id.utf8.count
            && id.utf8.allSatisfy { 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || "-._:/".utf8.contains($0) }
        return isPlain ? id : nil
    }

    // MARK: - Redirects

    private func follow<Answer: HTTPAnswer>(
        _ header: String?, _ remaining: Duration?, _ exchange: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        var url = url
        for _ in 0...configuration.maximumRedirects {
            let answer = try await exchange(httpRequest(url, header, remaining))
            guard [301, 302, 303, 307, 308].contains(answer.status) else { return answer }
            guard let location = answer.fields["Location"], let next = URL(string: location, relativeTo: url)?.absoluteURL,
                let target = Origin(next)
            else { throw redirected("without an address") }
            guard configuration.isPrivate(target), target.scheme == "https" || Origin(url)?.scheme == "http" else {
                throw redirected("to an address that is not HTTPS")
            }
            if request.method != .get, request.method != .head {
                guard answer.status == 307 || answer.status == 308 else {
                    throw redirected("after a request that is not repeated elsewhere")
                }
                guard target == client.origin else { throw redirected("to another server, which must not get the content") }
            }
            url = next
        }
        throw redirected("more than \(configuration.maximumRedirects) times")
    }

    private func redirected(_ how: String) -> FHIRClientError {
        FHIRClientError(.redirected, "\(request): the server redirects \(how)", requestID: id)
    }

    /// The request for an address. What identifies the user, and what the app adds, stays with the server's own origin.
    private func httpRequest(_ url: URL, _ header: String?, _ remaining: Duration?) -> HTTPRequest {
        var fields: HTTPFields = ["Accept": client.release.facts.json]
        if Origin(url) == client.origin {
            for field in configuration.fields.all { fields[field.name] = field.value }
            fields["X-Request-Id"] = id
            fields["Authorization"] = header
        }
        for field in request.fields.all { fields[field.name] = field.value }
        return configuration.request(request.method, url, fields: fields, body: request.body, remaining: remaining)
    }
}

/// What an answer has before its body.
protocol HTTPAnswer: Sendable {
    var status: Int { get }
    var fields: HTTPFields { get }
}

extension HTTPResponse: HTTPAnswer {}
extension HTTPStreamedResponse: HTTPAnswer {}
