import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

/// XML Patch (RFC 5261, RFC 7351).
@Suite struct XMLPatchTests {
    private func sample(_ release: String = "R4") throws -> ServiceSample {
        try ServiceSample(
            release,
            #"{"resourceType":"Patient","id":"a","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"de\">1 &lt; 2 <b>ü</b></div>"},"identifier":[{"system":"urn:s","value":"1"},{"system":"urn:t","value":"1"}],"active":true,"name":[{"use":"official","family":"A","given":["x","y"]},{"use":"usual","family":"B"}],"birthDate":"1970-01-01"}"#
        )
    }

    private func patch(_ operations: String) -> String {
        #"<?xml version="1.0" encoding="UTF-8"?><p:patch xmlns="http://hl7.org/fhir" xmlns:p="urn:ietf:rfc:7351">\#(operations)</p:patch>"#
    }

    private func send(_ sample: ServiceSample, _ body: String) async -> ServiceSample.Reply {
        await sample.send(.patch, "/Patient/a", body, ["Content-Type": "application/xml-patch+xml"])
    }

    @Test(arguments: ["STU3", "R4", "R4B", "R5"]) func xmlPatchesAreApplied(_ release: String) async throws {
        let sample = try sample(release)
        let reply = await send(
            sample,
            patch(
                """
                <p:replace sel="Patient/birthDate/@value">1980-01-01</p:replace>
                <p:remove sel="/Patient/name[use/@value='usual']"/>
                <p:add sel="Patient/name[1]/given[2]" pos="after"><given value="z &amp; &#x7a;"/></p:add>
                <p:add sel="Patient/name[1]" pos="before">
                    <!-- laid out -->
                    <name><family value="C"/></name>
                </p:add>
                <p:add sel="Patient/birthDate" pos="before"><gender value="male"/></p:add>
                <p:replace sel="Patient/identifier[system/@value='urn:t']"><identifier><value value="2"/></identifier></p:replace>
                <p:add sel="Patient/identifier[2]" pos="prepend"><use value="secondary"/></p:add>
                <p:add sel="Patient/identifier[1]" type="@id">one</p:add>
                <p:add sel="Patient"><multipleBirthBoolean value="true"/></p:add>
                """))
        #expect(reply.status == 200 && reply.version == "2", "\(reply.text)")
        #expect(reply.json?["name"]?.json == #"[{"family":"C"},{"use":"official","family":"A","given":["x","y","z & z"]}]"#)
        #expect(reply.json?["identifier"]?.json == #"[{"id":"one","system":"urn:s","value":"1"},{"use":"secondary","value":"2"}]"#)
        #expect(reply.json?["birthDate"]?.text == "1980-01-01" && reply.json?["gender"]?.text == "male")
        #expect(reply.json?["multipleBirthBoolean"] == .bool(true))
        // What the patch does not name stays as it is.
        let div = #"<div xmlns="http://www.w3.org/1999/xhtml" xml:lang="de">1 &lt; 2 <b>ü</b></div>"#
        #expect(reply.json?["text"]?["div"]?.text == div)
    }

    @Test func narrativesAreChangedInTheirNamespace() async throws {
        let sample = try sample()
        let body = """
            <diff xmlns:f="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml">
            <replace sel="f:Patient/f:text/h:div/h:b/text()">ö</replace>
            <add sel="f:Patient/f:text/h:div"><h:p title="a&quot;b"><![CDATA[1 < 2]]></h:p></add>
            <remove sel="f:Patient/f:text/h:div/@xml:lang"/>
            <replace sel="f:Patient/f:text/h:div/text()[1]">0 &lt; 1 </replace>
            </diff>
            """
        let reply = await send(sample, body)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(
            reply.json?["text"]?["div"]?.text
                == #"<div xmlns="http://www.w3.org/1999/xhtml">0 &lt; 1 <b>ö</b><p title="a&quot;b">1 &lt; 2</p></div>"#)
    }

    @Test func xmlPatchesThatDoNotApplyChangeNothing() async throws {
        let sample = try sample()
        let cases: [(String, Int)] = [
            (patch(#"<p:remove sel="Patient/gender"/>"#), 422), (patch(#"<p:remove sel="Patient/name"/>"#), 422),
            (patch(#"<p:remove sel="Patient"/>"#), 422), (patch(#"<p:remove sel="Patient/birthDate/@value"/>"#), 422),
            (patch(#"<p:remove sel="Patient/active" ws="both"/>"#), 422),
            (patch(#"<p:replace sel="Patient/id/@value">b</p:replace>"#), 422),
            (patch(#"<p:replace sel="Patient/active"><active value="true"/><active value="true"/></p:replace>"#), 422),
            (patch(#"<p:replace sel="Patient/active">true</p:replace>"#), 422),
            (patch(#"<p:replace sel="Patient"><Observation/></p:replace>"#), 422),
            // The order of elements is a rule of FHIR's XML.
            (patch(#"<p:add sel="Patient"><gender value="male"/></p:add>"#), 422),
            (patch(#"<p:add sel="Patient"><nonsense value="1"/></p:add>"#), 422),
            (patch(#"<p:add sel="Patient" pos="after"><Patient/></p:add>"#), 422),
            (patch(#"<p:add sel="Patient/active" type="@value">false</p:add>"#), 422),
            (patch(#"<p:add sel="Patient/@id"><x/></p:add>"#), 422), (patch(#"<p:add sel="Patient"/>"#), 422),
            (patch(#"<p:replace sel="Patient/birthDate/@value">x</p:replace>"#), 422),
            (#"<diff><remove sel="Patient/active"/></diff>"#, 422), (patch(#"<p:remove/>"#), 400),
            (patch(#"<p:jump sel="Patient"/>"#), 400),
            (patch(#"<remove sel="Patient/active"/>"#), 400), (patch(#"<p:remove sel="//active"/>"#), 400),
            (patch(#"<p:remove sel="Patient/active[last()]"/>"#), 400), (patch(#"<p:remove sel="x:Patient"/>"#), 400),
            (patch(#"<p:remove sel="Patient/name[use/@value='a]"/>"#), 400), (patch(#"<p:remove sel=""/>"#), 400),
            (patch(#"<p:add sel="Patient" pos="inside"><x/></p:add>"#), 400),
            (patch(#"<p:add sel="Patient" type="namespace::x">y</p:add>"#), 400),
            ("<patch/>", 400), ("", 400), ("<diff>", 400), ("{}", 400),
        ]
        for (body, status) in cases {
            let reply = await send(sample, body)
            #expect(reply.status == status && reply.issue != nil, "\(body): \(reply.status) \(reply.text)")
        }
        #expect(await sample.get("/Patient/a").version == "1")
    }

    @Test func hostileXMLPatchesAreRefusedAtOnce() async throws {
        let sample = try sample()
        let many = String(repeating: #"<p:replace sel="Patient/active/@value">true</p:replace>"#, count: 10_000)
        let entities = (0..<20).map { #"<!ENTITY e\#($0 + 1) "&e\#($0);&e\#($0);">"# }.joined()
        let deep = String(repeating: "<extension>", count: 5_000) + String(repeating: "</extension>", count: 5_000)
        let path = String(repeating: "*/", count: 3_000) + "*"
        let bodies = [
            patch(many), #"<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><diff><remove sel="&x;"/></diff>"#,
            #"<!DOCTYPE d [<!ENTITY e0 "x">\#(entities)]><diff>&e20;</diff>"#, patch(#"<p:add sel="Patient">\#(deep)</p:add>"#),
            patch(#"<p:remove sel="\#(path)"/>"#), patch("&nonsense;"), patch("\u{0}"), patch(#"<p:remove sel="Patient/a[1]"#),
        ]
        for (number, body) in bodies.enumerated() {
            let reply = await send(sample, body)
            #expect(reply.status == 400 && reply.issue != nil, "\(number): \(reply.status)")
            #expect(!reply.text.contains("root:"))
        }
        #expect(await sample.get("/Patient/a").version == "1")
    }

    @Test func selectorsThatLookAtTooMuchAreStopped() async throws {
        let names = (0..<4_000).map { #"{"family":"\#($0)"}"# }.joined(separator: ",")
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","name":[\#(names)]}"#)
        let operations = (0..<1_000).map { _ in #"<p:replace sel="Patient/name[family/@value='0']/family/@value">0</p:replace>"# }.joined()
        let reply = await send(sample, patch(operations))
        #expect(reply.status == 422 && reply.issue == "too-costly", "\(reply.text)")
        #expect(await sample.get("/Patient/a").version == "1")
    }

    @Test func metadataAndBundlesHaveXMLPatches() async throws {
        let sample = try sample()
        #expect(
            await sample.get("/metadata").json?["patchFormat"]?.items.contains { $0.text == "application/xml-patch+xml" } == true)
        let data = Data(patch(#"<p:replace sel="Patient/active/@value">false</p:replace>"#).utf8).base64EncodedString()
        let bundle =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"resource":{"resourceType":"Binary","contentType":"application/xml-patch+xml","data":"\#(data)"},"request":{"method":"PATCH","url":"Patient/a"}}]}"#
        #expect(await sample.send(.post, "", bundle).status == 200)
        #expect(await sample.get("/Patient/a").json?["active"] == .bool(false))
    }

    /// A list of given names, changed by random operations, is what the same operations make of an array.
    @Test(arguments: 0..<20) func randomPatchesAgreeWithAModel(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var model = ["0", "1", "2"]
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"a","name":[{"given":["0","1","2"]}]}"#)
        var operations: [String] = []
        for number in 3..<30 {
            let index = Int.random(in: 0..<model.count, using: &generator)
            // An element by its position, or by its value.
            let place =
                Bool.random(using: &generator)
                ? "Patient/name/given[\(index + 1)]" : "/Patient/name[1]/given[@value='\(model[index])']"
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where model.count > 1:
                operations.append(#"<p:remove sel="\#(place)"/>"#)
                model.remove(at: index)
            case 1:
                operations.append(#"<p:replace sel="\#(place)/@value">\#(number)</p:replace>"#)
                model[index] = "\(number)"
            case 2:
                operations.append(#"<p:replace sel="\#(place)"><given value="\#(number)"/></p:replace>"#)
                model[index] = "\(number)"
            case 3:
                operations.append(#"<p:add sel="\#(place)" pos="before"><given value="\#(number)"/></p:add>"#)
                model.insert("\(number)", at: index)
            case 4:
                operations.append(#"<p:add sel="\#(place)" pos="after"><given value="\#(number)"/></p:add>"#)
                model.insert("\(number)", at: index + 1)
            default:
                let isFirst = Bool.random(using: &generator)
                operations.append(#"<p:add sel="Patient/name"\#(isFirst ? #" pos="prepend""# : "")><given value="\#(number)"/></p:add>"#)
                model.insert("\(number)", at: isFirst ? 0 : model.count)
            }
        }
        let reply = await send(sample, patch(operations.joined()))
        #expect(reply.status == 200, "seed \(seed): \(reply.text)")
        #expect(reply.json?["name"]?.items.first?["given"]?.items.compactMap(\.text) == model, "seed \(seed)")
    }
}
