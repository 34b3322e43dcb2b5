import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

/// Events of subscriptions over a socket.
@Suite(.timeLimit(.minutes(2))) struct EventStreamTests {
    private func patient(_ id: String) -> String { #"{"resourceType":"Patient","id":"\#(id)"}"# }

    @Test func eventsArriveAtOnceAndTheServerStopsAllTheSame() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let topic =
            #"{"resourceType":"SubscriptionTopic","url":"http://example.org/t","status":"active","resourceTrigger":[{"resource":"Patient"}]}"#
        try Data(topic.utf8).write(to: URL(fileURLWithPath: folder.file("topic.json")))
        let server = try ServerProcess(folder.file("a.sqlite"), ["--history", "--topic", folder.file("topic.json")])
        let channel =
            #"{"_type":{"extension":[{"url":"http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-channel-type","valueCoding":{"code":"server-sent-events"}}]}}"#
        let subscription =
            #"{"resourceType":"Subscription","id":"s","status":"requested","reason":"x","criteria":"http://example.org/t","channel":\#(channel)}"#
        #expect(try await server.send(.put, "/Subscription/s", body: subscription).status == 201)
        let url = try #require(URL(string: server.base + "/Subscription/s/$events"))
        let fields: HTTPFields = ["Accept": "text/event-stream", "Authorization": server.authorization, "Accept-Encoding": "gzip"]
        let response = try await StandardTransport.shared.stream(HTTPRequest(.get, url, fields: fields))
        #expect(response.status == 200 && response.fields["Content-Type"] == "text/event-stream")
        var text = ""
        var isStored = false
        for try await piece in response.body {
            text += String(decoding: piece, as: UTF8.self)
            if text.contains("event: handshake"), !isStored {
                isStored = true
                #expect(try await server.send(.put, "/Patient/a", body: patient("a")).status == 201)
            }
            if text.contains("event: event-notification") { server.process.terminate() }
        }
        #expect(text.contains("id: 1\nevent: event-notification\n"))
        server.process.waitUntilExit()
        #expect(server.process.terminationReason == .exit && server.process.terminationStatus == 0)
    }

    @Test func hooksAreOnlyOfListedOrigins() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder.file("a.sqlite"), ["--history"])
        let subscription =
            #"{"resourceType":"Subscription","id":"s","status":"requested","reason":"x","criteria":"http://example.org/t","channel":{"type":"rest-hook","endpoint":"http://169.254.169.254/"}}"#
        #expect(try await server.send(.put, "/Subscription/s", body: subscription).status == 422)
    }
}
