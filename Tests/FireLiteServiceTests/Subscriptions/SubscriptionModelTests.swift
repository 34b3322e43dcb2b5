import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

/// Notifications against a model, with hooks that fail and services that end.
@Suite struct SubscriptionModelTests {
    /// What the notifications must be: `Patient/a`, in order.
    private struct Model {
        var events: [String] = []
        private var states: [String: (gender: String, isByApp: Bool)] = [:]
        let filter: String

        init(filter: String) { self.filter = filter }

        mutating func put(_ id: String, _ gender: String) {
            // The same content is no new version.
            guard states[id]?.gender != gender else { return }
            states[id] = (gender, false)
            if gender == filter { events.append("Patient/\(id)") }
        }

        /// An app stores content without the version and time that a service adds.
        mutating func putByApp(_ id: String, _ gender: String) {
            if let state = states[id], state == (gender, true) { return }
            states[id] = (gender, true)
            if gender == filter { events.append("Patient/\(id)") }
        }

        mutating func delete(_ id: String) { if states.removeValue(forKey: id)?.gender == filter { events.append("Patient/\(id)") } }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["R4", "R4B", "R5"], [1, 2, 3])
    func everyEventIsNotifiedAtLeastOnceInOrder(_ release: String, _ seed: Int) async throws {
        let choice = SharedChoice(seed)
        let hook = HookSample { _ in
            switch choice.next(below: 8) {
            case 0: .status(500)
            case 1: .broken
            case 2: .lost
            case 3: .status(302)
            default: .status(200)
            }
        }
        func configure(_ configuration: inout FHIRService.Configuration) {
            SubscriptionSample.set(&configuration, hook, ServiceTopic(SubscriptionSample.topic, of: ["Patient"], filters: ["gender"]))
            // So many failures in a row do not happen.
            configuration.hookRetries.maximumAttempts = 200
            configuration.hookRetries.maximumTimeouts = 200
        }
        let sample = try SubscriptionSample.service(release, hook: hook, configure: configure)
        var service = sample.service
        func send(_ method: HTTPMethod, _ path: String, _ body: String = "") async -> Int {
            await service.respond(
                to: ServiceRequest(method, "/fhir" + path, fields: ["Content-Type": "application/fhir+json"], body: Data(body.utf8))
            ).status
        }
        _ = await send(.put, "/Patient/early", #"{"resourceType":"Patient","id":"early","gender":"female"}"#)
        let subscription = SubscriptionSample.json(release, filters: ["gender=female"], maximum: 1 + choice.next(below: 4))
        #expect(await send(.put, "/Subscription/s", subscription) == 201)
        var model = Model(filter: "female")
        for step in 0..<60 {
            let id = "p\(choice.next(below: 6))"
            switch choice.next(below: 10) {
            case 0, 1:
                #expect(await send(.delete, "/Patient/\(id)") == 204)
                model.delete(id)
            case 2:
                // A transaction of several.
                let genders = (0..<3).map { _ in choice.next(below: 2) == 0 ? "female" : "male" }
                let entries = genders.enumerated().map { index, gender in
                    #"{"resource":{"resourceType":"Patient","id":"t\#(step)-\#(index)","gender":"\#(gender)"},"request":{"method":"PUT","url":"Patient/t\#(step)-\#(index)"}}"#
                }
                let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
                #expect(await send(.post, "/", bundle) == 200)
                for (index, gender) in genders.enumerated() { model.put("t\(step)-\(index)", gender) }
            case 3:
                // An app writes beside the service.
                let release = sample.store.release
                let data = Data(#"{"resourceType":"Patient","id":"\#(id)","gender":"female"}"#.utf8)
                try await sample.store.write { tx in _ = try tx.upsert(FHIRJSON.resource(from: data, release: release)) }
                model.putByApp(id, "female")
            case 4:
                // The process ends, and another goes on.
                await service.stop()
                var configuration = FHIRService.Configuration()
                configuration.timeZone = .gmt
                configure(&configuration)
                service = try FHIRService(store: sample.store, configuration: configuration)
            default:
                let gender = choice.next(below: 2) == 0 ? "female" : "male"
                let status = await send(.put, "/Patient/\(id)", #"{"resourceType":"Patient","id":"\#(id)","gender":"\#(gender)"}"#)
                #expect(status == 200 || status == 201)
                model.put(id, gender)
            }
            _ = await send(.put, "/Observation/o", #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"\#(step)"}}"#)
        }
        // A last event shows that all before it were sent.
        _ = await send(.put, "/Patient/last", #"{"resourceType":"Patient","id":"last","gender":"female"}"#)
        model.put("last", "female")
        await hook.wait { notifications, _ in notifications.contains { $0.events.contains { $0.focus == "Patient/last" } } }
        await service.stop()
        let events = await hook.events
        #expect(events.map(\.number) == Array(1...model.events.count), "\(release), seed \(seed)")
        #expect(events.map(\.focus) == model.events, "\(release), seed \(seed)")
        let types = await hook.received.map(\.type)
        #expect(types.first == "handshake" && Set(types) == ["handshake", "event-notification"])
    }
}
