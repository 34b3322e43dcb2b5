import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes a session's data on to the requests.
///
/// `@unchecked Sendable`: the lock guards the receptions.
final class URLSessionReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var receptions: [Int: HTTPReception] = [:]

    func add(_ reception: HTTPReception, for task: URLSessionTask) {
        lock.withLock { receptions[task.taskIdentifier] = reception }
    }

    private func reception(for task: URLSessionTask) -> HTTPReception? { lock.withLock { receptions[task.taskIdentifier] } }

    /// Refuses to follow: the redirect itself becomes the answer, and the client decides.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        reception(for: task)?.note(Int(clamping: bytesSent))
        if totalBytesSent == totalBytesExpectedToSend { reception(for: task)?.noteProgress() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        reception(for: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // A session cannot wait, so its reception takes everything.
        _ = reception(for: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reception = lock.withLock { receptions.removeValue(forKey: task.taskIdentifier) }
        // Without a body, some versions of Foundation report no response before the end.
        if let response = task.response { reception?.receive(response) }
        reception?.finish(error.map(Self.reason))
    }

    /// Maps an error of URLSession.
    private static func reason(_ error: any Error) -> any Error {
        let code = (error as NSError).domain == NSURLErrorDomain ? (error as NSError).code : 0
        return switch code {
        case NSURLErrorCancelled: CancellationError()
        case NSURLErrorCannotConnectToHost, NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed, NSURLErrorNotConnectedToInternet:
            HTTPTransportError(.cannotConnect, "the server cannot be reached: check the address and the network")
        case NSURLErrorTimedOut: HTTPTransportError(.timedOut, "the server did not answer in time")
        case NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateUntrusted,
            NSURLErrorServerCertificateHasUnknownRoot, NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected,
            NSURLErrorClientCertificateRequired:
            HTTPTransportError(.notSecure, "the server's certificate is not trusted")
        case NSURLErrorBadURL, NSURLErrorUnsupportedURL:
            HTTPTransportError(.invalidRequest, "the address is not one of HTTP")
        default: HTTPTransportError(.connectionLost, "the connection to the server broke (code \(code))")
        }
    }
}

extension HTTPReception {
    fileprivate func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let fields = response.allHeaderFields.compactMap { name, value in
            // The white space around a value is not part of it (RFC 9110, section 5.5), and Foundation leaves it there.
            (name as? String).map { HTTPFields.Field(name: $0, value: "\(value)".trimmingCharacters(in: .whitespaces)) }
        }
        receive(status: response.statusCode, HTTPFields(fields))
    }
}
