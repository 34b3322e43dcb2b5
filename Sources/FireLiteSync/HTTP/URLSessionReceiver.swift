import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes what a session receives on to the requests.
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
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        reception(for: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        reception(for: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reception = lock.withLock { receptions.removeValue(forKey: task.taskIdentifier) }
        // Without a body, some versions of Foundation report no response before the end.
        if let response = task.response { reception?.receive(response) }
        reception?.finish(error)
    }
}
