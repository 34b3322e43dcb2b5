import Foundation

/// A request for notifications: see ``Synchronizer/subscribe(_:)``.
public struct SubscriptionRequest: Sendable {
    /// How the server notifies.
    public enum Channel: Sendable, Hashable {
        /// The app connects to the server's websocket.
        case websocket
        /// The server sends requests to an address of the app's backend.
        ///
        /// - Parameters:
        ///   - endpoint: the address, which must be HTTPS, or on this machine.
        ///   - fields: header fields of the requests, `Authorization: Bearer …`. Who can read the Subscription can read them.
        case restHook(endpoint: URL, fields: [String] = [])
    }

    /// The content of notifications. It is never trusted, so less is better.
    public enum Content: String, Sendable {
        /// Nothing: that something changed.
        case empty
        /// References.
        case idOnly = "id-only"
        /// References and resources.
        case fullResource = "full-resource"
    }

    /// How the server notifies.
    public var channel: Channel
    /// The canonical address of a topic that the server offers; nil for the searches of the scope. R5 requires one.
    public var topic: String?
    /// Conditions of the topic, as the server offers them: `Observation?patient=Patient/1`.
    public var filters: [String] = []
    /// The types that notifications are about; nil for those of the scope. With a topic, these types are pulled after missed events.
    public var types: [String]?
    /// The content of notifications, with a topic. Default: references.
    public var content = Content.idOnly
    /// With a topic: the interval of the server's heartbeats; nil to leave it to the server.
    public var heartbeat: Duration?
    /// How long the subscription lasts. Default: a week.
    public var lifetime: Duration = .seconds(604_800)

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - channel: how the server notifies.
    ///   - topic: the canonical address of a topic that the server offers; nil for the searches of the scope.
    public init(_ channel: Channel, topic: String? = nil) {
        self.channel = channel
        self.topic = topic
    }
}

/// A Subscription at the server that the store knows.
public struct ServerSubscription: Sendable, Hashable {
    /// Its id, which a client sends to bind a websocket to it: `bind ID`.
    public let id: String
    /// The types that it is about; empty if that is not known.
    public let typeNames: [String]
    /// Its topic; nil if it has none.
    public let topic: String?
    /// When it ends, by the device's clock; nil if that is not known.
    public let end: Date?
    /// The number of the last event that was pulled; nil if there was none.
    public let lastEvent: Int64?
    /// Whether this store has created it.
    public let isOwn: Bool
}
