import FireLiteCore
import FireLiteService
import Foundation
import Testing

@Suite struct PatchTests {
    private func sample() throws -> ServiceSample {
        try ServiceSample(
            "R4",
            #"{"resourceType":"Patient","id":"a","active":true,"name":[{"family":"A","given":["x","y"]},{"family":"B"}],"birthDate":"1970-01-01"}"#
        )
    }

    private func json(_ sample: ServiceSample, _ patch: String) async -> ServiceSample.Reply {
        await sample.send(.patch, "/Patient/a", patch, ["Content-Type": "application/json-patch+json"])
    }

    @Test func jsonPatchesAreApplied() async throws {
        let sample = try sample()
        let reply = await json(
            sample,
            #"[{"op":"test","path":"/active","value":true},{"op":"replace","path":"/active","value":false},{"op":"add","path":"/name/0/given/-","value":"z"},{"op":"remove","path":"/name/0/given/0"},{"op":"move","from":"/name/1","path":"/name/0"},{"op":"copy","from":"/name/0/family","path":"/name/1/text"}]"#
        )
        #expect(reply.status == 200 && reply.version == "2")
        #expect(reply.json?["active"] == .bool(false))
        #expect(reply.json?["name"]?.json == #"[{"family":"B"},{"text":"B","family":"A","given":["y","z"]}]"#)
    }

    /// Each copy of a list into itself doubles it.
    @Test func copiesOfCopiesAreRefused() async throws {
        let sample = try sample()
        let operations = (0..<40).map { #"{"op":"copy","from":"/name","path":"/name/0/x\#($0)"}"# }
        let reply = await json(sample, "[\(operations.joined(separator: ","))]")
        #expect(reply.status == 413 && reply.issue == "too-costly")
        #expect(await sample.get("/Patient/a").version == "1")
    }

    /// An expression whose texts grow is ended by the limit of steps, one that takes long by the time of the request.
    @Test func endlessPathsAreRefused() async throws {
        func patch(_ path: String) -> String {
            #"{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"\#(path)"},{"name":"value","valueString":"x"}]}]}"#
        }
        let fields: HTTPFields = ["Content-Type": "application/fhir+json"]
        let growing = try await sample().send(.patch, "/Patient/a", patch("Patient.name.family.repeat($this + 'a').last()"), fields)
        #expect(growing.status == 422 && growing.text.contains("steps"))
        let patient = #"{"resourceType":"Patient","id":"a","name":[{"family":"A"}]}"#
        let hurried = try ServiceSample("R4", patient) { $0.limits.time = .milliseconds(1) }
        let numbers = "(1|2|3|4|5|6|7|8|9|10)"
        let nested = (0..<6).reduce("$this") { inner, _ in "\(numbers).select(\(inner))" }
        let late = await hurried.send(.patch, "/Patient/a", patch("Patient.name.where(\(nested).exists())"), fields)
        #expect(late.status == 503 && late.issue == "timeout")
        // Without the limit, as reading may take longer than a millisecond.
        #expect(try await hurried.unlimited().get("/Patient/a").version == "1")
    }

    @Test func patchesThatDoNotApplyChangeNothing() async throws {
        let sample = try sample()
        let cases: [(String, Int)] = [
            (#"[{"op":"test","path":"/active","value":false}]"#, 422), (#"[{"op":"remove","path":"/gender"}]"#, 422),
            (#"[{"op":"add","path":"/name/9","value":{}}]"#, 422), (#"[{"op":"add","path":"/nonsense","value":1}]"#, 422),
            (#"[{"op":"replace","path":"/id","value":"b"}]"#, 422), (#"[{"op":"jump","path":"/active"}]"#, 400), ("{}", 400), ("[", 400),
            (#"[{"op":"add","path":"active","value":true}]"#, 400), (#"[{"op":"replace","path":"/gender","value":"nonsense"}]"#, 422),
        ]
        for (patch, status) in cases { #expect(await json(sample, patch).status == status, "\(patch)") }
        #expect(await sample.get("/Patient/a").version == "1")
        #expect(await sample.send(.patch, "/Patient/a", "x", ["Content-Type": "text/plain"]).status == 415)
        #expect(await sample.send(.patch, "/Patient/none", "[]", ["Content-Type": "application/json-patch+json"]).status == 404)
    }

    private func path(_ sample: ServiceSample, _ operations: String...) async -> ServiceSample.Reply {
        let body = #"{"resourceType":"Parameters","parameter":[\#(operations.joined(separator: ","))]}"#
        return await sample.send(.patch, "/Patient/a", body)
    }

    private func operation(_ type: String, _ path: String, _ parts: String...) -> String {
        let all = [#"{"name":"type","valueCode":"\#(type)"}"#, #"{"name":"path","valueString":"\#(path)"}"#] + parts
        return #"{"name":"operation","part":[\#(all.joined(separator: ","))]}"#
    }

    @Test func pathPatchesAreApplied() async throws {
        let sample = try sample()
        let reply = await path(
            sample, operation("replace", "Patient.birthDate", #"{"name":"value","valueDate":"1980-01-01"}"#),
            operation("add", "Patient", #"{"name":"name","valueString":"gender"}"#, #"{"name":"value","valueCode":"male"}"#),
            operation("delete", "Patient.name.where(family='B')"), operation("delete", "Patient.maritalStatus"),
            operation("insert", "Patient.name[0].given", #"{"name":"index","valueInteger":0}"#, #"{"name":"value","valueString":"w"}"#),
            operation("move", "Patient.name[0].given", #"{"name":"source","valueInteger":2}"#, #"{"name":"destination","valueInteger":1}"#),
            operation("delete", "Patient.name[0].given[0]"),
            operation(
                "add", "Patient", #"{"name":"name","valueString":"contact"}"#,
                #"{"name":"value","part":[{"name":"name","valueHumanName":{"text":"C"}}]}"#),
            operation("add", "Patient", #"{"name":"name","valueString":"deceased"}"#, #"{"name":"value","valueBoolean":true}"#),
            operation("replace", "Patient.deceased", #"{"name":"value","valueDateTime":"2020"}"#))
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json?["birthDate"]?.text == "1980-01-01" && reply.json?["gender"]?.text == "male")
        #expect(reply.json?["name"]?.json == #"[{"family":"A","given":["y","x"]}]"#)
        #expect(reply.json?["contact"]?.json == #"[{"name":{"text":"C"}}]"#)
        #expect(reply.json?["deceasedDateTime"]?.text == "2020" && reply.json?["deceasedBoolean"] == nil)
    }

    @Test func pathPatchesThatDoNotApplyChangeNothing() async throws {
        let sample = try sample()
        #expect(await path(sample, operation("delete", "Patient.name")).status == 422)
        #expect(await path(sample, operation("replace", "Patient.gender", #"{"name":"value","valueCode":"male"}"#)).status == 422)
        #expect(
            await path(
                sample, operation("add", "Patient", #"{"name":"name","valueString":"active"}"#, #"{"name":"value","valueBoolean":false}"#)
            ).status == 422)
        #expect(await path(sample, operation("jump", "Patient")).status == 400)
        #expect(await path(sample, operation("delete", "Patient.(")).status == 422)
        #expect(await sample.get("/Patient/a").version == "1")
    }

    @Test func theOldestReleaseHasNoPatch() async throws {
        let sample = try ServiceSample("DSTU2", #"{"resourceType":"Patient","id":"a"}"#)
        #expect(await json(sample, "[]").status == 405)
    }
}
