import Foundation

/// A FHIR server's notification: a text frame of a websocket, or the body of a request to a rest-hook.
///
/// ```swift
/// let pulled = try await synchronizer.pull(notifiedBy: SubscriptionNotification(text: frame))
/// ```
/// The app owns the channel. A notification is only trusted to mean that something may have changed: the resources that it names are read
/// from the server, with the synchronizer's own access. Its description contains no ids.
public struct SubscriptionNotification: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The subject of a notification.
    public enum Kind: String, Sendable {
        /// The server has bound the websocket to a subscription.
        case bound
        /// Something changed, and the notification does not say what: `ping` of a websocket, or a rest-hook without content.
        case ping
        /// One resource changed: a rest-hook with the resource.
        case resource
        /// The channel works.
        case handshake
        /// The channel still works.
        case heartbeat
        /// Something happened: events with their numbers.
        case eventNotification = "event-notification"
        /// What the server answered when it was asked how a subscription is.
        case queryStatus = "query-status"
        /// Earlier events that the server was asked for.
        case queryEvent = "query-event"
        /// Anything else. It says nothing.
        case unrecognized
    }

    /// An event of a subscription.
    public struct Event: Sendable, Hashable {
        /// Its number, counted from 1 since the subscription began; nil if the server does not say.
        public let number: Int64?
        /// The references to what changed, as the notification has them.
        public let references: [String]
    }

    /// Its subject.
    public let kind: Kind
    /// The subscription: its id, or the reference to it as the notification has it. Nil if that is not said.
    public let subscription: String?
    /// The topic; nil if that is not said.
    public let topic: String?
    /// The state of the subscription, `active`, `error`, `off`; nil if that is not said.
    public let status: String?
    /// The number of events since the subscription began; nil if that is not said.
    public let eventCount: Int64?
    /// The events.
    public let events: [Event]

    init(
        _ kind: Kind, subscription: String? = nil, topic: String? = nil, status: String? = nil, eventCount: Int64? = nil,
        events: [Event] = []
    ) {
        self.kind = kind
        self.subscription = subscription
        self.topic = topic
        self.status = status
        self.eventCount = eventCount
        self.events = events
    }

    /// Reads a text frame of a websocket: `ping ID`, `bound ID`, or a notification Bundle as JSON.
    ///
    /// - Parameter text: the frame. Anything else is ``Kind/unrecognized``.
    public init(text: String) {
        let start = text.drop(while: \.isWhitespace)
        guard !start.hasPrefix("{") else {
            self = NotificationBody(Data(text.utf8))?.notification ?? Self(.unrecognized)
            return
        }
        // A word and an id are no longer.
        let words = start.prefix(256).split(whereSeparator: \.isWhitespace)
        let id = words.count == 2 ? String(words[1]) : nil
        switch words.first {
        case "ping" where words.count <= 2: self.init(.ping, subscription: id)
        case "bound" where words.count <= 2: self.init(.bound, subscription: id)
        default: self.init(.unrecognized)
        }
    }

    /// Reads the body of a request to a rest-hook: nothing, a resource, or a notification Bundle of R4 (Subscriptions R5 Backport), R4B or R5.
    ///
    /// - Parameters:
    ///   - body: the body of the notification.
    ///   - contentType: the field `Content-Type`. A body that is not JSON only reports that something changed.
    public init(body: Data, contentType: String? = nil) {
        let isJSON = contentType.map { MediaType($0).isJSON } ?? true
        self = (isJSON ? NotificationBody(body)?.notification : nil) ?? Self(.ping)
    }

    /// Whether the server has ended the subscription, or cannot deliver: renew it, or create another.
    public var hasEnded: Bool { status == "off" || status == "error" || status == "entered-in-error" }

    /// The kind and the number of events.
    public var description: String { events.isEmpty ? kind.rawValue : "\(kind.rawValue) of \(events.count) events" }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
