import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections, and streams of HTTP/2, of clients that keep the server waiting: the next request does not begin in time, however slowly its bytes
/// arrive; nothing more comes of a body; an answer is not taken; a refused body goes on. It asks for bodies that clients hold back until they are asked
/// for (RFC 9110, 10.1.1).
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What a client must take of an answer within the time, in bytes.
    static let portion = 256 << 10
    /// How long a refused client may go on sending, so that it comes to read the refusal.
    static let farewell = TimeAmount.seconds(2)

    private let time: TimeAmount
    private let maximumBody: Int
    private let crowd: ConnectionCrowd
    /// Whether it counts itself; where there is TLS, ``HandshakeGuard`` does.
    private let isCounting: Bool
    private var isCounted = false
    private var timer: Scheduled<Void>?
    /// The requests that are not answered yet: a client may send several at once.
    private var pending = 0
    /// Whether the body of a request is still coming.
    private var isReading = false
    /// When the last part of a request came.
    private var heardAt = NIODeadline.now()
    /// Since when no request is pending, and every answer is sent.
    private var quietSince = NIODeadline.now()
    /// The portions of answers that are not sent yet.
    private var unsent = 0
    /// When the last portion was sent, or the first one was to be.
    private var sentAt = NIODeadline.now()
    /// Whether the answer is the last one.
    private var isLast = false
    /// HTTP/2 has no field `Connection` (RFC 9113, 8.2.2).
    private var isStream = false
    /// What guards the connection of a stream.
    private var connection: HandshakeGuard?

    /// - Parameters:
    ///   - time: the longest time from the connection, or the last answer, to the head of a request; between two parts of a body; and for the client to
    ///     take a portion of an answer.
    ///   - maximumBody: the longest body that is asked for.
    ///   - crowd: all connections.
    ///   - isCounting: whether the connection is to be counted.
    init(time: TimeAmount, maximumBody: Int, crowd: ConnectionCrowd, isCounting: Bool) {
        (self.time, self.maximumBody, self.crowd, self.isCounting) = (time, maximumBody, crowd, isCounting)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The parent of a connection is what listens, that of a stream a connection.
        isStream = context.channel.parent?.parent != nil
        if isStream, let parent = context.channel.parent, parent.eventLoop.inEventLoop {
            connection = try? parent.pipeline.syncOperations.handler(type: HandshakeGuard.self)
            connection?.streamBegan()
        }
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        leaveConnection()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        leaveConnection()
    }

    private func leaveConnection() {
        connection?.streamEnded()
        connection = nil
        if isCounted { crowd.leave() }
        isCounted = false
    }

    // MARK: - Time

    private func begin(_ context: ChannelHandlerContext) {
        quietSince = .now()
        if isCounting, !isCounted {
            isCounted = true
            crowd.join()
        }
        wait(context, until: quietSince + min(time, ConnectionCrowd.patience))
    }

    /// One timer for a connection, which is set again only when it goes off: requests that are fast do not touch it.
    private func wait(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.check(context)
        }
    }

    private func check(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let now = NIODeadline.now()
        var next = now + time
        if unsent > 0 {
            next = min(next, sentAt + time)
        } else if pending == 0 {
            next = min(next, quietSince + crowd.time(time))
        } else if pending == 1, isReading {
            next = min(next, heardAt + time)
        }
        if next <= now { return context.channel.close(promise: nil) }
        wait(context, until: min(next, now + ConnectionCrowd.patience))
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heardAt = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            pending += 1
            isReading = true
            let isTooLong = head.headerFields[.contentLength].flatMap { Int($0) }.map { $0 > maximumBody } ?? false
            if head.headerFields[.expect]?.lowercased() == "100-continue", !isTooLong {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    // MARK: - Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isLast = head.headerFields[.connection]?.lowercased() == "close"
            if isLast, isStream { head.headerFields[.connection] = nil }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(var rest):
            while rest.readableBytes > Self.portion, let portion = rest.readSlice(length: Self.portion) {
                context.write(wrapOutboundOut(.body(portion)), promise: followed(nil, context))
            }
            context.write(wrapOutboundOut(.body(rest)), promise: followed(promise, context))
        case .end:
            // A head that cannot be parsed is answered, too.
            pending = max(0, pending - 1)
            let promise = followed(promise, context)
            if isLast {
                let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                promise.futureResult.whenSuccess {
                    let (handler, context) = bound.value
                    handler.leave(context)
                }
            }
            context.write(data, promise: promise)
        }
    }

    /// The promise of a portion, whose end is noticed.
    private func followed(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        if unsent == 0 { sentAt = .now() }
        unsent += 1
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let handler = bound.value
            handler.unsent -= 1
            handler.sentAt = .now()
            handler.quietSince = handler.sentAt
        }
        return promise
    }

    /// Says that nothing more comes, and closes the connection a little later, as a client that still sends would lose the answer otherwise (RFC 9112, 9.6).
    private func leave(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.channel.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
    }
}
