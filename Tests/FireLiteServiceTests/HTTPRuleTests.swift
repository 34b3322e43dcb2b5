import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// Further rules of FHIR's page RESTful API, in the releases that have them.
@Suite struct HTTPRuleTests {
    private static let releases = InteractionTests.releases

    private func entry(_ method: String, _ url: String, _ more: String = "", _ resource: String? = nil) -> String {
        let body = resource.map { #""resource":\#($0),"# } ?? ""
        return #"{\#(body)"request":{"method":"\#(method)","url":"\#(url)"\#(more)}}"#
    }

    private func bundle(_ type: String, _ entries: String...) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    @Test(arguments: releases) func theServerSetsVersionAndTimeAndKeepsTheRestOfMeta(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let meta =
            #"{"versionId":"77","lastUpdated":"1999-01-01T00:00:00Z","profile":["http://example.org/p"],"tag":[{"system":"s","code":"t"}]}"#
        let stored = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","meta":\#(meta)}"#)
        #expect(stored.status == 201 && stored.version == "1")
        let read = await sample.get("/Patient/a")
        #expect(read.version == "1" && read.json?["meta"]?["lastUpdated"]?.text?.hasPrefix("1999") == false)
        #expect(read.json?["meta"]?["profile"]?.items.first?.text == "http://example.org/p")
        #expect(read.json?["meta"]?["tag"]?.items.first?["code"]?.text == "t")
        #expect(read.fields["ETag"] == "W/\"1\"")
        let updated = try #require(FHIRInstant(read.json?["meta"]?["lastUpdated"]?.text ?? ""))
        let modified = try #require(HTTPDate.date(read.fields["Last-Modified"]))
        #expect(modified.timeIntervalSince1970 == updated.date.timeIntervalSince1970.rounded(.down))
    }

    @Test(arguments: releases) func aConditionalCreateWithAMatchChangesNothing(_ release: String) async throws {
        let sample = try ServiceSample(release, #"{"resourceType":"Patient","id":"a","identifier":[{"value":"1"}],"gender":"male"}"#)
        let body = #"{"resourceType":"Patient","identifier":[{"value":"1"}],"gender":"female"}"#
        let reply = await sample.send(.post, "/Patient", body, ["If-None-Exist": "identifier=1"])
        #expect(reply.status == 200 && reply.id == "a" && reply.json?["gender"]?.text == "male")
        #expect(reply.fields["Location"]?.hasSuffix("/Patient/a/_history/1") == true)
        #expect(await sample.get("/Patient/a").version == "1")
        #expect(await sample.get("/Patient").entries.count == 1)
    }

    @Test(arguments: releases) func versionsStayReadableAfterTheirResourceIsGone(_ release: String) async throws {
        let sample = try ServiceSample(release)
        for language in ["de", "en"] {
            _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","language":"\#(language)"}"#)
        }
        let first = await sample.get("/Patient/a/_history/1")
        #expect(first.status == 200 && first.json?["language"]?.text == "de" && first.fields["ETag"] == "W/\"1\"")
        #expect(await sample.get("/Patient/a/_history/1", ["If-None-Match": "W/\"1\""]).status == 304)
        _ = await sample.send(.delete, "/Patient/a")
        #expect(await sample.get("/Patient/a/_history/2").json?["language"]?.text == "en")
        #expect(await sample.get("/Patient/a/_history/3").status == 404)
        #expect(await sample.get("/Patient/a/_history/x").status == 404)
        #expect(await sample.get("/Patient/a").status == 410)
    }

    @Test func pathsEndWithOrWithoutASlash() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#)
        for path in ["/Patient", "/Patient/", "/Patient/?", "/%50atient"] { #expect(await sample.get(path).ids == ["a"], "\(path)") }
        for path in ["/patient", "/Patient/a/Nonsense", "/../Patient", "/Patient/%00", "/Patient/a/_history/1/2"] {
            let status = await sample.get(path).status
            #expect(status == 400 || status == 404, "\(path)")
        }
        let outside = await sample.service.respond(to: ServiceRequest(.get, "/other/Patient"))
        #expect(outside.status == 404)
    }

    @Test func contentIsUTF8() async throws {
        let sample = try ServiceSample()
        let body = #"{"resourceType":"Patient","id":"a","name":[{"family":"Grüße 你好 👋"}]}"#
        #expect(await sample.send(.put, "/Patient/a", body, ["Content-Type": "application/json; charset=UTF-8"]).status == 201)
        #expect(await sample.get("/Patient/a").json?["name"]?.items.first?["family"]?.text == "Grüße 你好 👋")
        #expect(await sample.get("/Patient?name=Gr%C3%BC%C3%9Fe").ids == ["a"])
        #expect(await sample.send(.put, "/Patient/a", body, ["Content-Type": "application/json; charset=iso-8859-1"]).status == 415)
        let broken = await sample.service.respond(
            to: ServiceRequest(
                .put, "/fhir/Patient/a", body: Data(#"{"resourceType":"Patient","id":"a","language":""#.utf8) + [0xFF, 0x22, 0x7D]))
        #expect(broken.status == 400)
    }

    @Test(arguments: releases) func conditionsOfEntriesCount(_ release: String) async throws {
        let sample = try ServiceSample(release, #"{"resourceType":"Patient","id":"a"}"#)
        let patient = #"{"resourceType":"Patient","id":"a","active":true}"#
        let reply = await sample.send(
            .post, "",
            bundle(
                "batch", entry("GET", "Patient/a", #","ifNoneMatch":"W/\"1\"""#),
                entry("PUT", "Patient/a", #","ifMatch":"W/\"7\"""#, patient),
                entry("GET", "Patient?_id=a"), entry("PUT", "Patient/a", #","ifMatch":"W/\"1\"""#, patient)))
        let statuses = reply.entries.compactMap { $0["response"]?["status"]?.text.map { String($0.prefix(3)) } }
        #expect(statuses == ["304", release == "DSTU2" ? "409" : "412", "200", "200"], "\(reply.text)")
        let failed = await sample.send(.post, "", bundle("transaction", entry("PUT", "Patient/a", #","ifMatch":"W/\"1\"""#, patient)))
        #expect(failed.status == (release == "DSTU2" ? 409 : 412))
        #expect(await sample.get("/Patient/a").version == "2")
    }

    /// Sends a request with fields that may repeat a name.
    private func send(_ sample: ServiceSample, _ method: HTTPMethod, _ path: String, _ fields: [(String, String)], _ body: String = "")
        async
        -> ServiceSample.Reply
    {
        let fields = HTTPFields(fields.map { HTTPFields.Field(name: $0.0, value: $0.1) })
        let response = await sample.service.respond(
            to: ServiceRequest(method, "/fhir" + path, fields: fields, body: Data(body.utf8)))
        return await ServiceSample.Reply(response)
    }

    @Test func fieldsWithOneValueOccurOnce() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#) {
            $0.authorizer = try? BearerTokens([Secret("0123456789abcdef"): ServiceAccess(subject: "x")])
        }
        let token = ("Authorization", "Bearer 0123456789abcdef")
        #expect(await send(sample, .get, "/Patient/a", [token]).status == 200)
        for field in [token, ("authorization", "Bearer other-other-other"), ("AUTHORIZATION", "")] {
            for fields in [[token, field], [field, token]] {
                let reply = await send(sample, .get, "/Patient/a", fields)
                #expect(reply.status == 400 && reply.issue == "invalid" && !reply.text.contains("0123456789abcdef"), "\(field)")
            }
        }
        let patient = #"{"resourceType":"Patient"}"#
        for name in ["Content-Type", "If-None-Exist", "If-Modified-Since", "Content-Length", "Host", "Origin"] {
            let fields = [token, (name, "application/fhir+json"), (name.lowercased(), "application/fhir+json")]
            let reply = await send(sample, .post, "/Patient", fields, patient)
            #expect(reply.status == 400 && reply.text.contains("http.\(name)"), "\(name): \(reply.text)")
        }
        // Nothing was stored.
        #expect(await send(sample, .get, "/Patient?_summary=count", [token]).json?["total"] == .number("1"))
    }

    @Test func linesOfAListAreOneList() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#)
        let json = ("Content-Type", "application/fhir+json")
        let patient = #"{"resourceType":"Patient","id":"a","active":true}"#
        let stale = await send(sample, .put, "/Patient/a", [json, ("If-Match", #"W/"7""#), ("If-Match", #"W/"8""#)], patient)
        #expect(stale.status == 412)
        let written = await send(
            sample, .put, "/Patient/a",
            [json, ("If-Match", #"W/"7""#), ("If-Match", #"W/"1""#), ("Prefer", "handling=strict"), ("prefer", "return=minimal")], patient)
        #expect(written.status == 200 && written.text.isEmpty)
        let known = await send(sample, .get, "/Patient/a", [("If-None-Match", #"W/"1""#), ("If-None-Match", #"W/"2""#)])
        #expect(known.status == 304)
        let xml = await send(sample, .get, "/Patient/a", [("Accept", "text/html"), ("Accept", "application/fhir+xml")])
        #expect(xml.fields["Content-Type"]?.contains("xml") == true)
    }

    @Test func referencesToTheServersOwnAddressAreLocal() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#)
        let observation =
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"\#(ServiceSample.base)/Patient/a"}}"#
        #expect(await sample.send(.put, "/Observation/o", observation).status == 201)
        for query in ["subject=Patient/a", "patient=a", "subject=\(ServiceSample.base)/Patient/a", "patient=Patient/a"] {
            #expect(await sample.get("/Observation?\(query)").ids == ["o"], "\(query)")
        }
        #expect(await sample.get("/Patient/a/Observation").ids == ["o"])
    }

    @Test func descriptionsThatAreKnownAreNotSentAgain() async throws {
        let sample = try ServiceSample()
        let first = await sample.get("/metadata")
        let tag = try #require(first.fields["ETag"])
        #expect(await sample.get("/metadata", ["If-None-Match": tag]).status == 304)
        _ = await sample.send(.put, "/SearchParameter/x", Self.parameter)
        let changed = await sample.get("/metadata", ["If-None-Match": tag])
        #expect(changed.status == 200 && changed.text.contains("http://example.org/marital"))
        // Also one that changes, while their number stays.
        let next = try #require(changed.fields["ETag"])
        #expect(await sample.get("/metadata", ["If-None-Match": next]).status == 304)
        _ = await sample.send(.put, "/SearchParameter/x", Self.parameter.replacing("org/marital", with: "org/single"))
        let again = await sample.get("/metadata", ["If-None-Match": next])
        #expect(again.status == 200 && again.text.contains("org/single") && !again.text.contains("org/marital"))
        #expect(await sample.get("/metadata", ["If-None-Match": try #require(again.fields["ETag"])]).status == 304)
        _ = await sample.send(.put, "/Patient/m", #"{"resourceType":"Patient","id":"m","maritalStatus":{"coding":[{"code":"M"}]}}"#)
        #expect(await sample.get("/Patient?marital=M", ["Prefer": "handling=strict"]).ids == ["m"])
    }

    private static let parameter =
        #"{"resourceType":"SearchParameter","id":"x","url":"http://example.org/marital","name":"Marital","status":"active","description":"x","code":"marital","base":["Patient"],"type":"token","expression":"Patient.maritalStatus"}"#

    @Test func refusalsNameTheMethodsThatThereAre() async throws {
        let sample = try ServiceSample()
        let reply = await sample.send(.post, "/Patient/a", #"{"resourceType":"Patient"}"#)
        #expect(reply.status == 405 && reply.fields["Allow"] == "GET, HEAD, PUT, PATCH, DELETE")
        #expect(await sample.send(.put, "/Patient/a/_history/1", #"{"resourceType":"Patient"}"#).status == 405)
    }
}
