import FireLiteSync
import Foundation

/// A FHIR server in memory that keeps what it gets, with faults on purpose.
///
/// `@unchecked Sendable`: the lock guards the variables.
final class OutboxServerStub: HTTPTransport, @unchecked Sendable {
    /// What happens to a request.
    enum Fault: Sendable {
        /// The server is not reached.
        case down
        /// The request is done, and the answer gets lost.
        case answerLost
        /// The request is not done, and the connection breaks.
        case requestLost
        /// The server answers so.
        case status(Int, HTTPFields)
    }

    /// A resource.
    struct Resource: Sendable, Equatable {
        let path: String
        var version: Int
        var body: String
        /// The condition under which it was created.
        let condition: String?
    }

    private let lock = NSLock()
    private var storage: [Resource] = []
    private var log: [HTTPRequest] = []
    private let fault: @Sendable (HTTPRequest, Int) -> Fault?

    /// - Parameter fault: what happens to a request, which has this number.
    init(_ fault: @escaping @Sendable (_ request: HTTPRequest, _ number: Int) -> Fault? = { _, _ in nil }) { self.fault = fault }

    var resources: [Resource] { lock.withLock { storage } }
    var requests: [HTTPRequest] { lock.withLock { log } }

    /// The numbers in the names of the patients, in the order of their creation.
    var numbers: [Int] {
        resources.map { resource in
            resource.body.firstMatch(of: /"family":"(\d+)"/).flatMap { Int($0.1) } ?? -1
        }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let number = lock.withLock {
            log.append(request)
            return log.count - 1
        }
        switch fault(request, number) {
        case nil: return answer(request)
        case .down: throw HTTPTransportError(.cannotConnect, "the server is down")
        case .requestLost: throw HTTPTransportError(.connectionLost, "the connection broke")
        case .answerLost:
            _ = answer(request)
            throw HTTPTransportError(.connectionLost, "the connection broke")
        case .status(let status, let fields):
            return .json(
                #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid","diagnostics":"about Smith"}]}"#, status,
                fields)
        }
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        lock.withLock {
            let path = String(request.url.path.dropFirst(testBase.path.count + 1))
            let body = request.text
            switch request.method {
            case .post:
                let condition = request.fields["If-None-Exist"]
                if let condition, let known = storage.first(where: { $0.condition == condition }) {
                    return located(200, known)
                }
                storage.append(Resource(path: "\(path)/\(storage.count + 1)", version: 1, body: body, condition: condition))
                return located(201, storage[storage.count - 1])
            case .put:
                guard let place = storage.firstIndex(where: { $0.path == path }) else {
                    storage.append(Resource(path: path, version: 1, body: body, condition: nil))
                    return located(201, storage[storage.count - 1])
                }
                if let expected = request.fields["If-Match"], expected != "W/\"\(storage[place].version)\"" { return HTTPResponse(412) }
                storage[place].version += 1
                storage[place].body = body
                return located(200, storage[place])
            case .delete:
                guard let place = storage.firstIndex(where: { $0.path == path }) else { return Self.absent(410) }
                storage.remove(at: place)
                return HTTPResponse(204)
            default:
                guard let found = storage.first(where: { $0.path == path }) else { return Self.absent(404) }
                return .json(Self.full(found))
            }
        }
    }

    private static func absent(_ status: Int) -> HTTPResponse {
        .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-found"}]}"#, status)
    }

    /// The resource with the id that it has here.
    private static func full(_ resource: Resource) -> String {
        let parts = resource.path.split(separator: "/")
        guard parts.count == 2, !resource.body.contains("\"id\":\"\(parts[1])\"") else { return resource.body }
        let body = resource.body.replacing(/"id":"[^"]*",/, with: "", maxReplacements: 1)
        let start = "{\"resourceType\":\"\(parts[0])\""
        return body.replacingOccurrences(of: start, with: "\(start),\"id\":\"\(parts[1])\"")
    }

    private func located(_ status: Int, _ resource: Resource) -> HTTPResponse {
        .json(
            Self.full(resource), status,
            ["Location": "\(testBase)/\(resource.path)/_history/\(resource.version)", "ETag": "W/\"\(resource.version)\""])
    }
}

/// Makes faults come and go.
///
/// `@unchecked Sendable`: the lock guards the variable.
final class Switch<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var current: Value

    init(_ value: Value) { current = value }

    var value: Value {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}
