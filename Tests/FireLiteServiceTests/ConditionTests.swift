import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// Conditional interactions change what their criteria leave, and nothing if these leave out nothing.
@Suite struct ConditionTests {
    private func sample(_ count: Int = 1, deletions: Int = 1) throws -> ServiceSample {
        let sample = try ServiceSample { $0.conditionalDeletions = deletions }
        let release = sample.store.release
        try sample.store.write { tx in
            for number in 0..<count {
                let json =
                    #"{"resourceType":"Patient","id":"p\#(number)","identifier":[{"system":"http://x/?y","value":"\#(number)"}],"active":true}"#
                try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release))
            }
        }
        return sample
    }

    /// Parameters that leave out no Patient: without a value, or about the results.
    static let empty = [
        "identifier=", "identifier", "nonsense", "nonsense=", "_lastUpdated=", "_score=1", "_contained=false", "_contained=both",
        "_type=Patient",
        "_containedType=container", "_include:iterate=Patient:organization", "_sort:desc=name", "_sort=name", "_total=none", "_count=5",
        "_summary=true", "_elements=id", "_filter=", "_has:Observation:patient:code=", "_tag:not=", "general-practitioner.name=",
        "_profile=",
        "_list=", "_query=", "name:exact=", "identifier=,", "_content=.", "_text=-", "identifier=&active=true",
        "active=true&_contained=false",
        "", "_format=json",
    ]

    @Test(arguments: empty) func whatLeavesOutNothingIsNoCriterion(_ criteria: String) async throws {
        let new = #"{"resourceType":"Patient","gender":"male"}"#
        let patch = #"[{"op":"replace","path":"/active","value":false}]"#
        for deletions in [1, 1_000] {
            let sample = try sample(deletions == 1 ? 1 : 3, deletions: deletions)
            let before = await sample.get("/Patient?_sort=_id").entries.map { $0["resource"] }
            #expect(await sample.send(.delete, "/Patient?\(criteria)").status == 400)
            #expect(await sample.send(.put, "/Patient?\(criteria)", new).status == 400)
            let patched = await sample.send(.patch, "/Patient?\(criteria)", patch, ["Content-Type": "application/json-patch+json"])
            #expect(patched.status == 400)
            let condition: HTTPFields = ["If-None-Exist": criteria]
            #expect(await sample.send(.post, "/Patient", new, condition).status == 400)
            let reference =
                #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":{"resourceType":"Basic","code":{"text":"x"},"#
                + #""subject":{"reference":"Patient?\#(criteria)"}},"request":{"method":"POST","url":"Basic"}}]}"#
            #expect(await sample.send(.post, "", reference).status == 400)
            for (method, resource) in [("DELETE", ""), ("PUT", #""resource":{"resourceType":"Patient","gender":"male"},"#)] {
                let bundle =
                    #"{"resourceType":"Bundle","type":"transaction","entry":[{\#(resource)"request":{"method":"\#(method)","url":"Patient?\#(criteria)"}}]}"#
                #expect(await sample.send(.post, "", bundle).status == 400)
            }
            #expect(await sample.get("/Patient?_sort=_id").entries.map { $0["resource"] } == before)
            #expect(await sample.get("/Basic").ids.isEmpty)
        }
    }

    /// A criterion beside what only says how the results look.
    @Test func whatSaysHowResultsLookMayBeThere() async throws {
        let sample = try sample(3, deletions: 5)
        #expect(await sample.send(.delete, "/Patient?identifier=http://x/?y%7C1&_sort=name&_total=none&_format=json").status == 204)
        #expect(await Set(sample.get("/Patient").ids) == ["p0", "p2"])
    }

    /// A question mark in a value begins no address.
    @Test func questionMarksOfValuesBelongToThem() async throws {
        let sample = try sample(2)
        let new = #"{"resourceType":"Patient","gender":"male"}"#
        for condition in ["identifier=http://x/?y|1", "?identifier=http://x/?y|1", "Patient?identifier=http://x/?y|1"] {
            let reply = await sample.send(.post, "/Patient", new, ["If-None-Exist": condition])
            #expect(reply.status == 200 && reply.id == "p1")
            let bundle =
                #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(new),"request":{"method":"POST","url":"Patient","ifNoneExist":"\#(condition)"}}]}"#
            let answer = await sample.send(.post, "", bundle)
            #expect(answer.entries.first?["response"]?["location"]?.text?.contains("/Patient/p1/") == true, "\(answer.text)")
        }
        #expect(await sample.send(.post, "/Patient", new, ["If-None-Exist": "identifier=http://x/?y|9"]).status == 201)
    }

    /// Operations about a patient are about nobody if the patient has no name.
    @Test func operationsNeedTheirPatient() async throws {
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"a"}"#,
            #"{"resourceType":"DocumentReference","id":"d","status":"current","content":[{"attachment":{"url":"http://x"}}],"subject":{"reference":"Patient/a"},"type":{"coding":[{"system":"http://loinc.org","code":"34133-9"}]}}"#,
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/a"}}"#)
        #expect(await sample.get("/DocumentReference/$docref?patient=a").ids == ["d"])
        #expect(await sample.get("/Observation/$lastn?patient=a").ids == ["o"])
        #expect(await sample.get("/DocumentReference/$docref?patient=").status == 400)
        for query in ["patient=", "subject=", "patient", "patient:missing=false", "patient:not=b"] {
            #expect(await sample.get("/Observation/$lastn?\(query)").status == 400, "\(query)")
        }
    }
}
