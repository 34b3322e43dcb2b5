import HummingbirdCore
import Logging
import NIOCore

/// Runs the tasks of a connection on the thread of its event loop, so that a request that needs no other thread never waits for one to wake up.
///
/// Tasks do not block it: what reads or writes the store runs on the store's threads, and what takes long with much data on the threads of Swift's pool
/// (`offLoop`).
@available(macOS 15, *)
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A connection whose tasks run on the thread of its event loop.
struct LoopChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> { base.setup(channel: channel, logger: logger) }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await onLoop(of: value.channel) { await base.handle(value: value, logger: logger) }
    }
}

/// Runs a connection's work on the thread of its event loop.
func onLoop(of channel: any Channel, _ body: () async -> Void) async {
    guard #available(macOS 15, *) else { return await body() }
    await withTaskExecutorPreference(LoopExecutor(channel.eventLoop), operation: body)
}

/// Runs work that takes long on the threads of Swift's pool, where others do not wait for it.
func offLoop<Value: Sendable, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    guard #available(macOS 15, *) else { return try await body() }
    return try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
}
