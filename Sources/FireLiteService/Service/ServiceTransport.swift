import FireLiteClient
import Foundation

/// Sends the requests of clients to a service in the same process, for previews and for tests of code that talks FHIR.
///
/// ```swift
/// let client = try FHIRClient(base: base, release: .r4, transport: ServiceTransport(service))
/// ```
public struct ServiceTransport: HTTPTransport {
    private let service: FHIRService

    /// Creates a transport.
    ///
    /// - Parameter service: the service that answers.
    public init(_ service: FHIRService) { self.service = service }

    /// Sends a request and returns the whole answer.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let answer = try await answer(request)
        return HTTPResponse(answer.status, fields: answer.fields, body: try await answer.data())
    }

    /// Sends a request, and returns the answer with its body as a stream.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse {
        let answer = try await answer(request)
        let body: HTTPBody =
            switch answer.body {
            case .data(let data): HTTPBody(data)
            case .stream(let stream): stream
            }
        return HTTPStreamedResponse(answer.status, fields: answer.fields, body: body)
    }

    private func answer(_ request: HTTPRequest) async throws -> ServiceResponse {
        _ = try request.checked()
        return await service.respond(
            to: ServiceRequest(request.method, request.url.absoluteString, fields: request.fields, body: request.body ?? Data()))
    }
}
