import FireLiteServer
import Testing

@Suite struct RequestGateTests {
    @Test func onlyNamesOfThisMachineLeadToTheLoopbackInterface() throws {
        let gate = RequestGate(ServerSettings())
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.0.0.1"] {
            #expect(try gate.check(host: host, origin: nil, isSecure: false) == nil)
        }
        for host in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""] {
            #expect(throws: RequestGate.Refusal.self) { try gate.check(host: host, origin: nil, isSecure: false) }
        }
        #expect(throws: RequestGate.Refusal.self) { try gate.check(host: nil, origin: nil, isSecure: false) }
    }

    @Test func pagesOfOtherOriginsAreRefused() throws {
        var settings = ServerSettings()
        settings.origins = ["https://app.example"]
        let gate = RequestGate(settings)
        #expect(try gate.check(host: "localhost:8080", origin: "https://app.example", isSecure: false) == "https://app.example")
        #expect(try gate.check(host: "localhost:8080", origin: "http://localhost:8080", isSecure: false) == nil)
        for origin in [
            "https://evil.example", "null", "http://localhost:9090", "https://localhost:8080", "https://app.example.evil.example",
        ] {
            #expect(throws: RequestGate.Refusal.self) { try gate.check(host: "localhost:8080", origin: origin, isSecure: false) }
        }
    }
}
