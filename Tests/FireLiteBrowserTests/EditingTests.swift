import FireLite
import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// Changes by forms.
@Suite struct EditingTests {
    private static let patient =
        #"{"resourceType":"Patient","id":"1","active":true,"name":[{"family":"Old","given":["A","B"]}],"gender":"female","birthDate":"1970-03-30"}"#

    private func sample() throws -> BrowserSample { try BrowserSample("R4", history: true, Self.patient) { $0.allowsEditing = true } }

    private func form(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { "\(Address.encoded($0.key))=\(Address.encoded($0.value))" }.joined(separator: "&")
    }

    private func json(_ sample: BrowserSample) async throws -> String {
        try FHIRJSON.string(#require(try await sample.store.resource(typeName: "Patient", id: "1")))
    }

    private let path = "/browse/Patient/1/edit"

    @Test func theFormHasAFieldForEachPrimitiveAsItsTypeWantsIt() async throws {
        let text = try await sample().get(path).text
        for name in ["e:active", "e:name[0].family", "e:name[0].given[1]", "e:gender", "e:birthDate"] {
            #expect(text.contains("name=\"\(name)\""), "\(name)")
        }
        #expect(text.contains("<option value=\"female\" selected>female</option>") && text.contains("<option value=\"unknown\">"))
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
    }

    @Test func fieldsChangeWhatTheyNameAndNothingElse() async throws {
        let sample = try sample()
        let base = try await json(sample)
        let reply = await sample.send(
            .post, path,
            form([
                "mode": "fields", "base": base, "e:name[0].family": "New & <b>", "e:gender": "", "e:active": "false",
                "e:name[0].given[1]": "",
            ]))
        #expect(reply.status == 303 && reply.fields["Location"] == "/browse/Patient/1")
        #expect(
            try await json(sample)
                == #"{"resourceType":"Patient","id":"1","active":false,"name":[{"family":"New & <b>","given":["A"]}],"birthDate":"1970-03-30"}"#
        )
        #expect(try await sample.store.history(typeName: "Patient", id: "1").count == 2)
    }

    @Test func whatIsNotValidIsNotStored() async throws {
        let sample = try sample()
        let base = try await json(sample)
        for fields: KeyValuePairs<String, String> in [
            ["mode": "fields", "base": base, "e:birthDate": "yesterday"], ["mode": "fields", "base": base, "e:gender": "robot"],
            ["mode": "json", "base": base, "json": "{"], ["mode": "json", "base": base, "json": #"{"resourceType":"Patient","id":"2"}"#],
            ["mode": "json", "base": base, "json": #"{"resourceType":"Patient","id":"1","nothing":1}"#], ["mode": "json", "json": "{}"],
            ["mode": "delete", "base": base],
        ] {
            let reply = await sample.send(.post, path, form(fields))
            #expect((400..<500).contains(reply.status) && reply.text.contains("role=\"alert\""), "\(fields)")
        }
        #expect(try await json(sample) == base)
    }

    @Test func whatOthersChangedStaysOrIsShownAsAConflict() async throws {
        let sample = try sample()
        let base = try await json(sample)
        try sample.add(Self.patient.replacing("1970-03-30", with: "1971-01-01"))
        let other = await sample.send(.post, path, form(["mode": "fields", "base": base, "e:name[0].family": "Mine"]))
        #expect(other.status == 303)
        let merged = try await json(sample)
        #expect(merged.contains("Mine") && merged.contains("1971-01-01"))
        let clash = await sample.send(.post, path, form(["mode": "fields", "base": base, "e:birthDate": "1972-02-02"]))
        #expect(clash.status == 409 && clash.text.contains("1971-01-01") && clash.text.contains("1972-02-02"))
        #expect(try await json(sample) == merged)
        #expect(await sample.send(.post, path, form(["mode": "delete", "base": base, "confirm": "yes"])).status == 409)
    }

    @Test func deletedResourcesCanBeRestored() async throws {
        let sample = try sample()
        let base = try await json(sample)
        #expect(await sample.send(.post, path, form(["mode": "delete", "base": base, "confirm": "yes"])).status == 303)
        #expect(await sample.get("/browse/Patient/1").status == 404)
        #expect(await sample.get("/browse/Patient/1/versions/1").text.contains("Restore this version"))
        #expect(await sample.send(.post, path, form(["mode": "restore", "version": "1"])).status == 303)
        #expect(try await json(sample) == base)
    }

    @Test func checkingStoresNothing() async throws {
        let sample = try sample()
        let base = try await json(sample)
        let reply = await sample.send(
            .post, path, form(["mode": "json", "base": base, "check": "yes", "json": base.replacing("Old", with: "New")]))
        #expect(reply.status == 200 && reply.text.contains("Nothing is stored yet"))
        #expect(try await json(sample) == base)
    }

    @Test func otherSitesFormsAreRefused() async throws {
        let sample = try sample()
        let base = try await json(sample)
        let body = form(["mode": "delete", "base": base, "confirm": "yes"])
        for site in ["cross-site", "same-site", "none"] {
            #expect(await sample.send(.post, path, body, ["Sec-Fetch-Site": site]).status == 403)
        }
        #expect(try await json(sample) == base)
        #expect(await sample.send(.post, path, body, ["Sec-Fetch-Site": "same-origin"]).status == 303)
    }

    @Test func withoutEditingThereIsNoForm() async throws {
        let sample = try BrowserSample("R4", Self.patient)
        #expect(await sample.get(path).status == 403)
        let base = try await json(sample)
        #expect(await sample.send(.post, path, form(["mode": "delete", "base": base, "confirm": "yes"])).status == 403)
        #expect(!(await sample.get("/browse/Patient/1").text.contains("/edit")))
        #expect(try await json(sample) == base)
    }
}
