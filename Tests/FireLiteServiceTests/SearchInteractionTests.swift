import FireLiteCore
import FireLiteService
import Foundation
import Testing

@Suite struct SearchInteractionTests {
    private func sample() throws -> ServiceSample {
        try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1","name":[{"family":"Adams"}],"birthDate":"1950-01-01"}"#,
            #"{"resourceType":"Patient","id":"2","name":[{"family":"Brown"}],"birthDate":"1960-01-01"}"#,
            #"{"resourceType":"Patient","id":"3","name":[{"family":"Clark"}],"birthDate":"1970-01-01"}"#,
            #"{"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"1-1"}]},"subject":{"reference":"Patient/1"},"effectiveDateTime":"2020-01-01"}"#,
            #"{"resourceType":"Observation","id":"o2","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"1-1"}]},"subject":{"reference":"Patient/1"},"effectiveDateTime":"2021-01-01"}"#,
            #"{"resourceType":"Provenance","id":"p1","target":[{"reference":"Observation/o1"}],"recorded":"2020-01-01T00:00:00Z","agent":[{"who":{"reference":"Patient/1"}}]}"#
        )
    }

    @Test func getAndPostFindTheSame() async throws {
        let sample = try sample()
        let get = await sample.get("/Patient?name=brown")
        #expect(get.status == 200 && get.ids == ["2"] && get.json?["total"] == .number("1") && get.json?["type"]?.text == "searchset")
        let form: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded"]
        #expect(await sample.send(.post, "/Patient/_search", "name=brown", form).ids == ["2"])
        #expect(await sample.send(.post, "/Patient/_search?name=brown", "birthdate=ge1955", form).ids == ["2"])
        #expect(await sample.send(.post, "/Patient/_search", "{}").status == 415)
        #expect(await sample.send(.post, "/Patient/_search", "name=brown&_format=xml", form).text.hasPrefix("<Bundle"))
        #expect(await sample.get("?_type=Patient&_id=3").ids == ["3"])
        #expect(await sample.send(.post, "/_search", "_type=Patient&_id=3", form).ids == ["3"])
        #expect(await sample.get("/Patient/1/Observation?_sort=date").ids == ["o1", "o2"])
        #expect(Set(await sample.get("/Patient/1/*").ids) == ["1", "o1", "o2"])
        #expect(await sample.send(.post, "/Patient/1/Observation/_search", "code=1-1&_sort=-date", form).ids == ["o2", "o1"])
    }

    @Test func pagesFollowOneAnother() async throws {
        let sample = try sample()
        var found: [String] = []
        var path: String? = "/Patient?_sort=name&_count=1"
        while let next = path {
            let page = await sample.get(next)
            #expect(page.status == 200 && page.ids.count == 1 && page.json?["total"] == .number("3"))
            found += page.ids
            path = page.link("next")
        }
        #expect(found == ["1", "2", "3"])
        #expect(await sample.get("/Patient?_summary=count").json?["total"] == .number("3"))
    }

    @Test func includesComeWithMatches() async throws {
        let sample = try sample()
        let reply = await sample.get("/Observation?patient=1&_include=Observation:patient&_revinclude=Provenance:target&_sort=date")
        #expect(reply.ids == ["o1", "o2", "1", "p1"])
        #expect(reply.entries.compactMap { $0["search"]?["mode"]?.text } == ["match", "match", "include", "include"])
        #expect(reply.entries.allSatisfy { $0["resource"]?["meta"]?["versionId"]?.text == "1" })
        #expect(reply.entries.first?["fullUrl"]?.text == "\(ServiceSample.base)/Observation/o1")
    }

    @Test func unknownParametersAreIgnoredOrRefused() async throws {
        let sample = try sample()
        let lenient = await sample.get("/Patient?nonsense=1&name=brown")
        #expect(lenient.status == 200 && lenient.ids == ["2"])
        #expect(lenient.entries.last?["resource"]?["resourceType"]?.text == "OperationOutcome")
        #expect(await sample.get("/Patient?nonsense=1", ["Prefer": "handling=strict"]).status == 400)
    }

    @Test func everythingOfAPatientIsFound() async throws {
        let sample = try sample()
        #expect(Set(await sample.get("/Patient/1/$everything").ids) == ["1", "o1", "o2"])
        #expect(await sample.get("/Patient/9/$everything").status == 404)
    }

    @Test func lastObservationsOfEachCode() async throws {
        let sample = try sample()
        #expect(await sample.get("/Observation/$lastn?patient=1").ids == ["o2"])
        #expect(await sample.get("/Observation/$lastn?patient=1&max=2").ids == ["o2", "o1"])
        #expect(await sample.get("/Observation/$lastn").status == 400)
    }

    @Test func observationsOfOneMomentCountAsOne() async throws {
        func observation(_ id: String, _ date: String) -> String {
            let rest = #""status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"effectiveDateTime":"\#(date)""#
            return #"{"resourceType":"Observation","id":"\#(id)",\#(rest)}"#
        }
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1"}"#, observation("a", "2026-01-02T10:00:00Z"),
            observation("b", "2026-01-02T10:00:00Z"), observation("c", "2026-01-01T10:00:00Z"))
        #expect(Set(await sample.get("/Observation/$lastn?patient=1").ids) == ["a", "b"])
    }

    @Test func conditionsFindOneResource() async throws {
        let sample = try sample()
        let body = #"{"resourceType":"Patient","name":[{"family":"Brown"}]}"#
        let known = await sample.send(.post, "/Patient", body, ["If-None-Exist": "name=brown"])
        #expect(known.status == 200 && known.id == "2")
        #expect(await sample.send(.post, "/Patient", body, ["If-None-Exist": "name=zzz"]).status == 201)
        #expect(await sample.send(.post, "/Patient", body, ["If-None-Exist": "_lastUpdated:missing=true"]).status == 412)
        #expect(await sample.send(.post, "/Patient", body, ["If-None-Exist": "nonsense=1"]).status == 400)
        let updated = await sample.send(.put, "/Patient?name=adams", #"{"resourceType":"Patient","active":true}"#)
        #expect(updated.status == 200 && updated.id == "1")
        #expect(await sample.send(.put, "/Patient?name=clark", #"{"resourceType":"Patient","id":"x"}"#).status == 400)
        #expect(await sample.send(.put, "/Patient?name=nobody", #"{"resourceType":"Patient","id":"3"}"#).status == 409)
        let created = await sample.send(.put, "/Patient?name=nobody", #"{"resourceType":"Patient","id":"new"}"#)
        #expect(created.status == 201 && created.id == "new")
        #expect(await sample.send(.delete, "/Patient?name=clark").status == 204)
        #expect(await sample.get("/Patient/3").status == 410)
        #expect(await sample.send(.delete, "/Patient?name=clark").status == 204)
        #expect(await sample.send(.delete, "/Patient").status == 400)
        let patch = #"[{"op":"add","path":"/gender","value":"male"}]"#
        #expect(
            await sample.send(.patch, "/Patient?_id=1", patch, ["Content-Type": "application/json-patch+json"]).json?["gender"]?.text
                == "male")
        #expect(await sample.send(.patch, "/Patient?_id=77", patch, ["Content-Type": "application/json-patch+json"]).status == 404)
    }
}
