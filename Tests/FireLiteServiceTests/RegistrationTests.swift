import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// What a service gets from outside.
@Suite struct RegistrationTests {
    private struct Checker: ContentValidator {
        private var undecided: ContentIssue {
            var issue = ContentIssue(.warning, code: "not-found", text: "undecided", path: "Patient.meta")
            issue.isUndecided = true
            return issue
        }

        func issues(of resource: FHIRResource, against profiles: [String]) throws -> [ContentIssue] {
            profiles.map { ContentIssue(.warning, code: "not-found", text: "unknown", path: $0) }
                + (resource.id == "bad" ? [ContentIssue(.error, code: "invariant", text: "bad", path: "Patient.id")] : [])
                + (resource.id == "unknown" ? [undecided] : [])
        }
    }

    private func echo(_ levels: Set<RegisteredOperation.Level>, types: Set<String>? = nil) -> RegisteredOperation {
        RegisteredOperation("echo", definition: "http://example.org/echo", levels: levels, types: types, reads: ["Patient"]) { call in
            if String(decoding: call.parameters, as: UTF8.self).contains("refuse") {
                throw RegisteredOperation.Refusal(
                    status: 422, outcome: Data(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid"}]}"#.utf8)
                )
            }
            return call.resource ?? call.parameters
        }
    }

    @Test func operationsAreCalledWhereTheyAreAndListed() async throws {
        let operation = echo([.type, .instance], types: ["Patient"])
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a"}"#) { $0.operations = [operation] }
        #expect(await sample.get("/Patient/a/$echo").id == "a")
        #expect(await sample.get("/Patient/none/$echo").status == 404)
        let parameters = await sample.get("/Patient/$echo?one=1&two=2")
        #expect(parameters.json?["parameter"]?.items.compactMap { $0["valueString"]?.text } == ["1", "2"])
        let body = await sample.send(.post, "/Patient/$echo", #"{"resourceType":"ValueSet","status":"active"}"#)
        #expect(body.json?["parameter"]?.items.first?["name"]?.text == "valueSet")
        let refused = await sample.get("/Patient/$echo?x=refuse")
        #expect(refused.status == 422 && refused.issue == "invalid")
        #expect(
            await sample.get("/Patient/$echo", ["Accept": "application/fhir+xml"]).fields["Content-Type"]?.hasPrefix("application/fhir+xml")
                == true)
        #expect(await sample.get("/$echo").status == 404)
        #expect(await sample.get("/Observation/$echo").status == 404)
        let text = await sample.get("/metadata").text
        #expect(text.components(separatedBy: "http://example.org/echo").count == 2)
    }

    @Test func scopesMustPermitWhatAnOperationReads() async throws {
        let operation = echo([.system])
        for (scope, status) in [
            ("system/Patient.rs", 200), ("user/*.read", 200), ("patient/Patient.rs", 403), ("system/Patient.rs?gender=male", 403),
        ] {
            let authorizer = try BearerTokens([
                "0123456789abcdef": ServiceAccess(subject: "a", scopes: SMARTScope.list(scope), patient: "p")
            ])
            let sample = try ServiceSample {
                $0.operations = [operation]
                $0.authorizer = authorizer
            }
            #expect(await sample.get("/$echo", ["Authorization": "Bearer 0123456789abcdef"]).status == status, "\(scope)")
        }
    }

    @Test func validatorsCheckForValidateAndIfAskedForBeforeStoring() async throws {
        for strict in [false, true] {
            let sample = try ServiceSample {
                $0.validator = Checker()
                $0.storesOnlyConforming = strict
            }
            let reply = await sample.send(
                .post, "/Patient/$validate?profile=http://example.org/p", #"{"resourceType":"Patient","id":"bad"}"#)
            #expect(reply.json?["issue"]?.items.compactMap { $0["code"]?.text } == ["not-found", "invariant"])
            let stored = await sample.send(.put, "/Patient/bad", #"{"resourceType":"Patient","id":"bad"}"#)
            #expect(stored.status == (strict ? 422 : 201))
            // What is undecided is a warning of `$validate`, and is not stored either.
            let undecided = #"{"resourceType":"Patient","id":"unknown"}"#
            let warned = await sample.send(.post, "/Patient/$validate", undecided)
            #expect(warned.json?["issue"]?.items.compactMap { $0["severity"]?.text } == ["warning"])
            #expect(await sample.send(.put, "/Patient/unknown", undecided).status == (strict ? 422 : 201))
        }
    }

    @Test func metadataNamesWhatTheOwnerSupports() async throws {
        let sample = try ServiceSample {
            $0.instantiates = ["http://example.org/capabilities"]
            $0.supportedProfiles = ["Patient": ["http://example.org/p"]]
        }
        let reply = await sample.get("/metadata")
        #expect(reply.json?["instantiates"]?.items.first?.text == "http://example.org/capabilities")
        let patient = reply.json?["rest"]?.items.first?["resource"]?.items.first { $0["type"]?.text == "Patient" }
        #expect(patient?["supportedProfile"]?.items.first?.text == "http://example.org/p")
        #expect(patient?["conditionalDelete"]?.text == "single")
    }

    @Test func conditionalDeletionsStopAtTheirLimit() async throws {
        func sample(_ number: Int) throws -> ServiceSample {
            let sample = try ServiceSample { $0.conditionalDeletions = number }
            let release = sample.store.release
            try sample.store.write { tx in
                for number in 0..<5 {
                    try tx.upsert(
                        FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"\#(number)","active":true}"#.utf8), release: release)
                    )
                }
            }
            return sample
        }
        func count(_ sample: ServiceSample) async -> JSONItem? { await sample.get("/Patient?_summary=count").json?["total"] }
        let one = try sample(1)
        #expect(await one.send(.delete, "/Patient?active=true").status == 412)
        let several = try sample(5)
        #expect(await several.send(.delete, "/Patient?active=false").status == 204)
        #expect(await several.send(.delete, "/Patient?active=true&_count=2").status == 204)
        #expect(await count(several) == .number("3"))
        #expect(await several.send(.delete, "/Patient?active=true").status == 204)
        #expect(await count(several) == .number("0"))
        let few = try sample(3)
        #expect(await few.send(.delete, "/Patient?active=true").status == 412)
        #expect(await few.send(.delete, "/Patient?_count=2").status == 400)
        #expect(await few.send(.delete, "/Patient?active=true&_count=0").status == 400)
        #expect(await count(few) == .number("5"))
        let metadata = await few.get("/metadata").text
        #expect(metadata.contains(#""conditionalDelete":"multiple""#))
    }

    @Test func optionsSayWhatAPlaceCanDo() async throws {
        let options = HTTPMethod(rawValue: "OPTIONS")
        let sample = try ServiceSample()
        let reply = await sample.send(options, "/Patient/a")
        #expect(reply.status == 204 && reply.fields["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(await sample.send(options, "/Nonsense").status == 404)
        let old = await (try ServiceSample("DSTU2")).send(options, "/")
        #expect(old.status == 200 && old.json?["resourceType"]?.text == "Conformance")
    }
}
