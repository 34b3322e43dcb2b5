import FireLite
import FireLiteR4
import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// Searches that people save.
@Suite struct SavedSearchTests {
    private static let patient = #"{"resourceType":"Patient","id":"1","gender":"female"}"#

    private func form(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { "\(Address.encoded($0.key))=\(Address.encoded($0.value))" }.joined(separator: "&")
    }

    private func save(_ sample: BrowserSample, _ name: String, _ query: String) async -> BrowserSample.Reply {
        await sample.send(.post, "/browse/searches", form(["mode": "save", "type": "Patient", "name": name, "query": query]))
    }

    @Test func aSavedSearchIsALinkToItsList() async throws {
        let sample = try BrowserSample("R4", Self.patient)
        let target = "/browse/Patient?gender=female&_sort=-birthdate&~columns=id,gender"
        #expect(
            await sample.get(target).text.contains("name=\"query\" value=\"gender=female&amp;_sort=-birthdate&amp;~columns=id,gender\""))
        let reply = await save(sample, "Women", "gender=female&_sort=-birthdate&~columns=id,gender")
        #expect(reply.status == 303 && reply.fields["Location"] == target)
        let link = "href=\"\(target.replacing("&", with: "&amp;"))\">Women</a>"
        for page in ["/browse", "/browse/Patient", "/browse/searches"] {
            let text = await sample.get(page).text
            #expect(text.contains(link), "\(page)")
            #expect(PageRules.faults(text).isEmpty, "\(page): \(PageRules.faults(text))")
        }
        #expect(await sample.send(.post, "/browse/searches", form(["mode": "remove", "type": "Patient", "name": "Women"])).status == 303)
        #expect(!(await sample.get("/browse/searches").text.contains("Women")))
    }

    @Test func thePageThatIsTurnedToIsNoPartOfTheSearch() async throws {
        let sample = try BrowserSample("R4", Self.patient)
        let text = await sample.get("/browse/Patient?gender=female&~count=1").text
        #expect(text.contains("name=\"query\" value=\"gender=female\""))
    }

    @Test func searchesAreInAPrivateFileAndNeverInTheStore() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let writing = try FHIRStore(path: path, release: .r4)
        try await writing.write { try $0.upsert(FHIRJSON.resource(from: Data(Self.patient.utf8), release: .r4)) }
        try await writing.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        var configuration = FHIRStore.Configuration()
        configuration.access = .readOnly
        var pages = StoreBrowser.Configuration()
        let file = folder.file("store.sqlite.searches.json")
        pages.searchesFile = URL(fileURLWithPath: file)
        let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
        let browser = StoreBrowser(store: store, configuration: pages)
        let body = Data(form(["mode": "save", "type": "Patient", "name": "One", "query": "_id=1"]).utf8)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(await browser.respond(to: ServiceRequest(.post, "/browse/searches", body: body)).status == 303)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        // Another browser of the file has them, too.
        let other = StoreBrowser(store: store, configuration: pages)
        #expect(try other.searches.all() == [SavedSearch(name: "One", type: "Patient", query: "_id=1")])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(arguments: ["", "{", "[]", #"{"format":"other","searches":[]}"#, #"{"format":"firelite-searches-1","searches":[{"name":1}]}"#])
    func aDamagedFileIsSaidAndLeftAsItIs(_ text: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("searches.json", text)
        let sample = try BrowserSample("R4", Self.patient) { $0.searchesFile = URL(fileURLWithPath: file) }
        #expect(await sample.get("/browse/searches").status == 503)
        for page in ["/browse", "/browse/Patient"] {
            let reply = await sample.get(page)
            #expect(reply.status == 200 && reply.text.contains("move it away"), "\(page)")
        }
        #expect(await save(sample, "New", "_id=1").status == 503)
        #expect(try folder.read("searches.json") == text)
    }

    @Test func limitsAreErrors() async throws {
        let sample = try BrowserSample("R4", Self.patient)
        #expect(await save(sample, "", "_id=1").status == 400)
        #expect(await save(sample, String(repeating: "ä", count: 101), "_id=1").status == 400)
        #expect(await save(sample, "long", "a=" + String(repeating: "b", count: 9_000)).status == 400)
        #expect(await save(sample, "broken", "a=%ff").status == 400)
        for type in ["Nothing", "../x", ""] {
            #expect(
                await sample.send(.post, "/browse/searches", form(["mode": "save", "type": type, "name": "x", "query": ""])).status == 400)
        }
        for number in 0..<SavedSearches.most.searches {
            try sample.browser.searches.save(SavedSearch(name: "\(number)", type: "Patient", query: ""))
        }
        #expect(await save(sample, "one more", "").status == 409)
        #expect(await save(sample, "7", "_id=1").status == 303)
        #expect(try sample.browser.searches.all().count == SavedSearches.most.searches)
    }

    @Test func otherSitesCannotSave() async throws {
        let sample = try BrowserSample("R4", Self.patient)
        let body = form(["mode": "save", "type": "Patient", "name": "x", "query": ""])
        #expect(await sample.send(.post, "/browse/searches", body, ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(try sample.browser.searches.all().isEmpty)
    }

    /// Against a dictionary, with a new object for each step, as after a restart.
    @Test func whatIsSavedAndNotRemovedIsThere() throws {
        let folder = try TemporaryFolder()
        try withEvery(0..<20) { seed in
            var random = SeededGenerator(seed: seed)
            let file = URL(fileURLWithPath: folder.file("\(seed).json"))
            var model: [String: String] = [:]
            for _ in 0..<30 {
                let name = ["a", "ä\"", "<b>", "c d", "\u{1}"].randomElement(using: &random) ?? ""
                let searches = SavedSearches(file: file)
                if Bool.random(using: &random) {
                    let query = "name=\(Int.random(in: 0..<9, using: &random))%3C"
                    try searches.save(SavedSearch(name: name, type: "Patient", query: query))
                    model[name] = query
                } else if model.removeValue(forKey: name) != nil {
                    try searches.remove(type: "Patient", name: name)
                } else {
                    #expect(throws: PageProblem.self) { try searches.remove(type: "Patient", name: name) }
                }
                let found = try SavedSearches(file: file).all()
                #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.query) }) == model)
            }
        }
    }
}
