import Testing

@testable import FireLiteGenerator

/// Definitions by somebody who wants their text in the generated code.
struct HostileDefinitionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The error of importing a type `Thing` with these elements after its root; nil if it is imported.
    private func error(_ elements: [String], root: String = "Thing", base: String? = nil) throws -> String? {
        let base = base.map { #""baseDefinition": "http://x/\#($0)","# } ?? ""
        try folder.write(
            "a.json",
            """
            {"resourceType": "StructureDefinition", "url": "http://x/Thing", "fhirVersion": "4.0.1", "kind": "complex-type", \(base)
             "snapshot": {"element": [
            \((["{\"path\": \"\(root)\"}"] + elements).joined(separator: ",\n"))]}}
            """)
        let found = message { _ = try DefinitionsImporter.importRelease(from: folder.path, named: nil) }
        return found.map { $0.hasPrefix(folder.path + "/a.json:") ? String($0.dropFirst(folder.path.utf8.count + 8)) : "elsewhere: " + $0 }
    }

    private func element(_ path: String, type: String = "Thing") -> String {
        #"{"path": "\#(path)", "min": 0, "max": "1", "type": [{"code": "\#(type)"}]}"#
    }

    private static let payload = #"X{}\nlet pwned: Void = print(1)//"#

    @Test func beginningsOfPathsAreTheType() throws {
        #expect(try error([element("Other.a")]) == "4:1: element `Other.a` is none of `Thing`, which defines it")
        #expect(try error([element("Things.a")]) == "4:1: element `Things.a` is none of `Thing`, which defines it")
        #expect(
            try error([element(Self.payload + ".a"), element(Self.payload + ".a.b")])
                == "4:1: element `X{} let pwned: Void = print(1)//.a` is none of `Thing`, which defines it")
        #expect(try error([element("Thing")]) == "4:1: element `Thing` is none of `Thing`, which defines it")
        #expect(try error([], root: "Other") == "3:1: the first element of `Thing` should have the path `Thing`, not `Other`")
        #expect(
            try error([], root: Self.payload)?.hasPrefix("3:1: the first element of `Thing` should have the path `Thing`, not `X{}") == true
        )
    }

    @Test(arguments: ["X{}", "a b", "", "a-b", "a`", "é", "_a", "1a", "value[x]x", "a\\u0007", "a\\u202e"])
    func namesInPathsAreIdentifiers(name: String) throws {
        let shown = name == "a\\u0007" ? "a\\u{7}" : name == "a\\u202e" ? "a\\u{202e}" : name
        #expect(try error([element("Thing.\(name)")]) == "4:1: `\(shown)` in the path `Thing.\(shown)` is not an element name")
        let inner = "Thing.\(name).b"
        #expect(
            try error([element("Thing.\(name)"), element(inner)])
                == "4:1: `\(shown)` in the path `Thing.\(shown)` is not an element name")
    }

    @Test func choicesHaveNoElementsInside() throws {
        #expect(
            try error([element("Thing.a[x]"), element("Thing.a[x].b")])
                == "5:1: `a[x]` in the path `Thing.a[x].b` is not an element name")
    }

    /// A slice or a forbidden element does not get by, either.
    @Test func elementsThatAreLeftOutAreChecked() throws {
        #expect(try error([#"{"path": "Thing.a{}", "sliceName": "s"}"#])?.hasSuffix("is not an element name") == true)
        #expect(try error([#"{"path": "Other.a", "min": 0, "max": "0"}"#])?.hasSuffix("is none of `Thing`, which defines it") == true)
    }

    @Test func elementsWithoutTheirOwnerAreRefused() throws {
        #expect(try error([element("Thing.a.b")]) == "4:1: element `Thing.a.b` comes without an element `Thing.a` before it")
        // The elements of one that is forbidden go with it.
        #expect(try error([#"{"path": "Thing.a", "min": 0, "max": "0"}"#, element("Thing.a.b"), element("Thing.a.b.c")]) == nil)
    }

    @Test func namesOfTypesAreIdentifiers() throws {
        #expect(try error([element("Thing.a", type: "A b")]) == "4:52: `A b`, a type of `Thing.a`, is not a type name")
        #expect(
            try error([element("Thing.a", type: Self.payload)])
                == "4:52: `X{} let pwned: Void = print(1)//`, a type of `Thing.a`, is not a type name")
        let of =
            #""type": [{"code": "http://hl7.org/fhirpath/System.String", "extension": [{"url": "\#(Self.typeURL)", "valueUrl": "A{}"}]}]"#
        #expect(
            try error([#"{"path": "Thing.a", "min": 0, "max": "1", \#(of)}"#])?.hasSuffix(
                "`A{}`, a type of `Thing.a`, is not a type name") == true)
        #expect(try error([], base: "A{}") == "1:132: `A{}`, which `Thing` derives from, is not a type name")
        #expect(
            try error([element("Thing.a", type: "A{}"), element("Thing.a.b")]) == "4:1: `A{}`, the type of `Thing.a`, is not a type name"
        )
    }

    private static let typeURL = "http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type"

    /// No text of definitions with random names in every place reaches the code other than as an identifier or inside a literal.
    @Test func randomNamesNeverBreakOut() throws {
        let payloads = [
            "X{}\\nlet pwned: Void = ()", "\\\"; let pwned = 1 //", "`pwned`", "*/ pwned", "a\\u2028let pwned = 1", "pwned\\\\(1)",
        ]
        let good = #"{"path": "Thing.name", "min": 0, "max": "1", "type": [{"code": "Thing", "targetProfile": ["http://x/Thing"]}]}"#
        let words = ["Thing.name", "Thing", "http://x/Thing"]
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for round in 0..<200 {
            let word = words.randomElement(using: &generator) ?? ""
            let payload = payloads.randomElement(using: &generator) ?? ""
            let bad = Bool.random(using: &generator) ? payload : word + payload
            let target = good.replacing("\"\(word)\"", with: "\"\(bad)\"")
            if try error([target])?.isEmpty == false { refused += 1 } else { Issue.record("round \(round): \(target) was imported") }
        }
        #expect(refused == 200)
    }
}
