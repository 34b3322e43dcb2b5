import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// Rules of FHIR's page RESTful API that clients and test kits try.
@Suite struct ProtocolRuleTests {
    private static let releases = InteractionTests.releases
    private let jsonPatch: HTTPFields = ["Content-Type": "application/json-patch+json"]

    private func patient(_ id: String, _ members: String = "") -> String {
        #"{"resourceType":"Patient","id":"\#(id)"\#(members.isEmpty ? "" : "," + members)}"#
    }

    private func observation(_ id: String, _ members: String) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},\#(members)}"#
    }

    private func bundle(_ type: String, _ entries: String...) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    private func entry(_ method: String, _ url: String, _ resource: String, full: String? = nil) -> String {
        let fullUrl = full.map { #""fullUrl":"\#($0)","# } ?? ""
        return #"{\#(fullUrl)"resource":\#(resource),"request":{"method":"\#(method)","url":"\#(url)"}}"#
    }

    // MARK: - Writing

    @Test(arguments: releases) func whatMustNotExistIsCreatedOnce(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let fields: HTTPFields = ["If-None-Match": "*"]
        #expect(await sample.send(.put, "/Patient/a", patient("a", #""active":true"#), fields).status == 201)
        #expect(await sample.send(.put, "/Patient/a", patient("a", #""active":false"#), fields).status == 412)
        #expect(await sample.get("/Patient/a").json?["active"] == .bool(true))
        // Of a deleted resource there is none.
        #expect(await sample.send(.delete, "/Patient/a").status == 204)
        #expect(await sample.send(.put, "/Patient/a", patient("a"), fields).status == 201)
    }

    @Test(arguments: releases) func deletionsAnswerAsPreferred(_ release: String) async throws {
        let sample = try ServiceSample(release, patient("a"), patient("b"))
        let reply = await sample.send(.delete, "/Patient/a", "", ["Prefer": "return=OperationOutcome"])
        #expect(reply.status == 200 && reply.issue == "informational")
        let plain = await sample.send(.delete, "/Patient/b", "", ["Prefer": "return=minimal"])
        #expect(plain.status == 204 && plain.text.isEmpty && plain.fields["Content-Length"] == nil)
    }

    /// RFC 7240, section 2.
    @Test func theFirstOfRepeatedPreferencesCounts() async throws {
        let sample = try ServiceSample("R4")
        let minimal = await sample.send(.post, "/Patient", patient("a"), ["Prefer": "return=minimal, return=representation"])
        #expect(minimal.status == 201 && minimal.text.isEmpty)
        let whole = await sample.send(.post, "/Patient", patient("a"), ["Prefer": "return=representation; return=minimal"])
        #expect(whole.status == 201 && whole.json?["resourceType"]?.text == "Patient")
        let strict = await sample.get("/Patient?nmae=x", ["Prefer": "handling=strict, handling=lenient"])
        #expect(strict.status == 400)
    }

    @Test func aZeroCharacterIsRefusedByName() async throws {
        let sample = try ServiceSample("R4", patient("a"))
        let reply = await sample.get("/Patient?name=a%00")
        #expect(reply.status == 400 && reply.issue == "invalid" && reply.text.contains("U+0000") && reply.text.contains("%00"))
        #expect(await sample.get("/Patient?name=%FF").text.contains("percent-encoded UTF-8"))
    }

    @Test func patchesHaveConditions() async throws {
        let sample = try ServiceSample("R4", patient("a", #""active":true"#), patient("b", #""active":true"#))
        let patch = #"[{"op":"replace","path":"/active","value":false}]"#
        func fields(_ tag: String) -> HTTPFields { ["Content-Type": "application/json-patch+json", "If-Match": tag] }
        #expect(await sample.send(.patch, "/Patient/a", patch, fields("W/\"7\"")).status == 412)
        #expect(await sample.send(.patch, "/Patient?active=true", patch, jsonPatch).status == 412)
        #expect(await sample.send(.patch, "/Patient?active=false", patch, jsonPatch).status == 404)
        #expect(await sample.send(.patch, "/Patient", patch, jsonPatch).status == 400)
        #expect(await sample.get("/Patient/a").version == "1")
        let done = await sample.send(.patch, "/Patient/a", patch, fields("W/\"1\""))
        #expect(done.status == 200 && done.fields["ETag"] == "W/\"2\"" && done.fields["Location"]?.hasSuffix("/_history/2") == true)
        _ = await sample.send(.delete, "/Patient/b")
        #expect(await sample.send(.patch, "/Patient/b", patch, jsonPatch).status == 410)
    }

    @Test func conditionsMayBeginWithAQuestionMark() async throws {
        let sample = try ServiceSample("R4", patient("a", #""identifier":[{"system":"s","value":"1"}]"#))
        for condition in ["identifier=s%7C1", "?identifier=s%7C1", "identifier=s|1", "Patient?identifier=s|1"] {
            let reply = await sample.send(.post, "/Patient", patient("x"), ["If-None-Exist": condition])
            #expect(reply.status == 200 && reply.id == "a", "\(condition)")
        }
        #expect(await sample.send(.post, "/Patient", patient("x"), ["If-None-Exist": ""]).status == 400)
    }

    @Test func malformedContentIsRefusedInEveryForm() async throws {
        let sample = try ServiceSample()
        let xml: HTTPFields = ["Content-Type": "application/fhir+xml"]
        let cases: [(String, HTTPFields, Int)] = [
            ("<Patient xmlns=\"http://hl7.org/fhir\">", xml, 400), ("<Patient/>", xml, 400), ("{}", xml, 400),
            ("<Patient xmlns=\"http://hl7.org/fhir\"><nonsense value=\"1\"/></Patient>", xml, 400),
            ("<!DOCTYPE x [<!ENTITY y \"z\">]><Patient xmlns=\"http://hl7.org/fhir\"><language value=\"&y;\"/></Patient>", xml, 400),
            (#"{"active":true}"#, [:], 400), (#"{"resourceType":"Nonsense"}"#, [:], 400), ("[]", [:], 400), ("null", [:], 400),
            (#"{"resourceType":"Patient","active":true,"active":false}"#, [:], 400),
            (#"{"resourceType":"Patient","active":"true"}"#, [:], 400),
            (patient("a"), ["Content-Type": "application/fhir+json; fhirVersion=5.0"], 415),
            (patient("a"), ["Content-Type": "application/fhir+turtle"], 415),
        ]
        for (body, fields, status) in cases {
            let reply = await sample.send(.post, "/Patient", body, fields)
            #expect(reply.status == status && reply.issue != nil, "\(body): \(reply.status) \(reply.text)")
        }
        let date = await sample.send(.post, "/Patient", #"{"resourceType":"Patient","birthDate":"1970-13-01"}"#)
        #expect(date.status == 400 || date.status == 422)
        #expect(await sample.get("/Patient").entries.isEmpty)
    }

    @Test(arguments: ["R4", "R5"]) func binariesAreStoredAsTheyAreWithTheirSecurityContext(_ release: String) async throws {
        let sample = try ServiceSample(release, patient("p"))
        let fields: HTTPFields = ["Content-Type": "text/csv", "X-Security-Context": ServiceSample.base + "/Patient/p"]
        let stored = await sample.send(.put, "/Binary/b", "a,b\r\n", fields)
        #expect(stored.status == 201 && stored.id == "b", "\(stored.text)")
        #expect(stored.json?["securityContext"]?["reference"]?.text == "Patient/p")
        let raw = await sample.get("/Binary/b", ["Accept": "text/csv"])
        #expect(raw.status == 200 && raw.text == "a,b\r\n" && raw.fields["X-Security-Context"] == "Patient/p")
        #expect(raw.fields["ETag"] == "W/\"1\"")
        #expect(await sample.send(.put, "/Binary/b", "x", ["Content-Type": "text/csv"]).version == "2")
        #expect(await sample.get("/Binary/b", ["Accept": "text/csv"]).fields["X-Security-Context"] == nil)
        #expect(await sample.send(.post, "/Binary", "x", ["Content-Type": "text/csv", "X-Security-Context": "a b"]).status == 400)
    }

    // MARK: - Transactions

    @Test(arguments: ["STU3", "R4", "R4B", "R5"]) func valuesOfTypeURIThatNameEntriesLeadToThem(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let uuid = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let media = #""valueAttachment":{"contentType":"text/plain","url":"\#(uuid)"}"#
        let patient = patient("p", #""extension":[{"url":"http://example.org/e",\#(media)}],"identifier":[{"value":"\#(uuid)"}]"#)
        let data = release == "STU3" ? #""content":"YQ==""# : #""data":"YQ==""#
        let binary = #"{"resourceType":"Binary","contentType":"text/plain",\#(data)}"#
        let reply = await sample.send(
            .post, "", bundle("transaction", entry("PUT", "Patient/p", patient), entry("POST", "Binary", binary, full: uuid)))
        #expect(reply.status == 200, "\(reply.text)")
        let stored = await sample.get("/Patient/p")
        let url = stored.json?["extension"]?.items.first?["valueAttachment"]?["url"]?.text ?? ""
        #expect(url.hasPrefix("Binary/") && !url.contains("urn:"))
        #expect(await sample.get("/" + url).status == 200)
        // Of a string it is no link.
        #expect(stored.json?["identifier"]?.items.first?["value"]?.text == uuid)
    }

    @Test func transactionsReturnWhatIsPreferred() async throws {
        let sample = try ServiceSample()
        let plain = await sample.send(.post, "", bundle("transaction", entry("PUT", "Patient/a", patient("a"))))
        #expect(plain.entries.first?["resource"] == nil && plain.entries.first?["response"]?["location"] != nil)
        let whole = await sample.send(
            .post, "", bundle("transaction", entry("PUT", "Patient/b", patient("b"))), ["Prefer": "return=representation"])
        #expect(whole.entries.first?["resource"]?["id"]?.text == "b")
        let outcome = await sample.send(
            .post, "", bundle("transaction", entry("PUT", "Patient/c", patient("c"))), ["Prefer": "return=OperationOutcome"])
        #expect(outcome.entries.first?["response"]?["outcome"]?["resourceType"]?.text == "OperationOutcome")
    }

    @Test func aConditionThatSeveralResourcesMeetUndoesTheTransaction() async throws {
        let sample = try ServiceSample("R4", patient("a", #""active":true"#), patient("b", #""active":true"#))
        let body = #"{"resourceType":"Patient"}"#
        for last in [
            #"{"resource":\#(body),"request":{"method":"POST","url":"Patient","ifNoneExist":"active=true"}}"#,
            entry("PUT", "Patient?active=true", body),
            entry("POST", "Observation", observation("o", #""subject":{"reference":"Patient?active=true"}"#)),
            #"{"request":{"method":"DELETE","url":"Patient?active=true"}}"#,
        ] {
            let reply = await sample.send(.post, "", bundle("transaction", entry("PUT", "Patient/new", patient("new")), last))
            #expect(reply.status == 412 && reply.text.contains("Bundle.entry[1]"), "\(reply.text)")
            #expect(await sample.get("/Patient/new").status == 404)
        }
    }

    @Test func failuresInABatchHaveTheirOwnStatus() async throws {
        let sample = try ServiceSample("R4", patient("a", #""active":true"#), patient("b", #""active":true"#))
        _ = await sample.send(.delete, "/Patient/b")
        let body = #"{"resourceType":"Patient"}"#
        let reply = await sample.send(
            .post, "",
            bundle(
                "batch", #"{"request":{"method":"GET","url":"Patient/b"}}"#, #"{"request":{"method":"GET","url":"Nonsense/1"}}"#,
                #"{"request":{"method":"GET","url":"Patient?birthdate=x"}}"#, entry("PUT", "Patient/x", patient("y")),
                entry("POST", "Observation", body), entry("PUT", "Patient/a", patient("a", #""gender":"x""#)),
                entry("POST", "Patient", body)))
        let statuses = reply.entries.compactMap { $0["response"]?["status"]?.text.map { String($0.prefix(3)) } }
        #expect(reply.status == 200 && statuses == ["410", "404", "400", "400", "400", "422", "201"], "\(reply.text)")
        #expect(reply.entries.dropLast().allSatisfy { $0["response"]?["outcome"]?["resourceType"]?.text == "OperationOutcome" })
    }

    @Test func entriesCallOperationsThatRead() async throws {
        let sample = try ServiceSample("R4", patient("a"), observation("o", #""subject":{"reference":"Patient/a"}"#))
        let parameters = #"{"resourceType":"Parameters","parameter":[{"name":"_type","valueCode":"Observation"}]}"#
        for type in ["batch", "transaction"] {
            let reply = await sample.send(
                .post, "",
                bundle(
                    type, entry("POST", "Patient/a/$everything", parameters), #"{"request":{"method":"GET","url":"Patient/a/$meta"}}"#,
                    entry("POST", "Patient/$validate", #"{"resourceType":"Patient","gender":"x"}"#),
                    entry("PUT", "Patient/\(type)", patient(type))))
            let statuses = reply.entries.compactMap { $0["response"]?["status"]?.text.map { String($0.prefix(3)) } }
            #expect(statuses == ["200", "200", "200", "201"], "\(reply.text)")
            let found = reply.entries.first?["resource"]?["entry"]?.items.compactMap { $0["resource"]?["id"]?.text } ?? []
            #expect(found.contains("o"))
            #expect(reply.entries[2]["resource"]?["issue"]?.items.first?["code"]?.text == "code-invalid")
        }
        // None that writes, and none that needs more than a snapshot.
        for name in ["Patient/a/$meta-add", "$export", "$nonsense"] {
            let reply = await sample.send(.post, "", bundle("batch", entry("POST", name, parameters)))
            #expect(reply.entries.first?["response"]?["status"]?.text?.hasPrefix("400") == true, "\(reply.text)")
        }
    }

    // MARK: - Reading

    @Test func headHasTheFieldsOfGetEverywhere() async throws {
        let sample = try ServiceSample("R4", patient("a"))
        for path in [
            "/Patient", "/Patient/a/_history", "/Patient/a/_history/1", "/metadata", "/Patient/none", "/Patient/a/$meta", "/_history",
            "/Patient/a/Observation", "",
        ] {
            let get = await sample.get(path)
            let head = await sample.send(.head, path)
            #expect(head.status == get.status && head.text.isEmpty, "\(path)")
            for name in ["ETag", "Last-Modified", "Content-Type"] { #expect(head.fields[name] == get.fields[name], "\(path) \(name)") }
        }
    }

    @Test func aDeletedResourceHasAHistory() async throws {
        let sample = try ServiceSample()
        _ = await sample.send(.put, "/Patient/a", patient("a"))
        _ = await sample.send(.delete, "/Patient/a")
        let history = await sample.get("/Patient/a/_history")
        #expect(history.status == 200 && history.json?["total"] == .number("2"))
        let newest = history.entries.first
        #expect(newest?["resource"] == nil && newest?["request"]?["method"]?.text == "DELETE")
        #expect(newest?["response"]?["status"]?.text?.hasPrefix("204") == true && newest?["fullUrl"]?.text?.hasSuffix("/Patient/a") == true)
        #expect(await sample.get("/Patient/a").status == 410)
        #expect(await sample.get("/Patient/a/_history/1").status == 200)
        #expect(await sample.get("/Patient?_id=a").entries.isEmpty)
    }

    // MARK: - Searching

    @Test func summariesHaveThePartsThatTheirNamesSay() async throws {
        let narrative = #""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">x</div>"}"#
        let sample = try ServiceSample("R4", patient("a", narrative + #","active":true,"maritalStatus":{"text":"m"}"#))
        func found(_ summary: String) async -> JSONItem? {
            await sample.get("/Patient?_summary=\(summary)").entries.first?["resource"]
        }
        func isMarked(_ item: JSONItem?) -> Bool { item?["meta"]?["tag"]?.items.contains { $0["code"]?.text == "SUBSETTED" } ?? false }
        let summary = await found("true")
        #expect(summary?["active"] != nil && summary?["maritalStatus"] == nil && summary?["text"] == nil && isMarked(summary))
        let text = await found("text")
        #expect(text?["text"] != nil && text?["active"] == nil && text?["id"] != nil && isMarked(text))
        let data = await found("data")
        #expect(data?["text"] == nil && data?["active"] != nil && data?["maritalStatus"] != nil && isMarked(data))
        let all = await found("false")
        #expect(all?["text"] != nil && all?["maritalStatus"] != nil && !isMarked(all))
        let count = await sample.get("/Patient?_summary=count")
        #expect(count.json?["total"] == .number("1") && count.entries.isEmpty)
        #expect(await sample.get("/Patient?_summary=nonsense").status == 400)
    }

    @Test func totalsAreAsAskedFor() async throws {
        let sample = try ServiceSample("R4", patient("a"), patient("b"), patient("c"))
        for total in ["accurate", "estimate"] {
            let reply = await sample.get("/Patient?_total=\(total)&_count=1")
            #expect(reply.json?["total"] == .number("3") && reply.entries.count == 1)
        }
        let none = await sample.get("/Patient?_total=none&_count=1")
        #expect(none.json?["total"] == nil && none.entries.count == 1 && none.link("next") != nil)
        let zero = await sample.get("/Patient?_count=0")
        #expect(zero.json?["total"] == .number("3") && zero.entries.isEmpty)
    }

    @Test func theSelfLinkHasWhatWasUnderstood() async throws {
        let sample = try ServiceSample("R4", patient("a", #""gender":"male""#))
        let reply = await sample.get("/Patient?gender=male&nonsense=1&_sort=birthdate")
        let link = try #require(reply.link("self"))
        #expect(link.contains("gender=male") && link.contains("_sort=birthdate") && !link.contains("nonsense"), "\(link)")
        #expect(await sample.get(link).ids.first == "a")
    }

    @Test func searchesFollowReferencesBothWays() async throws {
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Organization","id":"root","name":"Root"}"#,
            #"{"resourceType":"Organization","id":"org","name":"Org","partOf":{"reference":"Organization/root"}}"#,
            patient("a", #""managingOrganization":{"reference":"Organization/org"}"#), patient("b"),
            observation("o", #""subject":{"reference":"Patient/a"},"valueString":"v""#))
        #expect(await sample.get("/Observation?subject:Patient.organization.name=org").ids == ["o"])
        #expect(await sample.get("/Observation?patient.organization.partof.name=root").ids == ["o"])
        #expect(await sample.get("/Patient?_has:Observation:patient:status=final").ids == ["a"])
        #expect(await sample.get("/Organization?_has:Patient:organization:_has:Observation:patient:status=final").ids == ["org"])
        #expect(Set(await sample.get("/Observation?_include=Observation:patient").ids) == ["o", "a"])
        let path = "/Observation?_include=Observation:patient&_include:iterate=Patient:organization&_include:iterate=Organization:partof"
        #expect(Set(await sample.get(path).ids) == ["o", "a", "org", "root"])
        let back = await sample.get("/Organization?_id=org&_revinclude=Patient:organization&_revinclude:iterate=Observation:patient")
        #expect(Set(back.ids) == ["org", "a", "o"])
        #expect(Set(await sample.get("/Patient?_id=a&_include=*").ids) == ["a", "org"])
    }

    @Test func valuesOfSearchesMustBeValid() async throws {
        let sample = try ServiceSample("R4", patient("a"))
        for query in [
            "birthdate=x", "_lastUpdated=yesterday", "birthdate=ge", "_count=-1", "_count=x", "_total=some", "_id:nonsense=a", "_include=x",
            "_has:Observation=x", "gender:missing=perhaps",
        ] {
            let reply = await sample.get("/Patient?" + query)
            #expect(reply.status == 400 && reply.issue != nil, "\(query): \(reply.status) \(reply.text)")
        }
        #expect(await sample.get("?_type=Nonsense").status == 400)
        #expect(await sample.get("/Patient?_sort=nonsense", ["Prefer": "handling=strict"]).status == 400)
    }

    @Test func everythingOfAPatientIsCutDownAndReadByPages() async throws {
        let sample = try ServiceSample(
            "R4", patient("a"), observation("old", #""subject":{"reference":"Patient/a"},"effectiveDateTime":"2010-01-01""#),
            observation("new", #""subject":{"reference":"Patient/a"},"effectiveDateTime":"2020-01-01""#),
            #"{"resourceType":"Condition","id":"c","subject":{"reference":"Patient/a"}}"#, observation("other", #""valueString":"x""#))
        func ids(_ query: String) async -> Set<String> { Set(await sample.get("/Patient/a/$everything" + query).ids) }
        #expect(await ids("") == ["a", "old", "new", "c"])
        let observations = await ids("?_type=Observation")
        #expect(observations.isSuperset(of: ["old", "new"]) && !observations.contains("c"))
        let after = await ids("?start=2015-01-01")
        #expect(after.contains("new") && !after.contains("old") && !after.contains("other"))
        let before = await ids("?end=2015-01-01")
        #expect(before.contains("old") && !before.contains("new"))
        #expect(await sample.get("/Patient/a/$everything?_since=x").status == 400)
        let posted = await sample.send(
            .post, "/Patient/a/$everything",
            #"{"resourceType":"Parameters","parameter":[{"name":"start","valueDate":"2015-01-01"},{"name":"_type","valueCode":"Observation"}]}"#
        )
        #expect(posted.ids.contains("new") && !posted.ids.contains("old"), "\(posted.text)")
        var found: Set<String> = []
        var path: String? = "/Patient/a/$everything?_count=1"
        while let next = path {
            let page = await sample.get(next)
            #expect(page.status == 200, "\(page.text)")
            found.formUnion(page.ids)
            path = page.link("next")
        }
        #expect(found == ["a", "old", "new", "c"])
    }
}
