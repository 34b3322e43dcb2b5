import Testing

@testable import FireLiteGenerator

struct TemplateTests {
    private func library(_ templates: [String: String]) throws -> TemplateLibrary {
        let files = templates.sorted { $0.key < $1.key }.map { name, text in
            SourceFile(name: "T/\(name).swift.tmpl", bytes: Array(text.utf8))
        }
        return try TemplateLibrary(folder: "T", files: files)
    }

    private func render(_ text: String, _ context: TemplateContext = [:], partials: [String: String] = [:]) throws -> String {
        let templates = try library(partials.merging(["main": text]) { _, main in main })
        return try TemplateRenderer.render("main", in: templates, context)
    }

    // MARK: - Rendering

    @Test func variablesAreInserted() throws {
        #expect(try render("a {{x}}{{ y.z }} b", ["x": .text("1"), "y": .context(["z": .text("2")])]) == "a 12 b")
    }

    @Test func bracesThatAreNoTagsStay() throws {
        #expect(try render("{ get { _x({{x}}) } }", ["x": .text("1")]) == "{ get { _x(1) } }")
    }

    @Test func sectionsAreConditionsLoopsAndGroups() throws {
        let context: TemplateContext = [
            "yes": .flag(true), "no": .flag(false), "empty": .text(""), "full": .text("t"),
            "list": .list([["n": .text("1")], ["n": .text("2")]]), "none": .list([]), "group": .context(["n": .text("3")]),
        ]
        #expect(try render("{{#yes}}a{{/yes}}{{#no}}b{{/no}}{{^yes}}c{{/yes}}{{^no}}d{{/no}}", context) == "ad")
        #expect(try render("{{#empty}}a{{/empty}}{{^empty}}b{{/empty}}{{#full}}{{full}}{{/full}}", context) == "bt")
        #expect(try render("{{#list}}{{n}}{{^isLast}}, {{/isLast}}{{/list}}{{^none}}!{{/none}}", context) == "1, 2!")
        #expect(try render("{{#list}}{{#isFirst}}<{{/isFirst}}{{n}}{{/list}}{{#group}}{{n}}{{/group}}", context) == "<123")
    }

    @Test func innerKeysHideOuterOnes() throws {
        let context: TemplateContext = ["n": .text("o"), "m": .text("m"), "list": .list([["n": .text("i")]])]
        #expect(try render("{{n}}{{#list}}{{n}}{{m}}{{/list}}{{n}}", context) == "oimo")
    }

    @Test func tagsAloneOnALineLeaveNoLine() throws {
        let text = "a\n{{#list}}\n  {{! a comment }}\n  {{n}}\n{{/list}}\nb\n"
        #expect(try render(text, ["list": .list([["n": .text("1")], ["n": .text("2")]])]) == "a\n  1\n  2\nb\n")
    }

    @Test func partialsAreIndented() throws {
        let partials = ["inner": "one\n\ntwo {{x}}\n", "outer": "<\n  {{> inner}}\n>\n"]
        #expect(
            try render("{\n    {{> outer}}\n}\n", ["x": .text("3\n4")], partials: partials)
                == "{\n    <\n      one\n\n      two 3\n      4\n    >\n}\n")
        #expect(try render("a {{> inner}}", ["x": .text("")], partials: partials) == "a one\n\ntwo \n")
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ("a\n {{#x}}\n", "2:2: `x` is opened and not closed"),
        ("a{{/x}}", "1:2: `{{/x}}` closes nothing"),
        ("{{#x}}\n{{#y}}\n{{/x}}", "3:1: `{{/x}}` where `{{/y}}` was expected for line 2"),
        ("é{{x", "1:3: tag without `}}`"),
        ("{{x\n}}", "1:1: tag without `}}` on its line"),
        ("\n\n  {{x y}}", "3:3: `{{x y}}` is not a tag"),
        ("{{}}", "1:1: `{{}}` is not a tag"),
        ("{{#}}{{/}}", "1:1: `{{#}}` is not a tag"),
    ])
    func mistakesInTagsAreFoundInPlace(text: String, expected: String) {
        #expect(message { _ = try render(text) } == "T/main.swift.tmpl:" + expected)
    }

    @Test(arguments: [
        ("a\n  {{nope}}", "2:3: no key `nope` here"),
        ("{{x.y}}", "1:1: no key `x.y` here"),
        ("{{#nope}}{{/nope}}", "1:1: no key `nope` here"),
        ("{{flag}}", "1:1: `flag` is a condition, not a text to insert"),
        ("{{list}}", "1:1: `list` is a list, not a text to insert"),
        ("\n{{> nope}}", "2:1: no template `nope.swift.tmpl`"),
        ("{{> main}}", "1:1: partial `main` includes itself"),
    ])
    func mistakesInKeysAreFoundInPlace(text: String, expected: String) {
        let context: TemplateContext = ["x": .text("1"), "flag": .flag(true), "list": .list([])]
        #expect(message { _ = try render(text, context) } == "T/main.swift.tmpl:" + expected)
    }

    @Test func mistakesInPartialsNameThePartial() {
        #expect(message { _ = try render("\n{{> p}}", partials: ["p": "\n\n {{nope}}"]) } == "T/p.swift.tmpl:3:2: no key `nope` here")
    }

    /// The tag that closes the circle is the one to mend.
    @Test func circlesOfPartialsAreBlamedOnTheTagThatClosesThem() {
        func error(_ text: String, _ partials: [String: String]) -> String? { message { _ = try render(text, partials: partials) } }
        #expect(error("\n{{> a}}", ["a": "x {{> a}}"]) == "T/a.swift.tmpl:1:3: partial `a` includes itself")
        #expect(error("{{> a}}", ["a": "{{> b}}", "b": "\n{{> a}}"]) == "T/b.swift.tmpl:2:1: partial `a` includes itself through `b`")
        #expect(
            error("{{> a}}", ["a": "{{> b}}", "b": "{{> c}}", "c": " {{> main}}"])
                == "T/c.swift.tmpl:1:2: partial `main` includes itself through `a`, `b`, `c`")
    }

    @Test func longLinesOfPartialsAreNoCircles() throws {
        func chain(_ count: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("p\($0)", $0 + 1 < count ? "{{> p\($0 + 1)}}" : "end") })
        }
        #expect(try render("{{> p0}}", partials: chain(100)) == "end")
        #expect(message { _ = try render("{{> p0}}", partials: chain(101)) } == "T/p99.swift.tmpl:1:1: partials nested more than 100 deep")
    }

    @Test func lineEndsOfWindowsAreReadAsOnes() throws {
        let text = "a\r\n{{#list}}\r\n  {{n}}\r\n{{/list}}\r\nb\r"
        #expect(try render(text, ["list": .list([["n": .text("1")]])]) == "a\n  1\nb\r")
        #expect(message { _ = try render("a\r\n {{nope}}") } == "T/main.swift.tmpl:2:2: no key `nope` here")
    }

    @Test func sectionsDoNotNestForEver() {
        let text = String(repeating: "{{#x}}", count: 60)
        #expect(message { _ = try render(text) } == "T/main.swift.tmpl:1:301: sections nested more than 50 deep")
    }

    @Test func otherEncodingsAreRefused() {
        let file = SourceFile(name: "T/main.swift.tmpl", bytes: [0x61, 0xFF])
        #expect(message { _ = try TemplateLibrary(folder: "T", files: [file]) } == "T/main.swift.tmpl: not UTF-8 text")
    }
}
