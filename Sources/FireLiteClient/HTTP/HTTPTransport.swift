import Foundation

/// Sends requests: ``StandardTransport``, or an implementation of an app or a test.
///
/// A transport returns the server's answer: it follows no redirects, treats no status as an error, and keeps nothing between requests
/// (cookies, cache, passwords). ``FHIRClient`` decides what to do next.
public protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: ``HTTPTransportError`` if there is no answer; `CancellationError` if the task is cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Sends a request and returns as soon as the header of the answer has arrived.
    ///
    /// - Throws: ``HTTPTransportError`` if there is no answer; `CancellationError` if the task is cancelled.
    func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse
}

extension HTTPTransport {
    /// Reads the whole answer and returns its body in one piece.
    ///
    /// - Throws: errors of `send`.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        let response = try await send(request)
        return HTTPStreamedResponse(response.status, fields: response.fields, body: HTTPBody(response.body))
    }
}
