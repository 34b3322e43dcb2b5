import FireLiteCore
import FireLiteService
import Foundation
import Testing

@Suite struct BundleInteractionTests {
    private func bundle(_ type: String, _ entries: String...) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    private func entry(_ method: String, _ url: String, _ resource: String? = nil, full: String? = nil, _ more: String = "") -> String {
        let members = [full.map { #""fullUrl":"\#($0)""# }, resource.map { #""resource":\#($0)"# }].compactMap { $0 }
        return "{" + (members + [#""request":{"method":"\#(method)","url":"\#(url)"\#(more)}"#]).joined(separator: ",") + "}"
    }

    private func statuses(_ reply: ServiceSample.Reply) -> [String] {
        reply.entries.compactMap { $0["response"]?["status"]?.text.map { String($0.prefix(3)) } }
    }

    @Test(arguments: InteractionTests.releases) func entriesOfATransactionReferToOneAnother(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let uuid = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let observation =
            #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"\#(uuid)"}}"#
        let reply = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("POST", "Observation", observation),
                entry("POST", "Patient", #"{"resourceType":"Patient"}"#, full: uuid)))
        #expect(reply.status == 200 && reply.json?["type"]?.text == "transaction-response", "\(reply.text)")
        #expect(statuses(reply) == ["201", "201"])
        let places = reply.entries.compactMap { $0["response"]?["location"]?.text?.replacing(ServiceSample.base, with: "") }
        let stored = await sample.get(String(places[0].prefix { $0 != "_" }.dropLast()))
        let patient = places[1].dropFirst().split(separator: "/")[1]
        #expect(stored.json?["subject"]?["reference"]?.text == "Patient/\(patient)")
    }

    @Test func oneFailureUndoesTheWholeTransaction() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","active":true}"#)
        let reply = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("DELETE", "Patient/a"), entry("PUT", "Patient/b", #"{"resourceType":"Patient","id":"b"}"#),
                entry("POST", "Observation", #"{"resourceType":"Observation"}"#)))
        #expect(reply.status == 422 && reply.text.contains("Bundle.entry[2]"))
        #expect(await sample.get("/Patient/a").status == 200)
        #expect(await sample.get("/Patient/b").status == 404)
    }

    @Test func verbsAreDoneInTheirOrderAndAnsweredInThatOfTheBundle() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","identifier":[{"value":"1"}]}"#)
        let reply = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("GET", "Patient?identifier=1"),
                entry("POST", "Patient", #"{"resourceType":"Patient","identifier":[{"value":"1"}]}"#, #","ifNoneExist":"identifier=1""#),
                entry("DELETE", "Patient/a")))
        #expect(statuses(reply) == ["200", "201", "204"], "\(reply.text)")
        #expect(reply.entries.first?["resource"]?["total"] == .number("1"))
        #expect(await sample.get("/Patient/a").status == 410)
    }

    @Test func conditionsInTransactionsFindResources() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","identifier":[{"value":"1"}]}"#)
        let observation = { (text: String) in
            #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"\#(text)"}}"#
        }
        let uuid = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let reply = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("POST", "Patient", #"{"resourceType":"Patient"}"#, full: uuid, #","ifNoneExist":"identifier=1""#),
                entry(
                    "PUT", "Observation/o1",
                    observation(uuid).replacing(
                        "{\"resourceType\":\"Observation\"", with: "{\"resourceType\":\"Observation\",\"id\":\"o1\"")),
                entry(
                    "PUT", "Observation/o2",
                    observation("Patient?identifier=1").replacing(
                        "{\"resourceType\":\"Observation\"", with: "{\"resourceType\":\"Observation\",\"id\":\"o2\""))))
        #expect(statuses(reply) == ["200", "201", "201"], "\(reply.text)")
        for id in ["o1", "o2"] { #expect(await sample.get("/Observation/\(id)").json?["subject"]?["reference"]?.text == "Patient/a") }
        // Also those that the transaction itself creates.
        let together = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("POST", "Observation", observation("Patient?identifier=2")),
                entry("POST", "Patient", #"{"resourceType":"Patient","identifier":[{"value":"2"}]}"#)))
        #expect(statuses(together) == ["201", "201"], "\(together.text)")
        #expect(await sample.get("/Observation?patient.identifier=2").entries.count == 1)
        #expect(together.entries.allSatisfy { $0["response"]?["etag"]?.text == "W/\"1\"" })
        let failed = await sample.send(.post, "", bundle("transaction", entry("POST", "Observation", observation("Patient?identifier=9"))))
        #expect(failed.status == 412)
    }

    @Test func linksOfNarrativesLeadToTheStoredResources() async throws {
        let sample = try ServiceSample()
        let uuid = "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a"
        let links =
            #"<a href=\"\#(uuid)\">1</a><img alt='' src='http://other.example/Patient/p?a&amp;b'/><a href='\#(uuid)#name'>\#(uuid)</a>"#
        func observation(_ id: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">\#(links)</div>"},"status":"final","code":{"text":"x"}}"#
        }
        let reply = await sample.send(
            .post, "",
            bundle(
                "transaction", entry("PUT", "Observation/o", observation("o")),
                entry("PUT", "Patient/p", #"{"resourceType":"Patient","id":"p"}"#, full: uuid),
                entry("PUT", "Patient/q", #"{"resourceType":"Patient","id":"q"}"#, full: "http://other.example/Patient/p?a&b")))
        #expect(statuses(reply) == ["201", "201", "201"], "\(reply.text)")
        let text = await sample.get("/Observation/o").json?["text"]?["div"]?.text ?? ""
        #expect(text.contains(#"<a href="Patient/p">1</a><img alt='' src='Patient/q'/><a href='Patient/p#name'>\#(uuid)</a>"#), "\(text)")
    }

    /// Entries of more than one portion: each third refers to the one before by its address, and the next one by a search.
    private func longEntries(_ count: Int, broken: Set<Int> = []) -> [String] {
        (0..<count).map { number in
            let uuid = String(format: "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e3%08x", number)
            switch number % 3 {
            case 0:
                let identifier = #""identifier":[{"value":"v\#(number)"}]"#
                return entry("POST", "Patient", #"{"resourceType":"Patient",\#(identifier)}"#, full: uuid)
            case 1:
                let before = String(format: "urn:uuid:61ebe359-bfdc-4613-8bf2-c5e3%08x", number - 1)
                let status = broken.contains(number) ? "" : #""status":"final","#
                return entry(
                    "PUT", "Observation/o\(number)",
                    #"{"resourceType":"Observation","id":"o\#(number)",\#(status)"code":{"text":"x"},"subject":{"reference":"\#(before)"}}"#
                )
            default:
                let text = number == 302 ? "Patient?identifier=v300" : "Patient?identifier=known"
                return entry(
                    "PUT", "Observation/o\(number)",
                    #"{"resourceType":"Observation","id":"o\#(number)","status":"final","code":{"text":"x"},"subject":{"reference":"\#(text)"}}"#
                )
            }
        }
    }

    @Test(arguments: ["return=minimal", "return=representation"])
    func longTransactionsAreStoredAsShortOnesAre(_ preference: String) async throws {
        let known = #"{"resourceType":"Patient","id":"k","identifier":[{"value":"known"}]}"#
        let sample = try ServiceSample("R4", known, #"{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"old"}}"#)
        let entries = longEntries(900)
        let body = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
        let reply = await sample.send(.post, "", body, ["Prefer": preference])
        #expect(reply.status == 200 && reply.entries.count == 900, "\(reply.text.prefix(500))")
        let places = reply.entries.map { $0["response"]?["location"]?.text?.replacing(ServiceSample.base, with: "") ?? "" }
        for (number, answer) in reply.entries.enumerated() {
            // What was there is updated, everything else is new.
            let response = answer["response"]
            #expect(response?["status"]?.text == (number == 1 ? "200 OK" : "201 Created"), "entry \(number)")
            #expect(response?["etag"]?.text == (number == 1 ? "W/\"2\"" : "W/\"1\""), "entry \(number)")
            let stored = await sample.get(String(places[number].prefix { $0 != "_" }.dropLast()))
            #expect(stored.json?["meta"]?["lastUpdated"]?.text == response?["lastModified"]?.text)
            #expect(answer["resource"] == (preference == "return=minimal" ? nil : stored.json), "entry \(number)")
            let target = stored.json?["subject"]?["reference"]?.text
            switch number % 3 {
            case 0: #expect(stored.json?["identifier"]?.items.first?["value"]?.text == "v\(number)")
            case 1: #expect(target.map { places[number - 1].hasPrefix("/\($0)/_history/") } == true, "entry \(number)")
            case _ where number == 302: #expect(target.map { places[300].hasPrefix("/\($0)/_history/") } == true)
            default: #expect(target == "Patient/k", "entry \(number)")
            }
        }
        #expect(try await sample.store.check().isEmpty)
    }

    @Test func theFirstRefusedEntryOfALongTransactionIsNamed() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"k","identifier":[{"value":"known"}]}"#)
        let entries = longEntries(900, broken: [700, 403])
        let body = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
        let reply = await sample.send(.post, "", body)
        #expect(reply.status == 422 && reply.text.contains("Bundle.entry[403]"), "\(reply.text)")
        #expect(!reply.text.contains("Bundle.entry[700]"))
        #expect(await sample.get("/Observation?_summary=count").json?["total"] == .number("0"))
        #expect(await sample.get("/Patient?_summary=count").json?["total"] == .number("1"))
    }

    @Test func aResourceIsInATransactionOnce() async throws {
        let sample = try ServiceSample()
        let body = #"{"resourceType":"Patient","id":"a"}"#
        #expect(
            await sample.send(.post, "", bundle("transaction", entry("PUT", "Patient/a", body), entry("DELETE", "Patient/a"))).status == 400
        )
        _ = await sample.send(.put, "/Patient/a", body)
        for entries in [
            [entry("PUT", "Patient?_id=a", body), entry("PUT", "Patient/a", body)],
            [entry("PUT", "Patient/a", body), entry("PUT", "Patient?_id=a", body)],
        ] {
            #expect(await sample.send(.post, "", bundle("transaction", entries[0], entries[1])).status == 400)
        }
    }

    @Test func entriesOfABatchStandAlone() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#)
        let reply = await sample.send(
            .post, "",
            bundle(
                "batch", entry("GET", "Patient/none"), entry("PUT", "Patient/b", #"{"resourceType":"Patient","id":"b"}"#),
                entry("GET", "Patient/a"), entry("POST", "Observation", #"{"resourceType":"Observation"}"#), entry("DELETE", "Patient/b"),
                entry("GET", "metadata"), #"{"resource":{"resourceType":"Patient"}}"#))
        #expect(reply.status == 200 && reply.json?["type"]?.text == "batch-response")
        #expect(statuses(reply) == ["404", "201", "200", "422", "204", "200", "400"], "\(reply.text.prefix(2000))")
        #expect(reply.entries[0]["response"]?["outcome"]?["resourceType"]?.text == "OperationOutcome")
    }

    @Test func patchesAreEntries() async throws {
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","active":true}"#)
        let patch = Data(#"[{"op":"replace","path":"/active","value":false}]"#.utf8).base64EncodedString()
        let binary = #"{"resourceType":"Binary","contentType":"application/json-patch+json","data":"\#(patch)"}"#
        let reply = await sample.send(.post, "", bundle("transaction", entry("PATCH", "Patient/a", binary)))
        #expect(statuses(reply) == ["200"], "\(reply.text)")
        #expect(await sample.get("/Patient/a").json?["active"] == .bool(false))
    }

    /// é as one character and as two are different texts.
    @Test func referencesThatDifferInTheirBytesLeadApart() async throws {
        let sample = try ServiceSample("R4")
        let (one, two) = ("\u{E9}", "e\u{301}")
        for (id, text) in [("1", one), ("2", two)] {
            let patient = #"{"resourceType":"Patient","id":"\#(id)","identifier":[{"system":"http://s","value":"\#(text)"}]}"#
            #expect(await sample.send(.put, "/Patient/\(id)", patient).status == 201)
        }
        func observation(_ id: String, _ reference: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"\#(reference)"}}"#
        }
        func subjects(_ references: [String], _ more: String...) async throws -> [String?] {
            let entries = references.enumerated().map { number, reference in
                entry("PUT", "Observation/\(number)", observation("\(number)", reference))
            }
            let body = #"{"resourceType":"Bundle","type":"transaction","entry":[\#((entries + more).joined(separator: ","))]}"#
            let reply = await sample.send(.post, "", body)
            #expect(reply.status == 200, "\(reply.text)")
            var found: [String?] = []
            for number in references.indices {
                found.append(await sample.get("/Observation/\(number)").json?["subject"]?["reference"]?.text)
            }
            return found
        }
        let conditions = [one, two].map { "Patient?identifier=http://s|\($0)" }
        #expect(try await subjects(conditions) == ["Patient/1", "Patient/2"])
        #expect(try await subjects(conditions.reversed()) == ["Patient/2", "Patient/1"])
        // So are addresses of entries.
        let places = [one, two].map { "http://other.example/Patient/x?\($0)" }
        let found = try await subjects(
            places, entry("PUT", "Patient/3", #"{"resourceType":"Patient","id":"3"}"#, full: places[0]),
            entry("PUT", "Patient/4", #"{"resourceType":"Patient","id":"4"}"#, full: places[1]))
        #expect(found == ["Patient/3", "Patient/4"])
        #expect(await sample.get("/Patient?identifier=http://s%7C%C3%A9").ids == ["1"])
        #expect(await sample.get("/Patient?identifier=http://s%7Ce%CC%81").ids == ["2"])
    }

    @Test func otherBundlesAreRefused() async throws {
        let sample = try ServiceSample()
        #expect(await sample.send(.post, "", bundle("collection")).status == 400)
        #expect(await sample.send(.post, "", #"{"resourceType":"Patient"}"#).status == 400)
        #expect(await sample.send(.post, "", #"{"resourceType":"Bundle","type":"batch"}"#).status == 200)
    }
}
