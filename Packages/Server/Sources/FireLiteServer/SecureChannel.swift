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

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        // It stands behind the one that reports the handshake, and before the one that takes the report.
        let value = base.setup(channel: channel, logger: logger)
        do {
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(HandshakeGuard(time: time), position: .after(operations.handler(type: NIOSSLServerHandler.self)))
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
    private var timer: Scheduled<Void>?
    private var channel: (any Channel)?
    private var streams = 0

    /// - Parameter time: the longest time for the handshake; and for a client of HTTP/2 to open a stream, and then to answer that the server goes away.
    init(time: TimeAmount) { self.time = time }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
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

    private func close(in time: TimeAmount) {
        timer?.cancel()
        guard let channel else { return }
        timer = channel.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }

    private func end() {
        timer?.cancel()
        channel = nil
    }
}
