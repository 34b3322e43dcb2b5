import Foundation

/// Why an entry of the outbox was not accepted. Its description contains no values of records and no secrets.
public struct OutboxFailure: LocalizedError, Sendable, CustomStringConvertible {
    /// What went wrong and what to do about it.
    public let message: String
    /// The status of the answer; nil if there was none.
    public let status: Int?
    /// The server's OperationOutcome as JSON. It may repeat values of records.
    public let outcome: Data?
    /// Whether the server refuses this request and would refuse it again. Otherwise the server, the connection or the authorization failed.
    public let isRefusal: Bool
    /// The time that the server asks to wait before the next request.
    public let retryAfter: Duration?
    /// Whether the server may have done it.
    let isUncertain: Bool
    /// Whether the server says that it has done it, and does not show it.
    let isUnshown: Bool

    /// The server's statement about it.
    public var issues: [OutcomeIssue] { outcome.map { OutcomeIssue.issues(in: $0) } ?? [] }

    /// The message.
    public var description: String { message }

    /// The message, so that `localizedDescription` is it too.
    public var errorDescription: String? { message }

    /// Whether asking again soon would be impolite: the server has said that it is the client's fault.
    var isClientsFault: Bool { status.map { 400..<500 ~= $0 && $0 != 408 && $0 != 425 && $0 != 429 } ?? false }

    /// A Bundle that the server says it has done.
    init(unshown message: String) {
        self.message = message
        (status, outcome, isRefusal, retryAfter, isUncertain, isUnshown) = (nil, nil, false, nil, true, true)
    }

    init(_ error: any Error) {
        message = "\(error)"
        isUnshown = false
        guard let error = error as? FHIRClientError else {
            // There is no access, or there is no request yet.
            status = (error as? AuthorizationError)?.status
            (outcome, isRefusal, retryAfter, isUncertain) = (nil, false, nil, false)
            return
        }
        status = error.status
        outcome = error.outcome
        retryAfter = error.retryAfter
        guard let status = error.status else {
            isRefusal = error.code == .invalidArgument
            isUncertain = error.code != .cannotConnect && error.code != .notSecure && error.code != .invalidArgument
            return
        }
        switch status {
        // Something on the way has answered, and not a FHIR server.
        case 404 where error.isGatewaysAbsence, 410 where error.isGatewaysAbsence: (isRefusal, isUncertain) = (false, true)
        case 409 where error.isPage, 412 where error.isPage: (isRefusal, isUncertain) = (false, true)
        case 401, 407, 425, 429, 503: (isRefusal, isUncertain) = (false, false)
        case 408: (isRefusal, isUncertain) = (false, true)
        case 400..<500, 501, 505: (isRefusal, isUncertain) = (true, false)
        default: (isRefusal, isUncertain) = (false, true)
        }
    }
}
