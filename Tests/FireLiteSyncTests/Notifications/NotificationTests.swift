import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What notifications of each form say.
@Suite struct NotificationTests {
    private typealias Kind = SubscriptionNotification.Kind

    @Test func framesOfWebsocketsAreRead() {
        let frames: [(text: String, kind: Kind, id: String?)] = [
            ("ping 12", .ping, "12"), ("ping", .ping, nil), ("  ping\t12 \r\n", .ping, "12"), ("bound 12", .bound, "12"),
            ("bound", .bound, nil),
            ("ping 1 2", .unrecognized, nil), ("pong 12", .unrecognized, nil), ("PING 12", .unrecognized, nil), ("", .unrecognized, nil),
            ("bind 12", .unrecognized, nil), ("{", .unrecognized, nil), (#"{"resourceType":"Bundle"}"#, .unrecognized, nil),
            ("<html>", .unrecognized, nil), (String(repeating: "[", count: 100_000), .unrecognized, nil),
        ]
        for frame in frames {
            let notification = SubscriptionNotification(text: frame.text)
            #expect(notification.kind == frame.kind && notification.subscription == frame.id, "\(frame.text.prefix(40))")
        }
    }

    @Test func bodiesOfRestHooksAreRead() {
        #expect(SubscriptionNotification(body: Data()).kind == .ping)
        let patient = Data(#"{"resourceType":"Patient","id":"7","topic":{"not":"text"},"name":[{"family":"X"}]}"#.utf8)
        let notification = SubscriptionNotification(body: patient, contentType: "application/fhir+json; charset=utf-8")
        #expect(notification.kind == .resource && notification.events.map(\.references) == [["Patient/7"]])
        var dumped = ""
        dump(notification, to: &dumped)
        #expect("\(notification)" == "resource of 1 events" && !dumped.contains("Patient"))
        // XML, and what is none of this, says that something changed.
        #expect(SubscriptionNotification(body: Data("<Patient/>".utf8), contentType: "application/fhir+xml").kind == .ping)
        for text in [
            "{", "null", "[]", "x", #"{"resourceType":7}"#, #"{"resourceType":"Patient"}"#, #"{"resourceType":"Bundle","type":"history"}"#,
        ] {
            #expect(SubscriptionNotification(body: Data(text.utf8)).kind == .ping, "\(text)")
        }
        let deep = Data((#"{"resourceType":"Patient","id":"1","x":"# + String(repeating: "[", count: 1_000_000)).utf8)
        #expect(SubscriptionNotification(body: deep).kind == .ping)
    }

    /// R4B and R5: a SubscriptionStatus, with numbers of 64 bits as strings.
    @Test func statusesAreRead() throws {
        let text = """
            {"resourceType":"Bundle","type":"subscription-notification","entry":[
            {"fullUrl":"urn:uuid:b0bf7154-6967-4f32-b0b5-d994ff3c0c9e","resource":{"resourceType":"SubscriptionStatus","status":"active",
             "type":"event-notification","eventsSinceSubscriptionStart":"310","topic":"http://example.org/topic",
             "subscription":{"reference":"https://fhir.example.org/base/Subscription/s1"},
             "notificationEvent":[{"eventNumber":"309","focus":{"reference":"Patient/1"}},
              {"eventNumber":310,"focus":{"reference":"Encounter/2"},"additionalContext":[{"reference":"Observation/3"}]}]}},
            {"fullUrl":"https://fhir.example.org/base/Encounter/2","resource":{"resourceType":"Encounter","id":"2","type":[{"text":"x"}],"status":7}},
            {"request":{"method":"DELETE","url":"Patient/9"}}]}
            """
        let notification = SubscriptionNotification(body: Data(text.utf8))
        #expect(notification.kind == .eventNotification && notification.subscription == "https://fhir.example.org/base/Subscription/s1")
        #expect(notification.eventCount == 310 && notification.status == "active" && notification.topic == "http://example.org/topic")
        #expect(notification.events.map(\.number) == [309, 310, nil])
        #expect(
            notification.events.map(\.references) == [
                ["Patient/1"], ["Encounter/2", "Observation/3"], ["https://fhir.example.org/base/Encounter/2", "Patient/9"],
            ])
        // The same as a frame of a websocket.
        #expect(SubscriptionNotification(text: text) == notification)
    }

    /// R4: Parameters at the begin of a history (Subscriptions R5 Backport).
    @Test func backportsAreRead() {
        func body(_ type: String, _ more: String) -> Data {
            Data(
                """
                {"resourceType":"Bundle","type":"history","entry":[{"resource":{"resourceType":"Parameters","parameter":[
                {"name":"subscription","valueReference":{"reference":"Subscription/s1"}},{"name":"status","valueCode":"error"},
                {"name":"type","valueCode":"\(type)"},{"name":"events-since-subscription-start","valueString":"2"}\(more)]}}]}
                """.utf8)
        }
        let event = SubscriptionNotification(
            body: body(
                "event-notification",
                #",{"name":"notification-event","part":[{"name":"event-number","valueString":"2"},"#
                    + #"{"name":"focus","valueReference":{"reference":"Patient/1"}}]}"#
            ))
        #expect(event.kind == .eventNotification && event.subscription == "Subscription/s1" && event.hasEnded && event.eventCount == 2)
        #expect(event.events == [.init(number: 2, references: ["Patient/1"])])
        let kinds: [Kind] = [.handshake, .heartbeat, .queryStatus, .queryEvent]
        for kind in kinds { #expect(SubscriptionNotification(body: body(kind.rawValue, "")).kind == kind) }
        // Words of this library are none of FHIR.
        for word in ["ping", "bound", "unrecognized", "x"] { #expect(SubscriptionNotification(body: body(word, "")).kind == .ping) }
    }

    /// Numbers that leave no room for others are none.
    @Test(arguments: ["9223372036854775807", "-1", "1e400", "x", "99999999999999999999"]) func absurdNumbersAreNone(number: String) {
        let text =
            #"{"resourceType":"Bundle","type":"subscription-notification","entry":[{"resource":{"resourceType":"SubscriptionStatus","type":"heartbeat","#
            + #""subscription":{"reference":"Subscription/s"},"eventsSinceSubscriptionStart":"\#(number)"}}]}"#
        let notification = SubscriptionNotification(body: Data(text.utf8))
        #expect(notification.kind == .heartbeat && notification.eventCount == nil)
    }
}
