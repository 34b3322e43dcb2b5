import FireLite
import FireLiteCore
import FireLiteTrust
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// Records that want to run or to break a page.
@Suite struct HostileRecordTests {
    private static let attack = #"</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&<!--]]>{{x}}"#

    /// Puts the attack into every text of a resource's JSON that may hold any text.
    private static func poisoned(_ item: JSONItem, _ name: String = "") -> JSONItem {
        switch item.content {
        case .object(let members): .object(members.map { JSONItem.Member(name: $0.name, value: poisoned($0.value, $0.name)) })
        case .array(let items): .array(items.map { poisoned($0, name) })
        case .string
        where ["text", "display", "family", "given", "title", "description", "comment", "city", "unit", "label"].contains(name):
            .string(attack)
        case .string where name == "div":
            .string("<div xmlns=\"http://www.w3.org/1999/xhtml\" onclick=\"alert(1)\">\(attack)<svg onload=alert(1)></svg></div>")
        default: item
        }
    }

    @Test func nothingOfARecordBecomesMarkup() async throws {
        let sample = try BrowserSample()
        var names: [(String, String)] = []
        for (number, type) in ["Patient", "Observation", "Questionnaire", "Condition", "MedicationRequest", "DocumentReference", "Bundle"]
            .enumerated()
        {
            for seed in 0..<3 {
                var random = RandomInstance(seed: UInt64(number * 10 + seed), mode: .sparse)
                let resource = random.object(of: try #require(sample.store.release.resourceLayout(named: type)))
                var item = Self.poisoned(try JSONItemReader.read(FHIRJSON.data(resource)))
                let id = "\(type)-\(seed)".lowercased()
                item = .object(item.members.filter { $0.name != "id" } + [.init(name: "id", value: .string(id))])
                let read = try FHIRJSON.lenientResource(from: Data(item.json.utf8), release: sample.store.release).resource
                try sample.put(read)
                names.append((type, id))
            }
        }
        var targets = ["/browse", "/browse/changes", "/browse/schema", "/browse/find?q=%3Cscript%3Ealert(1)%3C/script%3E"]
        for kind in ["search", "sql", "fhirpath", "view"] {
            targets.append("/browse/console?kind=\(kind)&text=\(Address.encoded(Self.attack))")
        }
        targets.append(ConsolePage.address(.sql, "SELECT * FROM Patient_name UNION ALL SELECT * FROM Patient_name").text)
        for (type, id) in names {
            targets +=
                ["/browse/\(type)", "/browse/\(type)?~columns=id,text.div,name,title,description"] + BrowserSample.pages(of: type, id)
        }
        for target in Set(targets).sorted() {
            let reply = await sample.get(target)
            #expect(PageRules.faults(reply.text).isEmpty, "\(target): \(PageRules.faults(reply.text).prefix(3))")
            #expect(reply.text.components(separatedBy: "<script").count <= 2, "\(target)")
            #expect(!reply.text.contains("<script>alert"), "\(target)")
            #expect(reply.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
            // Or the pages' own forms come without their origin.
            #expect(reply.fields["Referrer-Policy"] == "same-origin")
            #expect(reply.status < 500 || reply.status == 503, "\(target): \(reply.status)")
        }
    }

    @Test func largeValuesKeepPagesSmall() async throws {
        let sample = try BrowserSample()
        let long = String(repeating: "<b>ä", count: 250_000)
        let identifiers = (0..<10_000).map { #"{"system":"urn:x","value":"\#($0)"}"# }.joined(separator: ",")
        try sample.add(
            #"{"resourceType":"Patient","id":"1","name":[{"family":\#(JSONText.string(long))}],"identifier":[\#(identifiers)],"text":{"status":"generated","div":\#(JSONText.string("<div xmlns=\"http://www.w3.org/1999/xhtml\">" + long + "</div>"))}}"#
        )
        for target in BrowserSample.pages(of: "Patient", "1") + ["/browse/Patient", "/browse/Patient?~columns=id,name,identifier"] {
            let reply = await sample.get(target)
            #expect(reply.status == 200, "\(target)")
            #expect(reply.text.utf8.count < 2_500_000, "\(target): \(reply.text.utf8.count)")
            #expect(PageRules.faults(reply.text).isEmpty, "\(target): \(PageRules.faults(reply.text).prefix(3))")
        }
    }

    /// The pages that came later: forms, saved searches, the trail with hostile actors and signers.
    @Test func formsSearchesAndTrailsEscapeWhatTheyShow() async throws {
        let sample = try BrowserSample("R4", history: true) { $0.allowsEditing = true }
        let attack = Self.attack
        try await sample.store.startAudit(by: SigningIdentity(id: attack, key: PrivateKey()), party: AuditParty(attack, purpose: attack))
        let name = JSONText.string(attack)
        try sample.add(
            #"{"resourceType":"Patient","id":"1","name":[{"family":\#(name),"given":[\#(name)]}],"contact":[{"name":{"text":\#(name)},"gender":"male"}],"telecom":[{"value":"a\u0001\u202eb"}]}"#
        )
        let base = try FHIRJSON.string(#require(try await sample.store.resource(typeName: "Patient", id: "1")))
        func body(_ fields: KeyValuePairs<String, String>) -> String {
            fields.map { "\(Address.encoded($0.key))=\(Address.encoded($0.value))" }.joined(separator: "&")
        }
        let saved = await sample.send(
            .post, "/browse/searches",
            body(["mode": "save", "type": "Patient", "name": String(attack.prefix(90)), "query": "name=\(Address.encoded(attack))"]))
        #expect(saved.status == 303)
        var replies: [(String, BrowserSample.Reply)] = []
        for target in [
            "/browse", "/browse/searches", "/browse/Patient", "/browse/Patient/1", "/browse/Patient/1/trail", "/browse/Patient/1/edit",
        ] {
            replies.append((target, await sample.get(target)))
        }
        for fields: KeyValuePairs<String, String> in [
            ["mode": "fields", "base": base, "e:contact[0].gender": attack], ["mode": "json", "base": base, "json": attack],
            ["mode": "fields", "base": base, "check": "yes", "e:name[0].family": attack + attack],
        ] {
            replies.append(("a form", await sample.send(.post, "/browse/Patient/1/edit", body(fields))))
        }
        for (target, reply) in replies {
            #expect(PageRules.faults(reply.text).isEmpty, "\(target): \(PageRules.faults(reply.text).prefix(3))")
            #expect(!reply.text.contains("<script>alert") && !reply.text.unicodeScalars.contains("\u{202E}"), "\(target)")
            #expect(reply.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        }
        // What the script gets is text, which it never makes markup of.
        let checked = await sample.send(
            .post, "/browse/Patient/1/check", body(["mode": "fields", "base": base, "e:contact[0].gender": attack]))
        #expect(checked.status == 200 && checked.fields["Content-Type"]?.hasPrefix("application/json") == true)
        #expect(!CheckScript.text.contains("innerHTML") && !Script.text.contains("innerHTML"))
    }

    @Test func aFormOfThousandsOfValuesStaysSmall() async throws {
        let sample = try BrowserSample("R4") { $0.allowsEditing = true }
        let identifiers = (0..<10_000).map { #"{"system":"urn:x","value":"\#($0)","use":"robot\#($0 % 7)"}"# }.joined(separator: ",")
        let text = #"{"resourceType":"Patient","id":"1","identifier":[\#(identifiers)]}"#
        try sample.put(FHIRJSON.lenientResource(from: Data(text.utf8), release: sample.store.release).resource)
        for (target, status, limit) in [
            ("/browse/Patient/1/edit", 413, 20_000), ("/browse/Patient/1/elements", 200, 2_500_000), ("/browse/Patient/1", 200, 200_000),
        ] {
            let reply = await sample.get(target)
            #expect(reply.status == status && reply.text.utf8.count < limit, "\(target): \(reply.status), \(reply.text.utf8.count)")
            #expect(PageRules.faults(reply.text).isEmpty, "\(target)")
        }
    }

    @Test func controlCharactersAreShownAsPictures() async throws {
        let sample = try BrowserSample(
            "R4", #"{"resourceType":"Patient","id":"1","name":[{"family":"a\u0001b\u202ec\u0085d"}],"gender":"female"}"#)
        let reply = await sample.get("/browse/Patient/1")
        #expect(reply.text.contains("a\u{2401}b\u{FFFD}c\u{FFFD}d"))
        for scalar in reply.text.unicodeScalars where scalar.value < 0x20 { #expect(scalar == "\n" || scalar == "\t") }
        #expect(!reply.text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func attachmentsThatCouldBePagesAreOnlyDownloads() async throws {
        let page = Data("<script>alert(1)</script>".utf8).base64EncodedString()
        let types = ["text/html", "image/svg+xml", "application/xhtml+xml", "text/plain", "image/png"]
        let photos = types.map { #"{"contentType":"\#($0)","data":"\#(page)"}"# }.joined(separator: ",")
        let sample = try BrowserSample("R4", #"{"resourceType":"Patient","id":"1","photo":[\#(photos)]}"#)
        for (place, type) in types.enumerated() {
            let reply = await sample.get("/browse/Patient/1/attachment?path=photo[\(place)]")
            #expect(reply.status == 200 && reply.fields["X-Content-Type-Options"] == "nosniff")
            #expect((reply.fields["Content-Disposition"]?.hasPrefix("attachment") == true) == (type != "image/png"))
            let sent = try #require(reply.fields["Content-Type"])
            #expect(["application/octet-stream", "text/plain; charset=utf-8", "image/png"].contains(sent), "\(type): \(sent)")
        }
    }

    // MARK: - Narratives

    @Test(arguments: [
        "<div><script>alert(1)</script>text</div>", "<div><img src=x onerror=alert(1)>text</div>", "<div onclick='x'>text</div>",
        "<div><a href='javascript:alert(1)'>text</a></div>", "<div><style>*{}</style>text</div>",
        "<div><iframe src='//x'></iframe>text</div>",
        "<div><svg><script>x</script></svg>text</div>", "<div><p style=\"background:url(//x)\">text</p>", "<div>text<", "<div>text<p",
        "text</div></div></table>",
        "<div>text<!-- <script>", "<div><scr<script>ipt>text</div>", "<div title=\"><script>x</script>\">text</div>",
        "<div =x =\"y\">text</div>",
        "<div>&lt;script&gt;text&#60;script&#62;</div>", "<DIV><SCRIPT>x</SCRIPT>text</DIV>", "<div/onclick=x/>text",
        "<table><td colspan='2 onclick=x'>text",
    ])
    func narrativesAreWrittenFromTheList(_ text: String) {
        let html = Narrative.safe(text).html.text
        #expect(PageRules.faults(html).isEmpty, "\(html)")
        #expect(html.contains("text"))
        for name in ["<script", "<img", "<style", "<iframe", "<svg", "<a ", "onclick=\"", "href", "src="] where html.contains(name) {
            Issue.record("\(html) has \(name)")
        }
    }

    @Test func randomNarrativesAreClosedAndHaveOnlyTheListsElements() throws {
        let pieces = [
            "<div>", "</div>", "<p>", "</p>", "<script>", "</script>", "<", ">", "&", "&lt;", "&#x3c;", "\"", "'", "=", " onload=x ", "<b",
            "<td colspan=\"3\">",
            "<!--", "-->", "<![CDATA[", "]]>", "<?x", "?>", "/", "text", "\u{0}", "é", "<svg", "style=\"x\"", "<br/>", "<h1>",
            "<a href=\"x\">",
        ]
        try withEvery(0..<2_000) { seed in
            var random = SeededGenerator(seed: seed)
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let html = Narrative.safe(text).html.text
            #expect(PageRules.faults(html).isEmpty, "\(text) gives \(html)")
            #expect(!html.contains("<script") && !html.contains("<a") && !html.contains("onload=\""))
        }
    }

    @Test func narrativesKeepWhatTheySay() {
        let html = Narrative.safe(
            "<div xmlns=\"http://www.w3.org/1999/xhtml\"><h1>Title</h1><table><tr><td colspan=\"2\">a &amp; b &#169;</td></tr></table></div>"
        )
        #expect(html.html.text == "<div><h4>Title</h4><table><tr><td colspan=\"2\">a &amp; b ©</td></tr></table></div>")
    }
}
