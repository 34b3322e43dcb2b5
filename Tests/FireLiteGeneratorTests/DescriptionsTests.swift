import Testing

@testable import FireLiteGenerator

/// `--descriptions` puts FHIR's short descriptions into comments, and nothing of them into the code.
struct DescriptionsTests {
    private let package: TemporaryPackage

    init() throws { package = try TemporaryPackage() }

    private var root: String { package.folder.path }

    /// Definitions of a type `Thing` with these short descriptions of itself, an element, a choice and a backbone element.
    private func write(_ shorts: [String], version: String = "9.9.0") throws {
        func quoted(_ text: String) -> String {
            let escaped = text.unicodeScalars.map { scalar in
                scalar.value < 0x20 || scalar == "\"" || scalar == "\\" ? "\\u" + Self.hexadecimal(scalar.value) : String(scalar)
            }
            return "\"\(escaped.joined())\""
        }
        let texts = shorts.map { "\"short\": \(quoted($0)), " } + Array(repeating: "", count: 4)
        try package.folder.write(
            "Definitions/thing.json",
            """
            {"resourceType": "StructureDefinition", "url": "http://x/Element", "fhirVersion": "\(version)", "kind": "complex-type",
             "abstract": true, "snapshot": {"element": [{"path": "Element"},
              {"path": "Element.id", "min": 0, "max": "1", "type": [{"code": "string"}]}]}}
            """)
        try package.folder.write(
            "Definitions/types.json",
            """
            {"resourceType": "Bundle", "entry": [
              {"resource": {"resourceType": "StructureDefinition", "url": "http://x/string", "kind": "primitive-type"}},
              {"resource": {"resourceType": "StructureDefinition", "url": "http://x/boolean", "kind": "primitive-type"}},
              {"resource": {"resourceType": "StructureDefinition", "url": "http://x/BackboneElement", "kind": "complex-type",
               "baseDefinition": "http://x/Element", "snapshot": {"element": [{"path": "BackboneElement"}]}}},
              {"resource": {"resourceType": "StructureDefinition", "url": "http://x/Thing", "kind": "complex-type",
               "baseDefinition": "http://x/Element", "snapshot": {"element": [
               {\(texts[0])"path": "Thing"},
               {\(texts[1])"path": "Thing.name", "min": 0, "max": "1", "type": [{"code": "string"}]},
               {\(texts[2])"path": "Thing.size[x]", "min": 0, "max": "1", "type": [{"code": "string"}, {"code": "boolean"}]},
               {\(texts[3])"path": "Thing.part", "min": 0, "max": "*", "type": [{"code": "BackboneElement"}]},
               {"path": "Thing.part.a", "min": 0, "max": "1", "type": [{"code": "string"}]}]}}}]}
            """)
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private func generate(withDescriptions: Bool = true) throws -> String {
        let definitions = root + "/Definitions"
        let arguments = ["--definitions", definitions, "--release", "Odd", "--output", root + "/Out"]
        let outcome = GeneratorCommand.run(
            arguments + (withDescriptions ? ["--descriptions", definitions] : []), in: root)
        #expect(outcome.status == 0, "\(outcome.error)")
        return try package.folder.read("Out/Datatypes/Thing.swift")
    }

    @Test func descriptionsStandAboveClassesAndElements() throws {
        try write(["A thing of any kind", "What it is called", "How large | small", "A piece of it"])
        let code = try generate()
        #expect(code.contains("\n/// A thing of any kind\n///\n/// `Thing`, a datatype of FHIR Odd: <http://x/Thing>\npublic "))
        #expect(code.contains("\n    /// What it is called\n    ///\n    /// `Thing.name`: `string` 0..1\n    public "))
        #expect(code.contains("\n    /// How large | small\n    ///\n    /// `Thing.size[x]`: "))
        #expect(code.contains("\n/// A piece of it\n///\n/// `Thing.part`, a backbone element\npublic "))
    }

    /// FHIR's text is only there where it was asked for.
    @Test func withoutTheOptionNothingOfThemIsThere() throws {
        try write(["A thing of any kind", "What it is called", "How large", "A piece of it"])
        let described = try generate()
        let plain = try generate(withDescriptions: false)
        for text in ["A thing of any kind", "What it is called", "How large", "A piece of it"] { #expect(!plain.contains(text)) }
        #expect(withoutComments(described) == withoutComments(plain) && described != plain)
    }

    @Test func elementsWithoutADescriptionHaveNone() throws {
        try write([])
        #expect(try generate() == generate(withDescriptions: false))
        try write(["", " \n ", "\u{7}"])
        #expect(try generate() == generate(withDescriptions: false))
    }

    @Test func descriptionsOfAnotherReleaseAreRefused() throws {
        try write(["A thing"], version: "8.0.0")
        let outcome = package.run("--release", "Mini", "--output", root + "/Out", "--descriptions", root + "/Definitions")
        #expect(outcome.status == 2)
        #expect(
            outcome.error
                == "Generator: \(root)/Definitions: these are descriptions of Mini 8.0.0, the classes are of Mini 9.9.0")
    }

    @Test func theyNeedAFolderForTheCode() {
        let outcome = package.run("--descriptions", root)
        #expect(outcome.status == 2)
        #expect(
            outcome.error
                == "Generator: --descriptions needs --output, since the package's own code contains no text of FHIR's, see --help")
        #expect(package.run("--output", root + "/Out", "--descriptions", root + "/no").error.hasSuffix("no such definitions folder"))
    }

    // MARK: - Hostile text

    private func withoutComments(_ code: String) -> [String] {
        code.split(separator: "\n").map(String.init).filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("///") }
    }

    /// Whatever the texts are, the code without its comments is the same, and comments have no character that hides or turns text.
    @Test func textNeverLeavesTheComment() throws {
        let pieces = [
            "\n", "\r", "\r\n", "\u{0}", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "*/", "/*", "*", "/", "//", "///", "\"\"\"",
            "\"",
            "\\", "\\(pwned)", "{{", "}}", "{{#classes}}", "`", "let pwned = 1", "#if pwned", "#endif", "@main", "\u{202E}", "\u{2066}",
            "\u{200B}", "\u{FEFF}", "\u{1B}[31m", "\u{7F}", "\u{E000}", "}", "{", " ", "\t", "é", "👩‍👩‍👧", "\u{301}",
        ]
        try write([])
        let expected = withoutComments(try generate(withDescriptions: false))
        var generator = SeededGenerator(seed: 11)
        for round in 0..<60 {
            let texts = (0..<4).map { _ in
                (0..<Int.random(in: 1...9, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            try write(texts)
            let code = try generate()
            try #require(withoutComments(code) == expected, "round \(round): \(texts)")
            for scalar in code.unicodeScalars where scalar != "\n" {
                try #require(![.control, .format, .privateUse].contains(scalar.properties.generalCategory), "round \(round): \(texts)")
            }
            try #require(!code.contains("*/") && !code.contains("/*"), "round \(round): \(texts)")
        }
    }

    @Test func linesOfComments() {
        #expect(CommentText.line(" a\r\n\t b\u{2028}c ") == "a b c")
        #expect(CommentText.line("a */ b /* c */*/*") == "a * / b / * c * / * / *")
        #expect(CommentText.line("\u{202E}a\u{0}b") == "ab")
        #expect(CommentText.line(String(repeating: "x", count: 301)) == String(repeating: "x", count: 300) + "…")
        #expect(CommentText.line("\n\u{7}") == "")
    }
}
