import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// The interactions of FHIR's RESTful API with one resource, in every release.
@Suite struct InteractionTests {
    static let releases = ["DSTU2", "STU3", "R4", "R4B", "R5"]

    private let patient = #"{"resourceType":"Patient","active":true,"language":"de","identifier":[{"value":"ü"}]}"#

    @Test(arguments: releases) func createdResourcesCanBeReadUnderTheirLocation(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let created = await sample.send(.post, "/Patient", patient)
        #expect(created.status == 201 && created.version == "1" && created.fields["ETag"] == "W/\"1\"")
        let location = try #require(created.fields["Location"])
        #expect(location == "\(ServiceSample.base)/Patient/\(created.id)/_history/1")
        #expect(created.fields["Last-Modified"] != nil)
        let read = await sample.get("/Patient/\(created.id)")
        #expect(read.status == 200 && read.text == created.text)
        let version = await sample.get(String(location.dropFirst(ServiceSample.base.count)))
        #expect(version.status == 200 && version.text == created.text)
    }

    @Test func theServerChoosesTheIDOfACreatedResource() async throws {
        let sample = try ServiceSample()
        let created = await sample.send(.post, "/Patient", #"{"resourceType":"Patient","id":"mine"}"#)
        #expect(created.status == 201 && created.id != "mine" && UUID(uuidString: created.id) != nil)
    }

    @Test func updatesCreateAndCountVersions() async throws {
        let sample = try ServiceSample()
        let first = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":true}"#)
        #expect(first.status == 201 && first.version == "1")
        let second = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":false}"#)
        #expect(second.status == 200 && second.version == "2" && second.fields["ETag"] == "W/\"2\"")
        let same = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":false}"#)
        #expect(same.status == 200 && same.version == "2")
        #expect(await sample.get("/Patient/a/_history/1").json?["active"] == .bool(true))
        #expect(await sample.get("/Patient/a/_history/3").status == 404)
    }

    @Test func theIDOfAnUpdateIsThatOfTheAddress() async throws {
        let sample = try ServiceSample()
        #expect(await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"b"}"#).status == 400)
        #expect(await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient"}"#).status == 400)
        #expect(await sample.send(.put, "/Patient/a", #"{"resourceType":"Observation","id":"a"}"#).status == 400)
        #expect(await sample.get("/Patient/a").status == 404)
    }

    @Test func deletedResourcesAreGoneAndComeBackWithALaterVersion() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":true}"#)
        #expect(await sample.send(.delete, "/Patient/a").status == 204)
        #expect(await sample.get("/Patient/a").status == 410)
        #expect(await sample.send(.delete, "/Patient/a").status == 204)
        #expect(await sample.send(.delete, "/Patient/never").status == 204)
        #expect(await sample.get("/Patient/never").status == 404)
        let again = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":true}"#)
        #expect(again.status == 201 && again.version != "1")
        #expect(await sample.get("/Patient/a").version == again.version)
        #expect(again.fields["ETag"] == "W/\"\(again.version)\"")
    }

    @Test func changesOfAnOlderVersionAreRefused() async throws {
        for (release, status) in [("DSTU2", 409), ("STU3", 412), ("R4", 412), ("R5", 412)] {
            let sample = try ServiceSample(release)
            _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":true}"#)
            let body = #"{"resourceType":"Patient","id":"a","active":false}"#
            #expect(await sample.send(.put, "/Patient/a", body, ["If-Match": "W/\"7\""]).status == status)
            #expect(
                await sample.send(.put, "/Patient/b", #"{"resourceType":"Patient","id":"b"}"#, ["If-Match": "W/\"1\""]).status == status)
            #expect(await sample.send(.put, "/Patient/a", body, ["If-None-Match": "*"]).status == 412)
            #expect(await sample.send(.delete, "/Patient/a", "", ["If-Match": "W/\"7\""]).status == status)
            #expect(await sample.get("/Patient/a").version == "1")
            #expect(await sample.send(.put, "/Patient/a", body, ["If-Match": "W/\"1\""]).status == 200)
        }
    }

    @Test func knownVersionsAreNotSentAgain() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a"}"#)
        let read = await sample.get("/Patient/a")
        let same = await sample.get("/Patient/a", ["If-None-Match": "W/\"1\""])
        #expect(same.status == 304 && same.text.isEmpty)
        #expect(await sample.get("/Patient/a", ["If-None-Match": "W/\"2\""]).status == 200)
        #expect(await sample.get("/Patient/a", ["If-Modified-Since": try #require(read.fields["Last-Modified"])]).status == 304)
        #expect(await sample.get("/Patient/a", ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == 200)
    }

    @Test func answersToWritesAreAsPreferred() async throws {
        let sample = try ServiceSample()
        let minimal = await sample.send(.post, "/Patient", patient, ["Prefer": "return=minimal"])
        #expect(minimal.status == 201 && minimal.text.isEmpty && minimal.fields["Location"] != nil)
        let outcome = await sample.send(.post, "/Patient", patient, ["Prefer": "return=OperationOutcome"])
        #expect(outcome.status == 201 && outcome.issue == "informational")
        let whole = await sample.send(.post, "/Patient", patient, ["Prefer": "return=representation"])
        #expect(whole.json?["resourceType"]?.text == "Patient")
    }

    @Test func headHasTheFieldsOfGet() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a"}"#)
        let get = await sample.get("/Patient/a")
        let head = await sample.send(.head, "/Patient/a")
        #expect(head.status == 200 && head.text.isEmpty)
        for name in ["ETag", "Last-Modified", "Content-Type", "Content-Length"] { #expect(head.fields[name] == get.fields[name]) }
    }

    @Test func refusalsAreOutcomesWithACode() async throws {
        let sample = try ServiceSample()
        let cases: [(HTTPMethod, String, String, Int, String)] = [
            (.get, "/Patient/none", "", 404, "not-found"), (.get, "/Nonsense/1", "", 404, "not-supported"),
            (.get, "/Patient/" + String(repeating: "x", count: 65), "", 404, "not-found"), (.post, "/Patient", "{", 400, "structure"),
            (.post, "/Patient", #"{"resourceType":"Patient","nonsense":1}"#, 400, "structure"),
            (.post, "/Patient", "", 400, "required"), (.post, "/Patient", #"{"resourceType":"Observation"}"#, 400, "invalid"),
            (.post, "/Observation", #"{"resourceType":"Observation","code":{"text":"x"}}"#, 422, "required"),
            (.post, "/Patient", #"{"resourceType":"Patient","gender":"nonsense"}"#, 422, "code-invalid"),
            (.delete, "/metadata", "", 405, "not-supported"), (HTTPMethod(rawValue: "BREW"), "/Patient", "", 405, "not-supported"),
            (.get, "/Patient?_count=x", "", 400, "invalid"), (.get, "/$nonsense", "", 404, "not-supported"),
            (.get, "/Patient/a/b/c/d/e", "", 404, "not-found"), (.get, "/Patient?name=%zz", "", 400, "invalid"),
        ]
        for (method, path, body, status, code) in cases {
            let reply = await sample.send(method, path, body)
            #expect(reply.status == status && reply.issue == code, "\(method) \(path): \(reply.status) \(reply.text)")
        }
    }

    @Test func requestsKeepTheirID() async throws {
        let sample = try ServiceSample()
        #expect(await sample.get("/metadata", ["X-Request-Id": "abc-1"]).fields["X-Request-Id"] == "abc-1")
        let other = await sample.get("/metadata", ["X-Request-Id": "a b\nc"]).fields["X-Request-Id"]
        #expect(UUID(uuidString: other ?? "") != nil)
    }

    @Test func formatsAreNegotiated() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a"}"#)
        let cases: [(String, HTTPFields, String)] = [
            ("", [:], "application/fhir+json"), ("", ["Accept": "application/fhir+xml"], "application/fhir+xml"),
            ("", ["Accept": "*/*"], "application/fhir+json"),
            ("", ["Accept": "text/xml;q=0.2, application/json;q=0.9"], "application/fhir+json"),
            ("?_format=xml", ["Accept": "application/json"], "application/fhir+xml"),
            ("?_format=application/fhir+json", [:], "application/fhir+json"),
            ("", ["Accept": "application/fhir+json; fhirVersion=4.0"], "application/fhir+json"),
        ]
        for (query, fields, type) in cases {
            let reply = await sample.get("/Patient/a" + query, fields)
            #expect(reply.status == 200 && reply.fields["Content-Type"]?.hasPrefix(type) == true, "\(query) \(fields)")
        }
        #expect(await sample.get("/Patient/a?_format=pdf").status == 406)
        #expect(await sample.get("/Patient/a", ["Accept": "application/pdf"]).status == 406)
        #expect(await sample.get("/Patient/a", ["Accept": "application/fhir+json; fhirVersion=5.0"]).status == 406)
        let xml = await sample.get("/Patient/a", ["Accept": "application/fhir+xml"])
        #expect(xml.text.hasPrefix("<Patient"))
        let stored = await sample.send(
            .put, "/Patient/a", xml.text.replacing("</meta>", with: "</meta><active value=\"true\"/>"),
            ["Content-Type": "application/fhir+xml"])
        #expect(stored.status == 200 && stored.json?["active"] == .bool(true))
        #expect(await sample.send(.put, "/Patient/a", "x", ["Content-Type": "text/plain"]).status == 415)
        #expect(await sample.get("/Patient/a?_pretty=true").text.contains("\n"))
    }

    @Test func partsOfResourcesAreMarked() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a","active":true,"birthDate":"1970-01-01"}"#)
        let part = await sample.get("/Patient/a?_elements=birthDate")
        #expect(part.json?["birthDate"]?.text == "1970-01-01" && part.json?["active"] == nil && part.version == "1")
        #expect(part.json?["meta"]?["tag"]?.items.first?["code"]?.text == "SUBSETTED")
    }
}
