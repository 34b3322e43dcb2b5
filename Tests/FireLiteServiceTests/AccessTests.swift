import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// What tokens permit.
@Suite struct AccessTests {
    private static let tokens: [Secret: ServiceAccess] = [
        "patient-one-token": ServiceAccess(subject: "Patient/1", scopes: SMARTScope.list("patient/*.cruds"), patient: "1"),
        "vital-signs-token": ServiceAccess(subject: "app", scopes: SMARTScope.list("user/Observation.rs?category=vital-signs")),
        "reader-only-token": ServiceAccess(subject: "reader", scopes: SMARTScope.list("system/*.read")),
        "no-patient--token": ServiceAccess(subject: "lost", scopes: SMARTScope.list("patient/*.rs")),
        "everything--token": ServiceAccess(subject: "owner"),
    ]

    private func sample() throws -> ServiceSample {
        let tokens = try BearerTokens(Self.tokens)
        func observation(_ id: String, _ patient: String, _ category: String) -> String {
            let coding = #"{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"\#(category)"}]}"#
            return
                #"{"resourceType":"Observation","id":"\#(id)","status":"final","category":[\#(coding)],"code":{"text":"x"},"subject":{"reference":"Patient/\#(patient)"}}"#
        }
        return try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1","link":[{"other":{"reference":"Patient/2"},"type":"seealso"}]}"#,
            #"{"resourceType":"Patient","id":"2"}"#, observation("v1", "1", "vital-signs"), observation("l1", "1", "laboratory"),
            observation("v2", "2", "vital-signs"), observation("l2", "2", "laboratory")
        ) { $0.authorizer = tokens }
    }

    private func token(_ token: String) -> HTTPFields { ["Authorization": "Bearer \(token)"] }

    @Test func scopesAreReadInBothVersions() {
        #expect(SMARTScope("patient/Observation.rs")?.description == "patient/Observation.rs")
        #expect(SMARTScope("user/*.read")?.description == "user/*.rs")
        #expect(SMARTScope("system/*.write")?.description == "system/*.cud")
        #expect(SMARTScope("user/*.*")?.description == "user/*.cruds")
        #expect(SMARTScope("patient/Observation.rs?category=a%7Cb")?.description == "patient/Observation.rs?category=a%7Cb")
        for text in [
            "openid", "launch/patient", "patient/Observation.sr", "patient/Observation.", "other/Observation.r", "patient/Ob-s.r",
            "patient/.r", "patient/Observation.rx",
        ] {
            #expect(SMARTScope(text) == nil, "\(text)")
        }
    }

    @Test func requestsWithoutATokenAreRefused() async throws {
        let sample = try sample()
        let reply = await sample.get("/Patient/1")
        #expect(reply.status == 401 && reply.issue == "login" && reply.fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        #expect(await sample.get("/Patient/1", token("unknown-unknown-token")).status == 401)
        #expect(await sample.get("/metadata").status == 200)
        #expect(await sample.get("/.well-known/smart-configuration").status == 200)
        #expect(await sample.get("/Patient/1", token("everything--token")).status == 200)
    }

    @Test func aPatientSeesOnlyItsCompartment() async throws {
        let sample = try sample()
        let one = token("patient-one-token")
        #expect(await sample.get("/Patient/1", one).status == 200)
        for path in [
            "/Patient/2", "/Observation/v2", "/Patient/2/$everything", "/Patient/2/_history", "/Observation/v2/_history/1",
            "/Patient/2/$meta",
        ] {
            #expect(await sample.get(path, one).status == 404, "\(path)")
        }
        #expect(Set(await sample.get("/Observation", one).ids) == ["v1", "l1"])
        #expect(await sample.get("/Observation?_summary=count", one).json?["total"] == .number("2"))
        #expect(await sample.get("/Observation?patient=2", one).ids.isEmpty)
        #expect(Set(await sample.get("/Patient?_revinclude=Observation:patient", one).ids) == ["1", "v1", "l1"])
        #expect(await sample.get("/Patient?_include=Patient:link", one).ids == ["1"])
        #expect(await sample.get("/Observation?patient._id=2", one).ids.isEmpty)
        #expect(await sample.get("/Patient?_has:Observation:patient:_id=v2", one).ids.isEmpty)
        #expect(Set(await sample.get("/Patient/1/$everything", one).ids) == ["1", "v1", "l1"])
        #expect(await sample.get("/Patient/2/Observation", one).ids.isEmpty)
        let history = await sample.get("/_history", one)
        #expect(Set(history.ids) == ["1", "v1", "l1"])
    }

    @Test func aPatientChangesOnlyItsCompartment() async throws {
        let sample = try sample()
        let one = token("patient-one-token")
        func observation(_ id: String, _ patient: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"y"},"subject":{"reference":"Patient/\#(patient)"}}"#
        }
        #expect(await sample.send(.put, "/Observation/v2", observation("v2", "1"), one).status == 403)
        #expect(await sample.send(.put, "/Observation/v1", observation("v1", "2"), one).status == 403)
        #expect(await sample.send(.put, "/Observation/new", observation("new", "2"), one).status == 403)
        #expect(await sample.send(.post, "/Observation", observation("x", "2"), one).status == 403)
        #expect(await sample.send(.put, "/Observation/own", observation("own", "1"), one).status == 201)
        #expect(await sample.send(.delete, "/Observation/v2", "", one).status == 204)
        let owner = token("everything--token")
        #expect(await sample.get("/Observation/v2", owner).version == "1")
        #expect(await sample.get("/Observation/new", owner).status == 404)
        #expect(await sample.get("/Observation/v1", owner).version == "1")
    }

    @Test func conditionsOfAScopeDecide() async throws {
        let sample = try sample()
        let vital = token("vital-signs-token")
        #expect(Set(await sample.get("/Observation", vital).ids) == ["v1", "v2"])
        #expect(await sample.get("/Observation/l1", vital).status == 404)
        #expect(await sample.get("/Observation/v1", vital).status == 200)
        #expect(await sample.get("/Patient/1", vital).status == 403)
        #expect(await sample.get("/Observation?_include=Observation:patient", vital).ids.contains("1") == false)
        #expect(await sample.send(.delete, "/Observation/v1", "", vital).status == 403)
    }

    @Test func tokensToReadDoNotWrite() async throws {
        let sample = try sample()
        let reader = token("reader-only-token")
        #expect(await sample.get("/Patient", reader).ids == ["1", "2"])
        #expect(await sample.send(.post, "/Patient", #"{"resourceType":"Patient"}"#, reader).status == 403)
        let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Patient/1"}}]}"#
        #expect(await sample.send(.post, "", bundle, reader).status == 403)
        #expect(await sample.get("/Patient", token("no-patient--token")).status == 403)
    }

    @Test func pagesOfARestrictedSearchGoOn() async throws {
        let sample = try sample()
        let one = token("patient-one-token")
        let first = await sample.get("/Observation?_count=1", one)
        let next = try #require(first.link("next"))
        let second = await sample.get(next, one)
        #expect(Set(first.ids + second.ids) == ["v1", "l1"] && second.link("next") == nil)
        #expect(await sample.get(next, token("everything--token")).status == 400)
    }
}
