import FireLiteSync
import Foundation

/// The network of a simulation: requests wait here until the simulation decides what happens to them.
///
/// `@unchecked Sendable`: the lock guards the state.
final class SimulatedNetwork: @unchecked Sendable {
    /// A request of a device that waits for its answer.
    struct Message: Sendable {
        let device: Int
        let request: HTTPRequest
        fileprivate let continuation: CheckedContinuation<HTTPResponse, any Error>
    }

    private let lock = NSLock()
    private var running = 0
    private var messages: [Message] = []
    private var waiter: CheckedContinuation<Void, Never>?

    var waiting: [Message] { lock.withLock { messages.sorted { $0.device < $1.device } } }

    /// A device begins to do something.
    func begin() { lock.withLock { running += 1 } }

    /// A device has ended what it did.
    func end() { stop { _ in } }

    private func stop(_ body: (SimulatedNetwork) -> Void) {
        let resumed: CheckedContinuation<Void, Never>? = lock.withLock {
            body(self)
            running -= 1
            guard running == 0 else { return nil }
            defer { waiter = nil }
            return waiter
        }
        resumed?.resume()
    }

    /// Returns when every device waits for an answer, or does nothing.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isDone = lock.withLock {
                if running > 0 { waiter = continuation }
                return running == 0
            }
            if isDone { continuation.resume() }
        }
    }

    func send(_ request: HTTPRequest, of device: Int) async throws -> HTTPResponse {
        try await withCheckedThrowingContinuation { continuation in
            stop { $0.messages.append(Message(device: device, request: request, continuation: continuation)) }
        }
    }

    /// A device gets its answer, or an error.
    func answer(_ message: Message, _ result: Result<HTTPResponse, any Error>) {
        lock.withLock {
            messages.removeAll { $0.device == message.device }
            running += 1
        }
        message.continuation.resume(with: result)
    }
}

/// A device's access to the network.
struct SimulatedTransport: HTTPTransport {
    let network: SimulatedNetwork
    let device: Int

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await network.send(request, of: device) }
}

/// Numbers that a seed decides.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }
}
