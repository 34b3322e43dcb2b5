import FireLiteClient
import FireLiteCore
import FireLiteService
import Foundation
import TestSupport

/// A hook in memory, which answers as a test says, and what it has received.
actor HookSample: HTTPTransport {
    enum Answer: Sendable {
        case status(Int)
        case broken
        /// It is received, and the answer gets lost.
        case lost
        /// No answer until the request is cancelled.
        case silent
    }

    struct Notification: Sendable {
        let request: HTTPRequest
        let bundle: JSONItem
        let type: String
        let events: [Event]
    }

    struct Event: Sendable, Equatable {
        let number: Int
        /// `Patient/a`; nil if the notification does not say it.
        let focus: String?
    }

    private(set) var received: [Notification] = []
    private(set) var attempts = 0
    private var answering: @Sendable (HTTPRequest) -> Answer
    private var waiting: [(isMet: @Sendable ([Notification], Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ answer: @escaping @Sendable (HTTPRequest) -> Answer = { _ in .status(200) }) { answering = answer }

    func answer(_ answer: @escaping @Sendable (HTTPRequest) -> Answer) { answering = answer }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        attempts += 1
        let answer = answering(request)
        switch answer {
        case .status(200), .lost: received.append(try Self.notification(request))
        case .status, .broken, .silent: break
        }
        let met = waiting.filter { $0.isMet(received, attempts) }
        waiting.removeAll { $0.isMet(received, attempts) }
        for one in met { one.continuation.resume() }
        switch answer {
        case .status(let status):
            return HTTPResponse(status, fields: status == 302 ? ["Location": "http://elsewhere.example"] : [:], body: Data())
        case .broken, .lost: throw HTTPTransportError(.connectionLost, "the connection was lost")
        case .silent:
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            throw CancellationError()
        }
    }

    /// Waits until what was received and the number of attempts meet a condition.
    func wait(until isMet: @escaping @Sendable ([Notification], Int) -> Bool) async {
        if isMet(received, attempts) { return }
        await withCheckedContinuation { waiting.append((isMet, $0)) }
    }

    /// The events of notifications, each when it came first.
    var events: [Event] { Self.events(received) }

    static func events(_ notifications: [Notification]) -> [Event] {
        var seen: Set<Int> = []
        return notifications.flatMap(\.events).filter { seen.insert($0.number).inserted }
    }

    private static func notification(_ request: HTTPRequest) throws -> Notification {
        notification(try JSONItemReader.read(request.body ?? Data()), request)
    }

    static func notification(_ bundle: JSONItem, _ request: HTTPRequest) -> Notification {
        let status = bundle["entry"]?.items.first?["resource"]
        func path(_ reference: JSONItem?) -> String? {
            reference?["reference"]?.text.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
        }
        if status?["resourceType"]?.text == "Parameters" {
            let parameters = status?["parameter"]?.items ?? []
            func named(_ name: String, _ items: [JSONItem]) -> JSONItem? { items.first { $0["name"]?.text == name } }
            let events = parameters.filter { $0["name"]?.text == "notification-event" }.map { event in
                let parts = event["part"]?.items ?? []
                return Event(
                    number: named("event-number", parts)?["valueString"]?.text.flatMap { Int($0) } ?? 0,
                    focus: path(named("focus", parts)?["valueReference"]))
            }
            let type = named("type", parameters)?["valueCode"]?.text ?? ""
            return Notification(request: request, bundle: bundle, type: type, events: events)
        }
        let events = (status?["notificationEvent"]?.items ?? []).map { event in
            Event(number: event["eventNumber"]?.text.flatMap { Int($0) } ?? 0, focus: path(event["focus"]))
        }
        return Notification(request: request, bundle: bundle, type: status?["type"]?.text ?? "", events: events)
    }
}

/// A clock whose sleeps take no time: they move it on.
///
/// `@unchecked Sendable`: the lock guards the time.
final class QuickClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = Date(timeIntervalSince1970: 1_800_000_000)

    var now: Date { lock.withLock { time } }

    var clock: FHIRClock {
        FHIRClock(
            now: { self.now },
            sleep: { duration in
                try Task.checkCancellation()
                self.lock.withLock { self.time.addTimeInterval(duration / .seconds(1)) }
                await Task.yield()
            }, random: { 0.5 })
    }
}

/// A seeded choice for closures of several tasks.
///
/// `@unchecked Sendable`: the lock guards the generator.
final class SharedChoice: @unchecked Sendable {
    private let lock = NSLock()
    private var generator: SeededGenerator

    init(_ seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

    func next(below limit: Int) -> Int { lock.withLock { Int.random(in: 0..<limit, using: &generator) } }
}

/// Subscriptions in the form of each release.
enum SubscriptionSample {
    static let topic = "http://example.org/topics/t"
    static let hook = "https://hook.example/in"
    private static let backport = "http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/"

    static func observation(_ id: String, of patient: String) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/\#(patient)"}}"#
    }

    /// - Parameters:
    ///   - hook: the address; nil for a stream.
    ///   - filters: `gender=female`, of the type `type`.
    ///   - end: the moment of `Subscription.end`, and other members of a Subscription of R5 and earlier.
    static func json(
        _ release: String, id: String = "s", hook: String? = hook, content: String? = "id-only", filters: [String] = [],
        type: String = "Patient",
        heartbeat: Int? = nil, end: String? = nil, maximum: Int? = nil, status: String = "requested", xml: Bool = false,
        header: String? = nil
    ) -> String {
        func text(_ value: String) -> JSONItem { .string(value) }
        let form = "application/fhir+" + (xml ? "xml" : "json")
        if release == "R5" {
            let parts = filters.map { filter in
                let halves = filter.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                return JSONItem.object([
                    "resourceType": text(type), "filterParameter": text(halves[0]), "value": text(halves[1]),
                ])
            }
            return JSONItem.object([
                "resourceType": text("Subscription"), "id": text(id), "status": text(status), "topic": text(topic), "end": end.map(text),
                "filterBy": parts.isEmpty ? nil : .array(parts),
                "channelType": .object(["code": text(hook == nil ? "server-sent-events" : "rest-hook")]), "endpoint": hook.map(text),
                "parameter": header.map { .array([.object(["name": text("X-Hook"), "value": text($0)])]) },
                "heartbeatPeriod": heartbeat.map { .number("\($0)") }, "contentType": text(form), "content": content.map(text),
                "maxCount": maximum.map { .number("\($0)") },
            ]).json
        }
        func extended(_ name: String, _ type: String, _ value: JSONItem) -> JSONItem {
            .object([JSONItem.Member(name: "url", value: text(backport + name)), JSONItem.Member(name: "value" + type, value: value)])
        }
        let criteria =
            filters.isEmpty ? [] : [extended("backport-filter-criteria", "String", text(type + "?" + filters.joined(separator: "&")))]
        var parts: [JSONItem] = []
        if let heartbeat { parts.append(extended("backport-heartbeat-period", "UnsignedInt", .number("\(heartbeat)"))) }
        if let maximum { parts.append(extended("backport-max-count", "PositiveInt", .number("\(maximum)"))) }
        let kind = extended("backport-channel-type", "Coding", .object(["code": text("server-sent-events")]))
        return JSONItem.object([
            "resourceType": text("Subscription"), "id": text(id), "status": text(status), "end": end.map(text), "reason": text("test"),
            "criteria": text(topic), "_criteria": criteria.isEmpty ? nil : .object(["extension": .array(criteria)]),
            "channel": .object([
                "extension": parts.isEmpty ? nil : .array(parts), "type": hook == nil ? nil : text("rest-hook"),
                "_type": hook == nil ? .object(["extension": .array([kind])]) : nil, "endpoint": hook.map(text), "payload": text(form),
                "_payload": content.map { .object(["extension": .array([extended("backport-payload-content", "Code", text($0))])]) },
                "header": header.map { .array([text("X-Hook: " + $0)]) },
            ]),
        ]).json
    }

    /// A sample with a topic of all changes of patients and observations.
    static func service(
        _ release: String = "R5", history: Bool = true, hook: HookSample, topic: ServiceTopic? = nil,
        configure: (inout FHIRService.Configuration) -> Void = { _ in }
    ) throws -> ServiceSample {
        try ServiceSample(release, history: history) { configuration in
            set(&configuration, hook, topic)
            configure(&configuration)
        }
    }

    static func set(_ configuration: inout FHIRService.Configuration, _ hook: HookSample, _ topic: ServiceTopic? = nil) {
        configuration.base = ServiceSample.base
        configuration.transport = hook
        configuration.hookOrigins = ["https://hook.example"]
        configuration.clock = QuickClock().clock
        configuration.topics = [
            topic ?? ServiceTopic(Self.topic, of: ["Patient", "Observation"], filters: ["gender", "patient", "name", "code"])
        ]
    }
}
