import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// Who may look at pages.
@Suite struct SessionTests {
    private func sample() throws -> (BrowserSample, BrowserSessions) {
        let tokens = try BearerTokens([
            "everything-token-1": ServiceAccess(subject: "owner"),
            "patient-only-token": ServiceAccess(subject: "app", scopes: SMARTScope.list("patient/*.rs"), patient: "1"),
        ])
        let sessions = BrowserSessions(authorizer: tokens)
        return (try BrowserSample("R4", #"{"resourceType":"Patient","id":"1"}"#) { $0.sessions = sessions }, sessions)
    }

    @Test func theLinkWorksOnceAndSetsACookie() async throws {
        let (sample, sessions) = try sample()
        let link = try sessions.makeLink()
        let first = await sample.get(link)
        #expect(first.status == 303 && first.fields["Location"] == "/browse")
        let cookie = try #require(first.fields["Set-Cookie"])
        for word in ["HttpOnly", "SameSite=Strict", "Path=/browse"] { #expect(cookie.contains(word)) }
        #expect(await sample.get(link).status == 401)
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(await sample.get("/browse/Patient/1", ["Cookie": "a=b; \(pair)"]).status == 200)
        #expect(await sample.get("/browse/Patient/1", ["Cookie": pair + "x"]).status == 401)
        // HTTP/2 sends cookies one by one (RFC 9113, 8.2.3).
        #expect(await sample.get("/browse/Patient/1", ["Cookie": "a=b", "cookie": pair, "Cookie": "c=d"]).status == 200)
    }

    @Test func closedPagesNameNothing() async throws {
        let (sample, _) = try sample()
        for target in ["/browse", "/browse/Patient/1", "/browse/console", "/browse/state", "/browse/enter", "/browse/enter?ticket=x"] {
            let reply = await sample.get(target)
            #expect(reply.status == 401 && !reply.text.contains("memory") && !reply.text.contains("Patient/1"), "\(target)")
        }
        #expect(await sample.get("/browse/style.css").status == 200)
    }

    @Test func onlyTokensForEverythingOpenPages() async throws {
        let (sample, _) = try sample()
        #expect(await sample.get("/browse", ["Authorization": "Bearer everything-token-1"]).status == 200)
        #expect(await sample.get("/browse", ["Authorization": "Bearer patient-only-token"]).status == 401)
        #expect(await sample.get("/browse", ["Authorization": "Bearer unknown-token-123"]).status == 401)
        let two: HTTPFields = ["Authorization": "Bearer everything-token-1", "authorization": "Bearer unknown-token-123"]
        #expect(await sample.get("/browse", two).status == 400)
    }

    @Test func onlyPathsOfPagesArePages() {
        for (target, accept, isPage) in [
            ("/", "text/html", true), ("/", "application/fhir+json", false), ("/browse", "", true), ("/browse/Patient?x=1", "", true),
            ("/browser", "", false),
            ("/fhir/Patient", "text/html", false), ("/fhir/browse", "", false),
        ] {
            #expect(StoreBrowser.isPage(ServiceRequest(.get, target, fields: ["Accept": accept])) == isPage, "\(target)")
        }
    }

    @Test func addressesAreReadAsTheyAreWritten() throws {
        try withEvery(0..<500) { seed in
            var random = SeededGenerator(seed: seed)
            func text() -> String {
                String(
                    (0..<Int.random(in: 1...8, using: &random)).map { _ in
                        Array("aZ09-._~:/?#[]@!$&'()*+,;=% ä日\"<>|\\^`{}\n").randomElement(using: &random) ?? "a"
                    })
            }
            let address = Address(["x"] + [text()], items: (0..<3).map { _ in Address.Item(name: text(), value: text()) })
            #expect(Address(target: address.text) == Address(["browse"] + address.segments, items: address.items))
        }
    }
}
