import FireLite
import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// What is wrong with a resource is shown where it is.
@Suite struct ValidityTests {
    private static let patient =
        #"{"resourceType":"Patient","id":"1","active":true,"name":[{"family":"Old","given":["A","B","C"]}],"gender":"female","birthDate":"1970-03-30","contact":[{"name":{"text":"X"},"gender":"female"},{"name":{"text":"Y"},"gender":"male"},{"name":{"text":"Z"},"gender":"male"}]}"#
    private let check = "/browse/Patient/1/check"

    private func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(Address.encoded($0.0))=\(Address.encoded($0.1))" }.joined(separator: "&")
    }

    private func editing() throws -> BrowserSample { try BrowserSample("R4", history: true, Self.patient) { $0.allowsEditing = true } }

    private func base(_ sample: BrowserSample) async throws -> String {
        try FHIRJSON.string(#require(try await sample.store.resource(typeName: "Patient", id: "1")))
    }

    // MARK: - Elements

    /// Whatever is wrong: the element of the issue, or the nearest that exists, has the mark; the others have none.
    @Test func exactlyTheElementsWithIssuesAreMarked() throws {
        let sample = try BrowserSample()
        let release = sample.store.release
        var count = 0
        try withEvery(0..<60) { seed in
            var random = RandomInstance(seed: seed, mode: .sparse)
            let type = release.resourceTypeNames[Int(seed) * 5 % release.resourceTypeNames.count]
            guard let layout = release.resourceLayout(named: type), layout.kind == .resource,
                let resource = random.object(of: layout) as? FHIRResource
            else { return }
            let tree = try ElementTree(resource)
            let issues = PageIssue.all(of: resource, StoreBrowser.Configuration())
            let marks = IssueMarks(issues, tree)
            let html = TreeHTML(tree: tree, resource: .resource(type, "1"), release: release, marks: marks)
            let (list, json) = (html.list().text, html.json().text)
            for node in tree.all {
                let here = issues.filter { tree.key(at: $0.path) == node.key }
                let kind = here.isEmpty ? "" : here.contains { $0.severity == .error } ? "fault" : "doubt"
                #expect(list.contains("class=\"e \(kind)\" id=\"e\(node.key)\""), "\(type) \(node.path)")
                #expect(json.contains("class=\"\(kind)\" id=\"j\(node.key)\""), "\(type) \(node.path)")
                count += here.count
            }
            #expect(PageRules.faults(list).isEmpty && PageRules.faults(json).isEmpty, "\(type)")
        }
        #expect(count > 20)
    }

    @Test func issuesAreListedWithLinksToTheirElements() async throws {
        let sample = try BrowserSample()
        let resource = try FHIRJSON.lenientResource(
            from: Data(#"{"resourceType":"Patient","id":"1","gender":"robot","link":[{"type":"seealso"}]}"#.utf8),
            release: sample.store.release
        ).resource
        try sample.put(resource)
        let text = await sample.get("/browse/Patient/1/elements").text
        #expect(text.contains("class=\"e fault\"") && text.contains("<span class=\"issue\">error: "))
        let summary = await sample.get("/browse/Patient/1").text
        #expect(summary.contains("/browse/Patient/1/elements#e"))
        for page in [text, summary] { #expect(PageRules.faults(page).isEmpty) }
    }

    private struct Demanding: ContentValidator {
        let error: Bool
        func issues(of resource: FHIRResource, against profiles: [String]) throws -> [ContentIssue] {
            if error { throw FHIRStoreError(.busy, "the packages are locked") }
            return [ContentIssue(.warning, code: "business-rule", text: "<b>unusual</b>", path: "Patient.birthDate")]
        }
    }

    @Test func profilesAreAskedToo() async throws {
        let sample = try BrowserSample("R4", Self.patient) { $0.validator = Demanding(error: false) }
        let text = await sample.get("/browse/Patient/1/elements").text
        #expect(text.contains("class=\"e doubt\"") && text.contains("warning: &lt;b&gt;unusual&lt;/b&gt;"))
        let failing = try BrowserSample("R4", Self.patient) { $0.validator = Demanding(error: true) }
        let page = await failing.get("/browse/Patient/1")
        #expect(
            page.status == 200 && page.text.contains("The profiles could not be checked: ") && page.text.contains("the packages are locked")
        )
    }

    // MARK: - While typing

    private struct Answer: Decodable {
        struct Issue: Decodable {
            let path: String
            let text: String
            let field: String?
        }
        let summary: String
        let issues: [Issue]
    }

    private func answer(_ sample: BrowserSample, _ fields: [(String, String)]) async throws -> Answer {
        let reply = await sample.send(.post, check, form([("base", try await base(sample))] + fields))
        #expect(reply.status == 200 && reply.fields["Content-Type"]?.hasPrefix("application/json") == true, "\(reply.text)")
        return try JSONDecoder().decode(Answer.self, from: Data(reply.text.utf8))
    }

    /// The id of the field with a name on the page of the form.
    private func field(_ sample: BrowserSample, _ name: String) async throws -> String {
        let text = await sample.get("/browse/Patient/1/edit").text
        let before = try #require(text.components(separatedBy: "\" name=\"\(name)\"").first)
        return try #require(before.components(separatedBy: "id=\"").last)
    }

    @Test func aCheckNamesTheFieldAndStoresNothing() async throws {
        let sample = try editing()
        let before = try await base(sample)
        let fine = try await answer(sample, [("mode", "fields"), ("e:birthDate", "1971-01-01")])
        #expect(fine.summary == "No fault found." && fine.issues.isEmpty)
        let wrong = try await answer(sample, [("mode", "fields"), ("e:birthDate", "yesterday")])
        #expect(wrong.issues.count == 1 && wrong.issues.first?.path == "birthDate" && wrong.summary == "1 error")
        #expect(wrong.issues.first?.field == (try await field(sample, "e:birthDate")))
        let code = try await answer(sample, [("mode", "fields"), ("e:gender", "robot")])
        #expect(code.issues.first?.field == (try await field(sample, "e:gender")))
        #expect(try await base(sample) == before)
        #expect(try await sample.store.history(typeName: "Patient", id: "1").count == 1)
    }

    /// An emptied text moves those behind it in the list, and not the issue.
    @Test func issuesStayAtTheirFieldsWhenOthersAreEmptied() async throws {
        let sample = try editing()
        let found = try await answer(
            sample, [("mode", "fields"), ("e:contact[0].gender", ""), ("e:contact[0].name.text", ""), ("e:contact[2].gender", "robot")])
        let expected = try await field(sample, "e:contact[2].gender")
        #expect(found.issues.map(\.path) == ["contact[2].gender"] && found.issues.first?.field == expected, "\(found.issues)")
    }

    @Test func theJSONIsCheckedWithItsLine() async throws {
        let sample = try editing()
        let found = try await answer(sample, [("mode", "json"), ("json", "{\"resourceType\":\"Patient\",\"id\":\"1\",\n\"nothing\":1}")])
        #expect(found.issues.first?.text.contains("line 2") == true && found.issues.first?.field == nil)
        let other = try await answer(sample, [("mode", "json"), ("json", #"{"resourceType":"Patient","id":"2"}"#)])
        #expect(other.issues.first?.text.contains("cannot be changed") == true)
    }

    @Test func checksNeedEditingAndTheServersOwnPage() async throws {
        let sample = try editing()
        let body = form([("mode", "fields"), ("base", try await base(sample))])
        #expect(await sample.send(.post, check, body, ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(await sample.send(.post, check, "mode=fields").status == 400)
        #expect(await sample.send(.post, "/browse/Nothing/1/check", body).status == 404)
        let reading = try BrowserSample("R4", Self.patient)
        #expect(await reading.send(.post, check, body).status == 403)
    }

    // MARK: - At saving

    @Test func afterARefusalTheFieldsHaveWhatWasSentAndWhy() async throws {
        let sample = try editing()
        let reply = await sample.send(
            .post, "/browse/Patient/1/edit",
            form([
                ("mode", "fields"), ("base", try await base(sample)), ("e:birthDate", "yester\"day"), ("e:name[0].family", "New"),
            ]))
        #expect(reply.status == 422)
        #expect(reply.text.contains("value=\"yester&quot;day\"") && reply.text.contains("name=\"e:name[0].family\" value=\"New\""))
        #expect(reply.text.contains("aria-invalid=\"true\" aria-describedby="))
        #expect(PageRules.faults(reply.text).isEmpty, "\(PageRules.faults(reply.text))")
    }

    /// Only what somebody has typed is in the form after a conflict; the rest is what others have stored.
    @Test func aConflictKeepsTheOthersOtherChanges() async throws {
        let sample = try editing()
        let base = try await base(sample)
        try sample.add(Self.patient.replacing("1970-03-30", with: "1971-01-01").replacing("Old", with: "Theirs"))
        let sent = [
            ("mode", "fields"), ("base", base), ("e:birthDate", "1972-02-02"), ("e:name[0].family", "Old"), ("e:gender", "female"),
        ]
        let reply = await sample.send(.post, "/browse/Patient/1/edit", form(sent))
        #expect(reply.status == 409)
        #expect(reply.text.contains("name=\"e:birthDate\" value=\"1972-02-02\""))
        #expect(reply.text.contains("name=\"e:name[0].family\" value=\"Theirs\""))
    }
}
