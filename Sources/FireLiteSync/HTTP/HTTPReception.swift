import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answer to one request: what has arrived and was not yet read. Beyond a few megabytes it waits on the disk.
///
/// URLSession cannot be made to wait: on Linux, suspending a request that receives ends the program or repeats what has arrived.
///
/// `@unchecked Sendable`: the lock guards the state.
final class HTTPReception: @unchecked Sendable {
    typealias Head = (status: Int, fields: HTTPFields)

    /// What waits in memory at most, before and after what waits on the disk.
    private static let maximumWaitingBytes = 4 << 20
    /// The bytes that are written at once.
    private static let blockBytes = 1 << 20

    private let task: URLSessionTask
    private let lock = NSLock()
    private var responseHead: Head?
    private var pieces: [Data] = []
    private var waitingBytes = 0
    /// What came after `pieces`, on the disk; nil while nothing does.
    private var spilled: SpilledBody?
    /// What came after `spilled`, less than a block.
    private var latest = Data()
    private var end: Result<Void, any Error>?
    private var waiter: CheckedContinuation<Void, Never>?
    /// The number of changes so far, by which a reader sees that something arrived before it began to wait.
    private var changes = 0

    init(_ task: URLSessionTask) { self.task = task }

    // MARK: - Arriving

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HTTPFields.Field(name: $0, value: "\(value)") }
        }
        change { if responseHead == nil { responseHead = (response.statusCode, HTTPFields(fields)) } }
    }

    func receive(_ data: Data) {
        change {
            guard spilled != nil || waitingBytes + data.count > Self.maximumWaitingBytes else {
                pieces.append(data)
                waitingBytes += data.count
                return
            }
            do {
                if spilled == nil { spilled = try SpilledBody() }
                latest.append(data)
                if latest.count >= Self.blockBytes {
                    try spilled?.append(latest)
                    latest = Data()
                }
            } catch {
                task.cancel()
                end = .failure(HTTPTransportError(.tooLarge, "the server's answer cannot be kept on the disk: free some space"))
            }
        }
    }

    func finish(_ error: (any Error)?) {
        change { if end == nil { end = error.map { .failure(Self.reason($0)) } ?? .success(()) } }
    }

    func cancel() {
        task.cancel()
        change { if end == nil { end = .failure(CancellationError()) } }
    }

    private func change(_ body: () -> Void) {
        let waiter = lock.withLock {
            body()
            changes += 1
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }

    // MARK: - Reading

    /// The status and the fields, as soon as they are there.
    func head() async throws -> Head {
        try await wait { [self] in
            if let responseHead { return responseHead }
            if case .success? = end { throw HTTPTransportError(.invalid, "the server's answer is not HTTP") }
            return nil
        }
    }

    /// The next piece of the body; nil at the end.
    func piece() async throws -> Data? {
        try await wait { [self] () -> Data?? in
            if !pieces.isEmpty {
                // One piece of what waits: short pieces cost a change of threads each.
                var data = pieces[0]
                for piece in pieces.dropFirst() { data.append(piece) }
                pieces.removeAll(keepingCapacity: true)
                waitingBytes = 0
                return data
            }
            do {
                if let block = try spilled?.take() { return block }
            } catch { throw HTTPTransportError(.connectionLost, "what waited on the disk cannot be read") }
            // Whatever comes now may wait in memory again.
            spilled = nil
            if !latest.isEmpty {
                defer { latest = Data() }
                return latest
            }
            if case .success? = end { return .some(nil) }
            return nil
        }
    }

    /// Waits until the body returns something, which it is asked for after each change. Arrived bytes come before an error.
    private func wait<Value>(_ body: @Sendable () throws -> Value?) async throws -> Value {
        while true {
            let (value, seen): (Value?, Int) = try lock.withLock {
                if let value = try body() { return (value, changes) }
                if case .failure(let error)? = end { throw error }
                return (nil, changes)
            }
            if let value { return value }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = lock.withLock {
                        if changes != seen { return true }
                        waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                cancel()
            }
        }
    }

    // MARK: - Errors

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
            HTTPTransportError(.invalid, "the address is not one of HTTP")
        default: HTTPTransportError(.connectionLost, "the connection to the server broke (code \(code))")
        }
    }
}
