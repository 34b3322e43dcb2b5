import FireLiteCore
import FireLiteService
import Foundation
import Testing

/// What tokens that may not read learn of resources by changing them.
@Suite struct BlindTokenTests {
    private static let tokens: [Secret: ServiceAccess] = [
        "patient-one-token": ServiceAccess(subject: "one", scopes: SMARTScope.list("patient/*.cruds"), patient: "1"),
        "observation-token": ServiceAccess(subject: "observer", scopes: SMARTScope.list("patient/Observation.rs"), patient: "1"),
        "updates-only--token": ServiceAccess(subject: "updater", scopes: SMARTScope.list("system/Patient.us")),
        "creates-only--token": ServiceAccess(subject: "creator", scopes: SMARTScope.list("system/Patient.cs")),
        "everything--token": ServiceAccess(subject: "owner"),
    ]

    private func sample() throws -> ServiceSample {
        let tokens = try BearerTokens(Self.tokens)
        return try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1","gender":"male"}"#,
            #"{"resourceType":"Patient","id":"2","gender":"female","active":true}"#
        ) { $0.authorizer = tokens }
    }

    private func fields(_ token: String, _ type: String = "application/fhir+json") -> HTTPFields {
        ["Authorization": "Bearer \(token)", "Content-Type": type, "Prefer": "return=representation"]
    }

    private static let patch = #"[{"op":"add","path":"/active","value":false}]"#

    /// What is hidden answers as what is not there.
    @Test func patchesAndMetaTellNothingOfHiddenResources() async throws {
        let sample = try sample()
        let meta = #"{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"code":"x"}]}}]}"#
        for (token, status) in [("patient-one-token", 404), ("observation-token", 403)] {
            for id in ["2", "none"] {
                let patched = await sample.send(.patch, "/Patient/\(id)", Self.patch, fields(token, "application/json-patch+json"))
                #expect(patched.status == status, "\(token) \(id)")
                #expect(await sample.send(.post, "/Patient/\(id)/$meta-add", meta, fields(token)).status == status)
            }
        }
        #expect(await sample.get("/Patient/2", fields("everything--token")).version == "1")
    }

    @Test func conditionsTellNothingOfHiddenResources() async throws {
        let sample = try sample()
        func put(_ id: String) async -> [Int] {
            let resource = #"{"resourceType":"Patient","id":"\#(id)"}"#
            let request = #"{"method":"PUT","url":"Patient/\#(id)","ifMatch":"W/\"7\""}"#
            let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(resource),"request":\#(request)}]}"#
            var single = fields("observation-token")
            single["If-Match"] = "W/\"7\""
            return [
                await sample.send(.put, "/Patient/\(id)", resource, single).status,
                await sample.send(.post, "", bundle, fields("observation-token")).status,
            ]
        }
        #expect(await put("2") == [403, 403])
        #expect(await put("none") == [403, 403])
        // With an id of its own a conditional update would create, which this token may not.
        for id in ["2", "none"] {
            let resource = #"{"resourceType":"Patient","id":"\#(id)"}"#
            #expect(await sample.send(.put, "/Patient?gender=other", resource, fields("updates-only--token")).status == 403)
            let bundle =
                #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(resource),"request":{"method":"PUT","url":"Patient?gender=other"}}]}"#
            #expect(await sample.send(.post, "", bundle, fields("updates-only--token")).status == 403)
        }
    }

    /// A token that may change and not read gets no content, and cannot ask for it by what a patch compares.
    @Test func changesDoNotRead() async throws {
        let sample = try sample()
        let json = fields("updates-only--token", "application/json-patch+json")
        #expect(await sample.get("/Patient/2", json).status == 403)
        for patch in ["[]", Self.patch] {
            let reply = await sample.send(.patch, "/Patient/2", patch, json)
            #expect(reply.status == 200 && reply.text.isEmpty, "\(reply.text)")
        }
        let binary = #"{"resourceType":"Binary","contentType":"application/json-patch+json","data":"W10="}"#
        let bundle =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(binary),"request":{"method":"PATCH","url":"Patient/2"}}]}"#
        let whole = await sample.send(.post, "", bundle, fields("updates-only--token"))
        #expect(whole.status == 200 && !whole.text.contains("female"), "\(whole.text)")
        for value in ["male", "female"] {
            let test = #"[{"op":"test","path":"/gender","value":"\#(value)"}]"#
            #expect(await sample.send(.patch, "/Patient/2", test, json).status == 403)
            let path =
                #"{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"delete"},{"name":"path","valueString":"Patient.where(gender='\#(value)').active"}]}]}"#
            #expect(await sample.send(.patch, "/Patient/2", path, fields("updates-only--token")).status == 403)
        }
        let meta = #"{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"code":"x"}]}}]}"#
        let tagged = await sample.send(.post, "/Patient/2/$meta-add", meta, fields("updates-only--token"))
        #expect(tagged.status == 200 && tagged.text.isEmpty)
        var condition = fields("creates-only--token")
        condition["If-None-Exist"] = "gender=female"
        let existing = await sample.send(.post, "/Patient", #"{"resourceType":"Patient"}"#, condition)
        #expect(existing.status == 200 && existing.text.isEmpty)
        // One that may read as well gets what it has changed.
        let reply = await sample.send(.patch, "/Patient/1", Self.patch, fields("patient-one-token", "application/json-patch+json"))
        #expect(reply.status == 200 && reply.json?["gender"]?.text == "male")
    }
}
