import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose next request does not begin in time, however slowly its bytes arrive; and asks for bodies that clients hold back until
/// they are asked for (RFC 9110, 10.1.1).
final class RequestHeadGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let time: TimeAmount
    private let maximumBody: Int
    private var timer: Scheduled<Void>?
    /// The requests that are not answered yet: a client may send several at once.
    private var pending = 0

    /// - Parameters:
    ///   - time: the longest time from the connection, or the last answer, to the head of a request.
    ///   - maximumBody: the longest body that is asked for.
    init(time: TimeAmount, maximumBody: Int) {
        self.time = time
        self.maximumBody = maximumBody
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { wait(context) } }

    func channelActive(context: ChannelHandlerContext) {
        wait(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func wait(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            pending += 1
            timer?.cancel()
            let isTooLong = head.headerFields[.contentLength].flatMap { Int($0) }.map { $0 > maximumBody } ?? false
            if head.headerFields[.expect]?.lowercased() == "100-continue", !isTooLong {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pending -= 1
            if pending <= 0 { wait(context) }
        }
        context.write(data, promise: promise)
    }
}
