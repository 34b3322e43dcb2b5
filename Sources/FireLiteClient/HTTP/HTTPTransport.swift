import Foundation

/// What sends requests: ``StandardTransport``, or an app's or a test's own.
///
/// A transport returns what the server answers: redirects are not followed, no status is an error, and nothing is kept between
/// requests (cookies, cache, passwords). ``FHIRClient`` decides what follows.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: ``HTTPTransportError`` if there is no answer; `CancellationError` if the task is cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Sends a request and returns as soon as the header of the answer is there.
    ///
    /// - Throws: ``HTTPTransportError`` if there is no answer; `CancellationError` if the task is cancelled.
    func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse
}

extension HTTPTransport {
    /// Reads the whole answer and returns its body in one piece.
    ///
    /// - Throws: what `send` throws.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        let response = try await send(request)
        return HTTPStreamedResponse(response.status, fields: response.fields, body: HTTPBody(response.body))
    }
}
