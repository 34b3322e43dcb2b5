import Foundation

/// The source of a reception's bytes.
protocol HTTPSource: Sendable {
    /// Ends the request. May be called several times.
    func cancel()
    /// Goes on after ``HTTPReception/receive(_:)`` has refused bytes.
    func resume()
}

/// The answer to one request: the unread bytes that have arrived. Beyond a few megabytes they are kept on the disk, and beyond more the
/// source waits, if it can.
///
/// `@unchecked Sendable`: the lock guards the state.
final class HTTPReception: @unchecked Sendable {
    /// The status and the fields of an answer.
    typealias Head = (status: Int, fields: HTTPFields)

    /// The maximum size in memory, before and after the part on the disk.
    private static let maximumWaitingBytes = 4 << 20
    /// The maximum size on the disk if the source can wait.
    private static let maximumSpilledBytes = 64 << 20
    /// The bytes that are written at once.
    private static let blockBytes = 1 << 20

    /// The event that a reader waits for.
    private enum Need {
        case head
        case piece
        /// The end, or more than is worth to wait for.
        case most
    }

    private let canWait: Bool
    private let hasBody: Bool
    private let lock = NSLock()
    private var source: (any HTTPSource)?
    private var patience: HTTPPatience
    private var responseHead: Head?
    /// The bytes of the body that have arrived.
    private var receivedBytes = 0
    private var pieces: [Data] = []
    private var waitingBytes = 0
    /// The bytes after `pieces`, on the disk; nil if there are none.
    private var spilled: SpilledBody?
    private var spilledBytes = 0
    /// The bytes after `spilled`, less than a block.
    private var latest = Data()
    /// Whether the source waits for the reader.
    private var isFull = false
    private var end: Result<Void, any Error>?
    private var waiter: (need: Need, continuation: CheckedContinuation<Void, Never>)?

    /// - Parameters:
    ///   - request: says how long it may take.
    ///   - canWait: whether the source waits if bytes are refused.
    init(_ request: HTTPRequest, canWait: Bool) {
        patience = HTTPPatience(request)
        hasBody = request.method != .head
        self.canWait = canWait
    }

    /// Names the source, before it begins.
    func begin(_ source: any HTTPSource) { lock.withLock { self.source = source } }

    // MARK: - Arriving

    func receive(status: Int, _ fields: HTTPFields) {
        change {
            if responseHead == nil { responseHead = (status, fields) }
            patience.noteProgress()
        }
    }

    /// Takes bytes of the body.
    ///
    /// - Returns: false if there are too many: none of them were taken, and the source waits until `resume`.
    func receive(_ data: Data) -> Bool {
        change {
            guard end == nil else { return true }
            patience.note(data.count)
            guard spilled != nil || waitingBytes + data.count > Self.maximumWaitingBytes else {
                pieces.append(data)
                waitingBytes += data.count
                receivedBytes += data.count
                return true
            }
            if canWait, spilledBytes + data.count > Self.maximumSpilledBytes {
                isFull = true
                patience.suspend(true)
                return false
            }
            do {
                if spilled == nil { spilled = try SpilledBody() }
                spilledBytes += data.count
                receivedBytes += data.count
                latest.append(data)
                if latest.count >= Self.blockBytes {
                    try spilled?.append(latest)
                    latest = Data()
                }
            } catch {
                source?.cancel()
                end = .failure(HTTPTransportError(.tooLarge, "the server's answer cannot be kept on the disk: free some space"))
            }
            return true
        }
    }

    /// Notes bytes that were sent, or fields that arrived.
    func note(_ count: Int) { lock.withLock { patience.note(count) } }

    /// Notes that the request begins, or is sent.
    func noteProgress() { lock.withLock { patience.noteProgress() } }

    /// Whether the request waits for its turn.
    func suspend(_ isSuspended: Bool) { lock.withLock { patience.suspend(isSuspended) } }

    func finish(_ error: (any Error)?) {
        change {
            guard end == nil else { return }
            let short = isShort ? HTTPTransportError(.connectionLost, "the server's answer ended before it was whole") : nil
            end = (error ?? short).map { .failure($0) } ?? .success(())
        }
    }

    /// Whether the body has fewer bytes than the answer's head says: never a whole answer, whatever the library below says of it. Under load, both
    /// libcurl and Foundation have called such an answer a success.
    private var isShort: Bool {
        guard hasBody, let responseHead, ![204, 304].contains(responseHead.status), responseHead.fields["Content-Encoding"] == nil,
            responseHead.fields["Transfer-Encoding"] == nil, let length = responseHead.fields["Content-Length"].flatMap({ Int($0) })
        else { return false }
        return receivedBytes < length
    }

    func cancel() {
        let source: (any HTTPSource)? = change {
            guard end == nil else { return nil }
            end = .failure(CancellationError())
            return self.source
        }
        source?.cancel()
    }

    /// Ends the request if it is overdue.
    ///
    /// - Parameter isUnsent: whether no byte of it was sent.
    /// - Returns: when to look again; nil if it has ended, or never.
    func check(_ now: ContinuousClock.Instant = .now, isUnsent: () -> Bool = { false }) -> ContinuousClock.Instant? {
        let failed: (any HTTPSource)? = change {
            guard end == nil, let failure = patience.failure(now) else { return nil }
            end = .failure(isUnsent() ? HTTPTransportError(.cannotConnect, "the server cannot be reached in time") : failure)
            return source
        }
        failed?.cancel()
        return lock.withLock { end == nil ? patience.limit : nil }
    }

    private func change<Value>(_ body: () -> Value) -> Value {
        var resumed: CheckedContinuation<Void, Never>?
        let value = lock.withLock {
            let value = body()
            if let waiter, isReady(waiter.need) {
                resumed = waiter.continuation
                self.waiter = nil
            }
            return value
        }
        resumed?.resume()
        return value
    }

    // MARK: - Reading

    /// The answer, as soon as its head is there.
    func answer() async throws -> HTTPStreamedResponse {
        let head = try await head()
        // Whoever stops reading without an error drops the body, and with it the last reference to the guard.
        let guardian = ReceptionGuard(self)
        return HTTPStreamedResponse(head.status, fields: head.fields, body: HTTPBody { try await guardian.reception.piece() })
    }

    /// The whole answer.
    ///
    /// - Throws: `HTTPTransportError.tooLarge` beyond the limit.
    func whole(upTo limit: Int) async throws -> HTTPResponse {
        // A short answer is waited for once.
        await wait(for: .most)
        let answer = try await answer()
        return HTTPResponse(answer.status, fields: answer.fields, body: try await answer.body.collected(upTo: limit))
    }

    private func head() async throws -> Head {
        await wait(for: .head)
        return try lock.withLock {
            if let responseHead { return responseHead }
            if case .failure(let error)? = end { throw error }
            throw HTTPTransportError(.invalid, "the server's answer is not HTTP")
        }
    }

    /// The next piece of the body; nil at the end. Arrived bytes come before an error.
    private func piece() async throws -> Data? {
        while true {
            await wait(for: .piece)
            let (piece, isEnd, resumed): (Data?, Bool, (any HTTPSource)?) = try lock.withLock {
                let piece = try takePiece()
                if piece == nil, case .failure(let error)? = end { throw error }
                guard isFull, spilled == nil else { return (piece, piece == nil && end != nil, nil) }
                isFull = false
                patience.suspend(false)
                return (piece, piece == nil && end != nil, source)
            }
            resumed?.resume()
            if piece != nil || isEnd { return piece }
        }
    }

    /// The next bytes that have arrived: everything in memory, or the oldest block on the disk; nil if there are none.
    private func takePiece() throws -> Data? {
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
        spilledBytes = 0
        defer { latest = Data() }
        return latest.isEmpty ? nil : latest
    }

    private func isReady(_ need: Need) -> Bool {
        if end != nil { return true }
        return switch need {
        case .head: responseHead != nil
        case .piece: !pieces.isEmpty || spilled != nil
        case .most: waitingBytes > Self.blockBytes
        }
    }

    private func wait(for need: Need) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = lock.withLock {
                    if isReady(need) { return true }
                    waiter = (need, continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }
}

/// Cancels a request when its body can no longer be read.
private final class ReceptionGuard: Sendable {
    let reception: HTTPReception

    init(_ reception: HTTPReception) { self.reception = reception }

    deinit { reception.cancel() }
}
