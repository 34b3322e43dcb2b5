import FireLiteBrowser
import FireLiteService
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceLifecycle

/// What answers requests for pages.
typealias PageResponder = @Sendable (ServiceRequest) async -> ServiceResponse

/// Passes requests from Hummingbird to a service, and its answers back.
struct ServiceResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    /// The FHIR interface; nil if only pages are served.
    let service: FHIRService?
    let settings: ServerSettings
    /// The pages over the store; nil if there are none.
    private let pages: PageResponder?
    private let gate: RequestGate

    init(_ service: FHIRService?, _ settings: ServerSettings, _ pages: PageResponder? = nil) {
        self.service = service
        self.pages = pages
        self.settings = settings
        gate = RequestGate(settings)
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let allowed: String?
        do {
            allowed = try gate.check(
                hosts: RequestGate.hosts(of: request.head), origins: request.headers[values: .origin],
                isSecure: settings.certificate != nil)
        } catch let refusal as RequestGate.Refusal {
            return Self.refused(refusal.status, "security", refusal.text)
        }
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil { return Self.preflight(allowed) }
        var response: Response
        do {
            let body = try await body(of: request)
            let answer = await self.answer(
                to: ServiceRequest(
                    HTTPMethod(rawValue: request.method.rawValue), request.head.path ?? "/", fields: Self.fields(request), body: body))
            let accepted = request.headers[.acceptEncoding]
            if case .data(let data) = answer.body, data.count > Self.quickBytes {
                response = await offLoop { ResponseCompression.response(answer, Self.fields(answer), accepted: accepted) }
            } else {
                response = ResponseCompression.response(answer, Self.fields(answer), accepted: accepted)
            }
        } catch let refusal as RequestGate.Refusal {
            response = Self.refused(refusal.status, Self.code(refusal.status), refusal.text)
            if refusal.status == 415 { response.headers[.acceptEncoding] = "gzip" }
        }
        if let allowed {
            response.headers[.accessControlAllowOrigin] = allowed
            response.headers[.accessControlExposeHeaders] =
                "ETag, Location, Content-Location, Last-Modified, Retry-After, X-Progress, X-Request-Id"
            response.headers[.vary] = (response.headers[.vary].map { $0 + ", " } ?? "") + "Origin"
        }
        let duration = ContinuousClock.now - start
        Self.timer(response.status.code / 100).record(duration: duration)
        // Addresses may contain health data, so the log has none.
        context.logger.debug("\(request.method.rawValue) \(response.status.code) \(duration)")
        return response
    }

    /// Up to this number of bytes of a body, what is done with it does not keep others waiting.
    private static let quickBytes = 64 << 10

    /// A timer for each class of statuses, made when the first request ends.
    private static let timers = (1...5).map { Metrics.Timer(label: "firelite.requests", dimensions: [("status", "\($0)xx")]) }

    private static func timer(_ statusClass: Int) -> Metrics.Timer { timers[min(max(statusClass, 1), 5) - 1] }

    private func answer(to request: ServiceRequest) async -> ServiceResponse {
        if let pages, StoreBrowser.isPage(request) { return await offLoop { await pages(request) } }
        guard request.body.count <= Self.quickBytes else { return await offLoop { await self.serviceAnswer(to: request) } }
        return await serviceAnswer(to: request)
    }

    private func serviceAnswer(to request: ServiceRequest) async -> ServiceResponse {
        guard let service else {
            let text = "only pages are served: start the server with --key-file for the FHIR interface"
            let json =
                #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-supported","diagnostics":"\#(text)"}]}"#
            return ServiceResponse(
                503, fields: ["Content-Type": "application/fhir+json; charset=utf-8"], body: .data(Data(json.utf8)))
        }
        var answer = await service.respond(to: request)
        if case .stream(let body) = answer.body, answer.fields["Content-Type"] == "text/event-stream" {
            answer.body = .stream(ending(body, of: service))
        }
        return answer
    }

    /// A stream that ends when the server begins to stop: a stream of events has no end of its own, for which the shut-down would wait.
    private func ending(_ body: HTTPBody, of service: FHIRService) -> HTTPBody {
        HTTPBody {
            try await withGracefulShutdownHandler {
                var pieces = body.makeAsyncIterator()
                return try await pieces.next()
            } onGracefulShutdown: {
                Task { await service.endEventStreams() }
            }
        }
    }

    // MARK: - Bodies

    /// The body of a request, within the limits of size and time.
    private func body(of request: Request) async throws -> Data {
        // RFC 9112, 6.1: another coding would be taken for content.
        let coding = request.headers[.transferEncoding]
        guard coding == nil || coding?.lowercased() == "chunked" else {
            throw RequestGate.Refusal(status: 501, text: "the only transfer coding is chunked")
        }
        let encoding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
        guard encoding == "identity" || encoding == "gzip" || encoding == "x-gzip" else {
            throw RequestGate.Refusal(status: 415, text: "bodies are plain or packed with gzip")
        }
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > settings.maximumBody { throw tooLong }
        // Most requests have none.
        if request.headers[.contentLength] ?? "0" == "0", coding == nil, settings.certificate == nil {
            return Data()
        }
        // A client that sends nothing at all is hung up on by `ConnectionGuard`.
        let deadline = ContinuousClock.now + settings.bodyTime
        var data = Data()
        var isReserved = false
        for try await piece in request.body {
            guard data.count + piece.readableBytes <= settings.maximumBody else { throw tooLong }
            // Memory that grows by doubling is twice as large as the body in the end. What a client promises counts once it has sent a part of it.
            if let length, !isReserved, data.count >= length / 4 {
                isReserved = true
                data.reserveCapacity(length)
            }
            piece.withUnsafeReadableBytes { data.append(contentsOf: $0) }
            guard ContinuousClock.now < deadline else { throw RequestGate.Refusal(status: 408, text: "the body did not arrive in time") }
        }
        guard encoding != "identity" else { return data }
        let packed = data
        do {
            return try await offLoop { try Gzip.unpacked(packed, limit: settings.maximumBody) }
        } catch Gzip.Failure.tooLong { throw tooLong } catch {
            throw RequestGate.Refusal(status: 400, text: "the body is not gzip, as its field Content-Encoding says")
        }
    }

    private var tooLong: RequestGate.Refusal {
        RequestGate.Refusal(status: 413, text: "the body is longer than \(settings.maximumBody) bytes")
    }

    /// The fields of a request that are the service's.
    private static func fields(_ request: Request) -> FireLiteService.HTTPFields {
        var fields: [FireLiteService.HTTPFields.Field] = []
        fields.reserveCapacity(request.headers.count)
        for field in request.headers where field.name != .expect && field.name != .contentEncoding {
            fields.append(.init(name: field.name.rawName, value: field.value))
        }
        return FireLiteService.HTTPFields(fields)
    }

    private static func fields(_ answer: ServiceResponse) -> HTTPTypes.HTTPFields {
        var headers = HTTPTypes.HTTPFields()
        headers.reserveCapacity(answer.fields.all.count + 4)
        for field in answer.fields.all {
            guard let name = names[field.name] ?? HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        return headers
    }

    /// The names that most answers have, checked once.
    private static let names: [String: HTTPField.Name] = {
        let names = [
            "Cache-Control", "Content-Length", "Content-Type", "ETag", "Last-Modified", "Location", "Vary", "X-Content-Type-Options",
            "X-Request-Id",
        ]
        return Dictionary(uniqueKeysWithValues: names.compactMap { name in HTTPField.Name(name).map { (name, $0) } })
    }()

    // MARK: - Refusals

    /// A refusal, after which the connection ends: what is left of the body is not read.
    private static func refused(_ status: Int, _ code: String, _ text: String) -> Response {
        let json = #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"\#(code)","diagnostics":"\#(text)"}]}"#
        return Response(
            status: HTTPTypes.HTTPResponse.Status(code: status),
            headers: [.contentType: "application/fhir+json; charset=utf-8", .connection: "close"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }

    /// The code of an issue (FHIR, IssueType) that says why a body is refused.
    private static func code(_ status: Int) -> String {
        switch status {
        case 400: "structure"
        case 408: "timeout"
        case 413: "too-long"
        default: "not-supported"
        }
    }

    /// The answer to a browser that asks whether a page may send a request (Fetch, CORS-preflight).
    private static func preflight(_ allowed: String?) -> Response {
        guard let allowed else { return Response(status: .noContent, headers: [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]) }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: allowed, .accessControlAllowMethods: "GET, HEAD, POST, PUT, PATCH, DELETE",
                .accessControlAllowHeaders:
                    "Accept, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Exist, If-None-Match, Last-Event-ID, Prefer, X-Request-Id",
                .accessControlMaxAge: "600", .vary: "Origin",
            ])
    }
}
