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

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Closes a connection whose handshake takes too long.
final class HandshakeGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let time: TimeAmount
    private var timer: Scheduled<Void>?

    /// - Parameter time: the longest time for the handshake.
    init(time: TimeAmount) { self.time = time }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { timer?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
