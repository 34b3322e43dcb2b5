import FireLiteCore
import FireLiteXML
import Foundation

/// One request with authorization, redirects and retries, until it is answered or retries are exhausted.
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
        let response = try await run(until: configuration.deadline) {
            try await client.transport.send($0)
        } reading: {
            $0
        }
        return request.fields["Accept"] == nil ? try client.readable(response, request) : response
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
        let known = client.formats.formats
        var formats = known
        var content = try client.content(of: request, in: formats.sent)
        let start = clock.now()
        return try await configuration.retry.retrying(by: clock, .limited(deadline)) {
            while true {
                let begin = clock.now()
                let remaining = deadline.map { $0 - .seconds(begin.timeIntervalSince(start)) }
                do {
                    let answer = try await follow(
                        Head(authorization: header, formats: formats, content: content), remaining, exchange)
                    if formats != known, answer.status != 406, answer.status != 415 { client.formats.keep(formats) }
                    if 200..<300 ~= answer.status || answer.status == 304 { return .done(answer) }
                    if formats == known, let other = formats.tried(after: answer.status, to: request),
                        let changed = try otherContent(other, answer.status)
                    {
                        // The server has refused the format before it did anything, or the request may be repeated.
                        (formats, content) = (other, changed)
                        try Task.checkCancellation()
                        continue
                    }
                    if answer.status == 401, let rejected = header, !hasReplacedHeader,
                        let replacement = try await client.authorization.header(replacing: rejected, for: client.authorizationContext)
                    {
                        // A new token is no repetition: the server has refused before it did anything.
                        header = replacement
                        hasReplacedHeader = true
                        try Task.checkCancellation()
                        continue
                    }
                    let response = try client.readable(try await reading(answer), request)
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

    /// The content in another format than the one that was refused, nil inside if it is sent as it is; nil if that cannot be tried.
    ///
    /// - Throws: `FHIRClientError.rejected` if the system has no libxml2.
    private func otherContent(_ formats: FormatChoice.Formats, _ status: Int) throws -> (body: Data, mediaType: String)?? {
        do { _ = try XMLLibrary.system() } catch {
            throw FHIRClientError(
                .rejected, "\(request): \(status), the server does not take or return JSON, and \(error.message)", status: status)
        }
        // What is not FHIR has no other format.
        if status == 415, request.fields["Content-Type"].map({ MediaType($0).isFHIRJSON }) != true { return nil }
        do { return .some(try client.content(of: request, in: formats.sent)) } catch is FHIRClientError { return nil }
    }

    /// A request id as it may be shown: what is longer or has other marks could be anything.
    private static func printable(_ id: String) -> String? {
        let isPlain =
            1...128 ~= id.utf8.count
            && id.utf8.allSatisfy { 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || "-._:/".utf8.contains($0) }
        return isPlain ? id : nil
    }

    // MARK: - Redirects

    /// What differs between attempts.
    private struct Head {
        let authorization: String?
        let formats: FormatChoice.Formats
        /// The content in another format; nil for that of the request.
        let content: (body: Data, mediaType: String)?
    }

    private func follow<Answer: HTTPAnswer>(
        _ head: Head, _ remaining: Duration?, _ exchange: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        var url = url
        for _ in 0...configuration.maximumRedirects {
            let answer = try await exchange(httpRequest(url, head, remaining))
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
    private func httpRequest(_ url: URL, _ head: Head, _ remaining: Duration?) -> HTTPRequest {
        var fields: HTTPFields = ["Accept": client.accepted(head.formats)]
        if Origin(url) == client.origin {
            for field in configuration.fields.all { fields[field.name] = field.value }
            fields["X-Request-Id"] = id
            fields["Authorization"] = head.authorization
        }
        for field in request.fields.all { fields[field.name] = field.value }
        if let content = head.content { fields["Content-Type"] = content.mediaType }
        return configuration.request(
            request.method, url, fields: fields, body: head.content?.body ?? request.body, remaining: remaining)
    }
}

/// What an answer has before its body.
protocol HTTPAnswer: Sendable {
    var status: Int { get }
    var fields: HTTPFields { get }
}

extension HTTPResponse: HTTPAnswer {}
extension HTTPStreamedResponse: HTTPAnswer {}
