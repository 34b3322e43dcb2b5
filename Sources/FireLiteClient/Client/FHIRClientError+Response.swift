import Foundation

extension FHIRClientError {
    /// The error of an answer whose status is not a success.
    init(_ request: FHIRRequest, _ response: HTTPResponse, requestID: String?, now: Date) {
        let code: Code
        let remedy: String
        switch response.status {
        case 401: (code, remedy) = (.unauthorized, "the server wants a token, or another one")
        case 403: (code, remedy) = (.forbidden, "the token does not permit this")
        case 404: (code, remedy) = (.notFound, "there is no such resource or interaction")
        case 410: (code, remedy) = (.gone, "the resource was deleted")
        case 409: (code, remedy) = (.conflict, "the resource was changed meanwhile, or others refer to it")
        case 412: (code, remedy) = (.preconditionFailed, "the version is not the expected one, or several resources match")
        case 429: (code, remedy) = (.tooManyRequests, "the server gets too many requests: try again later")
        case 300..<400: (code, remedy) = (.redirected, "the server sends the client to another address")
        case 500...: (code, remedy) = (.serverFailed, "the server failed or is not available: try again later")
        default: (code, remedy) = (.rejected, "the server does not accept the request")
        }
        let issues = OutcomeIssue.issues(in: response.body)
        self.init(
            code, "\(request): \(response.status), \(remedy)", status: response.status, issues: issues,
            outcome: issues.isEmpty ? nil : response.body, requestID: requestID,
            retryAfter: HTTPDate.retryAfter(response.fields["Retry-After"], now: now), isPage: issues.isEmpty && response.isPage)
    }

    /// The error of a request without an answer.
    init(_ request: FHIRRequest, _ error: HTTPTransportError) {
        let code: Code =
            switch error.code {
            case .cannotConnect: .cannotConnect
            case .notSecure: .notSecure
            case .tooLarge, .invalid: .invalidResponse
            case .invalidRequest: .invalidArgument
            default: .connectionLost
            }
        self.init(code, "\(request): \(error.message)")
    }
}
