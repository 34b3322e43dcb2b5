import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A connection with TLS whose handshake must be complete in time.
struct SecureChannel: ServerChildChannel {
    let base: HTTP2UpgradeChannel
    let time: TimeAmount
    let crowd: ConnectionCrowd

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        // It stands behind the one that reports the handshake, and before the one that takes the report.
        let value = base.setup(channel: channel, logger: logger)
        do {
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(
                HandshakeGuard(time: time, crowd: crowd), position: .after(operations.handler(type: NIOSSLServerHandler.self)))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return value
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await onLoop(of: value.channel) { await base.handle(value: value, logger: logger) }
    }
}

/// Closes a connection whose handshake takes too long, and one of HTTP/2 that has no stream for so long that the client should have answered the server's
/// farewell.
final class HandshakeGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let time: TimeAmount
    private let crowd: ConnectionCrowd
    private var timer: Scheduled<Void>?
    private var channel: (any Channel)?
    private var streams = 0
    private var isCounted = false

    /// - Parameters:
    ///   - time: the longest time for the handshake; and for a client of HTTP/2 to open a stream, and then to answer that the server goes away.
    ///   - crowd: all connections.
    init(time: TimeAmount, crowd: ConnectionCrowd) { (self.time, self.crowd) = (time, crowd) }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        isCounted = true
        crowd.join()
        close(in: time)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let version) = event as? TLSUserEvent {
            timer?.cancel()
            if version == "h2" { waitForStream() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: - Streams

    /// A stream of the connection begins.
    func streamBegan() {
        streams += 1
        timer?.cancel()
    }

    /// A stream of the connection has ended.
    func streamEnded() {
        streams -= 1
        if streams == 0 { waitForStream() }
    }

    /// After the time the server says that it goes away, which the client is to acknowledge in as long a time.
    private func waitForStream() { close(in: time + time) }

    /// Closes the connection after a time, or earlier in a crowd.
    private func close(in time: TimeAmount, since start: NIODeadline = .now()) {
        timer?.cancel()
        guard let channel else { return }
        let end = start + crowd.time(time)
        guard end > .now() else { return channel.close(mode: .all, promise: nil) }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        timer = channel.eventLoop.scheduleTask(deadline: min(end, .now() + ConnectionCrowd.patience)) {
            bound.value.close(in: time, since: start)
        }
    }

    private func end() {
        timer?.cancel()
        channel = nil
        if isCounted { crowd.leave() }
        isCounted = false
    }
}
