import HTTPTypes
import Testing

@testable import FireLiteServer

@Suite struct RequestGateTests {
    @Test func onlyNamesOfThisMachineLeadToTheLoopbackInterface() throws {
        let gate = RequestGate(ServerSettings())
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.0.0.1"] {
            #expect(try gate.check(hosts: [host], origins: [], isSecure: false) == nil)
        }
        for host in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""] {
            #expect(throws: RequestGate.Refusal.self) { try gate.check(hosts: [host], origins: [], isSecure: false) }
        }
        #expect(throws: RequestGate.Refusal.self) { try gate.check(hosts: [], origins: [], isSecure: false) }
    }

    @Test func pagesOfOtherOriginsAreRefused() throws {
        var settings = ServerSettings()
        settings.origins = ["https://app.example"]
        let gate = RequestGate(settings)
        #expect(try gate.check(hosts: ["localhost:8080"], origins: ["https://app.example"], isSecure: false) == "https://app.example")
        #expect(try gate.check(hosts: ["localhost:8080"], origins: ["http://localhost:8080"], isSecure: false) == nil)
        for origin in [
            "https://evil.example", "null", "http://localhost:9090", "https://localhost:8080", "https://app.example.evil.example",
        ] {
            #expect(throws: RequestGate.Refusal.self) { try gate.check(hosts: ["localhost:8080"], origins: [origin], isSecure: false) }
        }
    }

    @Test func aRequestHasOneHostAndOneOrigin() throws {
        let gate = RequestGate(ServerSettings())
        let (host, origin) = ("localhost:8080", "http://localhost:8080")
        func status(_ hosts: [String], _ origins: [String]) -> Int? {
            do {
                _ = try gate.check(hosts: hosts, origins: origins, isSecure: false)
                return nil
            } catch { return (error as? RequestGate.Refusal)?.status }
        }
        #expect(status([host], [origin]) == nil)
        for hosts in [[host, host], [host, "evil.example"], ["evil.example", host], ["", host]] { #expect(status(hosts, []) == 400) }
        for origins in [[origin, origin], [origin, "https://evil.example"]] { #expect(status([host], origins) == 400) }
    }

    @Test func theHostsOfARequestAreAllThatItNames() throws {
        let name = try #require(HTTPField.Name("Host"))
        func hosts(_ scheme: String, _ authority: String?, _ fields: [String]) -> [String] {
            var head = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
            for field in fields { head.headerFields.append(HTTPField(name: name, value: field)) }
            return RequestGate.hosts(of: head)
        }
        #expect(hosts("http", "a", []) == ["a"] && hosts("http", "a", ["a"]) == ["a", "a"])
        #expect(hosts("https", "a", ["A"]) == ["a"] && hosts("https", "a", ["a", "b"]) == ["a", "b"])
        #expect(hosts("https", nil, ["a"]) == ["a"] && hosts("https", nil, ["a", "a"]) == ["a", "a"] && hosts("http", nil, []) == [])
    }
}
