import Foundation
import Testing

@testable import FireLiteGenerator

struct DigestTests {
    private func read(_ text: String) throws -> ReleaseDefinition {
        try DigestReader.read(SourceFile(name: "x.digest", bytes: Array(text.utf8)))
    }

    /// A digest with a few lines after the header and one primitive, lines 1 to 3.
    private func digest(_ lines: String) -> String {
        "FireLite digest 2\nrelease X 1.0\nprimitive string - http://x/string\n" + lines
    }

    // MARK: - Sound digests

    @Test func writtenDigestReadsBackTheSame() throws {
        let text = DigestWriter.text(of: try Fixtures.mini())
        #expect(DigestWriter.text(of: try read(text)) == text)
    }

    @Test func orderOfInputChangesNothing() throws {
        var release = try Fixtures.mini()
        let text = DigestWriter.text(of: release)
        release.types.reverse()
        release.valueSets.reverse()
        release.searchParameters.reverse()
        #expect(DigestWriter.text(of: release) == text)
    }

    @Test func digestHoldsFacts() throws {
        let text = DigestWriter.text(of: try Fixtures.mini())
        let url = "http://example.org/fhir"
        for line in [
            "release Mini 9.9.0", "primitive positiveInt integer \(url)/StructureDefinition/positiveInt",
            "abstract datatype Element - \(url)/StructureDefinition/Element",
            "resource Task DomainResource \(url)/StructureDefinition/Task", "backbone List.item Element",
            "  status 1..1 code required \(url)/ValueSet/task-status TaskStatus",
            "  tongue 0..1 code preferred \(url)/ValueSet/languages",
            "  value[x] 0..1 string|Quantity|Reference>Task,List|code required \(url)/ValueSet/task-use Use",
            "  input 0..* Task.input", "  part 0..1 @Task.input", "valueset \(url)/ValueSet/task-use Task Use", "  ad hoc",
            "search \(url)/SearchParameter/task-owner owner composite Task,List", "  expression Task.for | List.item.entry",
            "  target List,Task", "  component \(url)/SearchParameter/part Task.part",
            "search \(url)/SearchParameter/query _query special -", "modifier Task status", "summary Task status use",
            "constraint Element ele-1 error expression hasValue()",
            "constraint DomainResource dom-2 error expression contained.contained.empty()",
            "constraint Task tsk-1 error expression status.exists() or 'a\"'.empty()", "constraint Task.use tsk-2 warning",
        ] {
            #expect(text.contains("\n" + line + "\n"), "\(line)")
        }
        #expect(!text.contains("Prose"))
        // Those that hold for every element and resource are said once.
        #expect(text.components(separatedBy: "ele-1").count == 2 && text.components(separatedBy: "dom-2").count == 2)
    }

    /// Digests from before constraints, modifiers and summaries, and only those, lack them.
    @Test func digestsWithoutFactsAreRead() throws {
        let text = DigestWriter.text(of: try Fixtures.mini())
        let facts = ["constraint ", "modifier ", "summary "]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let old = lines.filter { line in !facts.contains { line.hasPrefix($0) } }.joined(separator: "\n")
        let release = try read(old.replacingOccurrences(of: "FireLite digest 2", with: "FireLite digest 1"))
        #expect(DigestWriter.text(of: release) == old)
        #expect(release.types.count == (try Fixtures.mini()).types.count)
        let mixed = text.replacingOccurrences(of: "FireLite digest 2", with: "FireLite digest 1")
        #expect(message { _ = try read(mixed) }?.hasSuffix("unknown definition `constraint`") == true)
    }

    @Test func lineFeedsOfWindowsAreAccepted() throws {
        let release = try read("FireLite digest 2\r\nrelease X 1.0\r\nprimitive string - http://x/string\r\n")
        #expect(release.types.map(\.name) == ["string"])
    }

    /// The numbers of types that each specification has; the abstract ones apart.
    @Test(arguments: [
        ("DSTU2", "1.0.2", [94, 2, 21, 1, 18]), ("STU3", "3.0.2", [117, 2, 33, 2, 18]), ("R4", "4.0.1", [146, 2, 39, 2, 20]),
        ("R4B", "4.3.0", [141, 2, 40, 3, 20]), ("R5", "5.0.0", [158, 4, 42, 6, 21]),
    ])
    func committedDigestHoldsTheWholeRelease(name: String, version: String, counts: [Int]) throws {
        let release = try DigestReader.read(try SourceFile(path: Fixtures.package + "/Generator/Definitions/\(name).digest"))
        #expect(release.release == FHIRReleaseName(name: name, version: version))
        let found = [
            release.count(.resource, isAbstract: false), release.count(.resource, isAbstract: true),
            release.count(.datatype, isAbstract: false), release.count(.datatype, isAbstract: true),
            release.count(.primitive, isAbstract: false),
        ]
        #expect(found == counts)
        // The ids of resources are of the type `id`, those of elements strings since STU3.
        #expect(try release.type("Resource").elements["id"].typeText == "id")
        #expect(try release.type("Element").elements["id"].typeText == (name == "DSTU2" ? "id" : "string"))
        for root in ["Resource", "Element"] {
            #expect(try release.type(root).elements.contains { $0.name == "fhir_comments" } == (name == "DSTU2"))
        }
    }

    /// The counts of FHIR 4.0.1: 146 and 2 abstract resources, 41 datatypes with the abstract ones, 20 primitives.
    @Test func committedDigestHoldsAllOfR4() throws {
        let path = Fixtures.package + "/Generator/Definitions/R4.digest"
        let release = try DigestReader.read(try SourceFile(path: path))
        #expect(release.release == FHIRReleaseName(name: "R4", version: "4.0.1"))
        #expect(release.count(.resource, isAbstract: false) == 146)
        #expect(release.count(.resource, isAbstract: true) == 2)
        #expect(release.count(.datatype, isAbstract: false) == 39)
        #expect(release.count(.datatype, isAbstract: true) == 2)
        #expect(release.count(.primitive, isAbstract: false) == 20)
        #expect(release.types.flatMap(\.backbones).count == 473)
        #expect(release.valueSets.count == 224)
        #expect(release.searchParameters.count == 1400)
        #expect(try release.type("Extension").elements["value"].typeText.split(separator: "|").count == 50)
        #expect(try release.valueSet("administrative-gender").codes == ["male", "female", "other", "unknown"])
        #expect(try release.valueSet("ucum-units").codes.isEmpty)
    }

    /// Counts of types as in each release's definitions, and of constraints without those that are repeated.
    @Test(arguments: [
        ("DSTU2", "1.0.2", [94, 2, 22, 18, 143]), ("STU3", "3.0.2", [117, 2, 35, 18, 190]), ("R4", "4.0.1", [146, 2, 41, 20, 239]),
        ("R4B", "4.3.0", [141, 2, 43, 20, 250]), ("R5", "5.0.0", [158, 4, 48, 21, 381]),
    ])
    func committedDigestsAreComplete(name: String, version: String, counts: [Int]) throws {
        let release = try DigestReader.read(try SourceFile(path: Fixtures.package + "/Generator/Definitions/\(name).digest"))
        #expect(release.release == FHIRReleaseName(name: name, version: version))
        let elements = release.types.flatMap { $0.elements + $0.backbones.flatMap(\.elements) }
        #expect(
            counts == [
                release.count(.resource, isAbstract: false), release.count(.resource, isAbstract: true),
                release.types.count { $0.kind == .datatype }, release.types.count { $0.kind == .primitive },
                release.types.flatMap(\.constraints).count + elements.flatMap(\.constraints).count,
            ])
        let status = try release.type("Observation").elements["status"]
        #expect(status.isModifier && status.isSummary)
        #expect(try !release.type("Observation").elements["device"].isSummary)
        let contact = try release.type("Patient").elements["contact"].constraints
        #expect(contact.map(\.key) == ["pat-1"])
        #expect(
            contact.allSatisfy { name == "DSTU2" ? $0.rule?.xpath.hasPrefix("f:") == true : $0.rule?.fhirPath.contains("exists()") == true }
        )
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ("", "1:1: no digest, expected `FireLite digest 2`"),
        ("FireLite digest 3\n", "1:1: no digest, expected `FireLite digest 2`"),
        ("FireLite digest 2", "2:1: expected `release NAME VERSION`"),
        ("FireLite digest 2\nrelase R4 4", "2:1: expected `release NAME VERSION`"),
        ("FireLite digest 2\nrelease R4", "2:11: expected the release's version"),
        ("FireLite digest 2\nrelease R/4 4", "2:9: `R/4` is not a release name"),
        ("FireLite digest 2\nrelease R4 4\"", "2:12: `4\"` is not a version"),
    ])
    func badHeaders(text: String, expected: String) {
        #expect(message { _ = try read(text) } == "x.digest:" + expected)
    }

    @Test(arguments: [
        ("  a 0..1 string", "4:3: a primitive has no elements"),
        ("thing A - http://x/A", "4:1: unknown definition `thing`"),
        ("abstract valueset http://x v", "4:1: unknown definition `valueset`"),
        ("datatype A", "4:11: expected the base type's name"),
        ("datatype A-B - http://x", "4:10: `A-B` is not a type name"),
        ("datatype A - http://x more", "4:23: unexpected `more`"),
        ("datatype A - http://x\u{1}y", "4:14: this is not a URL"),
        ("datatype A B http://x", "4:1: no type `B` to derive `A` from"),
        ("datatype A A http://x", "4:1: type `A` derives from itself"),
        ("datatype A B http://x\ndatatype B A http://x", "4:1: type `A` derives from itself"),
        ("datatype A - http://x\ndatatype A - http://x", "5:1: type `A` is defined twice"),
        ("datatype A - http://x\n  a", "5:4: expected a cardinality"),
        ("datatype A - http://x\n  a 0.1 string", "5:5: `0.1` is not a cardinality"),
        ("datatype A - http://x\n  a 0..0 string", "5:5: `0..0` is not a cardinality"),
        ("datatype A - http://x\n  a 0..1", "5:9: expected the element's types"),
        ("datatype A - http://x\n  a 0..1 str", "5:3: no type `str` for `A.a`"),
        ("datatype A - http://x\n  a 0..1 string|string", "5:10: a type occurs twice in `string|string`"),
        ("datatype A - http://x\n  a 0..1 string|A", "5:3: `A.a` has several types but no `[x]`"),
        ("datatype A - http://x\n  a[x] 0..* string|A", "5:3: choice element `A.a[x]` repeats"),
        ("datatype A - http://x\n  a 0..1 string>>B", "5:10: `string>>B` is not a type"),
        ("datatype A - http://x\n  a 0..1 A.b", "5:3: no backbone element `A.b` for `A.a`"),
        ("datatype A - http://x\n  a 0..1 @A", "5:10: `A` is not a path"),
        ("datatype A - http://x\n  a 0..1 string\n  a 0..1 string", "6:3: element `A.a` is defined twice"),
        ("datatype A - http://x\n  a/ 0..1 string", "5:3: `a/` is not an element name"),
        ("datatype A - http://x\n  a 0..1 string strong", "5:17: `strong` is not a binding strength"),
        ("datatype A - http://x\n  a 0..1 string required", "5:25: expected the value set's URL"),
        ("backbone A.b A", "4:10: `A.b` is not a path in the type above it"),
        ("datatype A - http://x\nbackbone B.b A", "5:10: `B.b` is not a path in the type above it"),
        ("datatype A - http://x\nbackbone A.b string", "5:1: no datatype `string` to derive `A.b` from"),
        ("valueset http://x", "4:18: expected the value set's name"),
        ("valueset http://x v\n  a\u{7}", "5:3: this is not a code"),
        // A carriage return at the end would be lost when the text is written and read again.
        ("valueset http://x v\r \n", "4:19: this is not the value set's name"),
        ("resource T - http://x\n  a 0..1 T required http://x v\r \n", "5:30: this is not a binding's name"),
        ("valueset http://x v\nvalueset http://x v", "5:1: value set `http://x` is defined twice"),
        ("constraint A a-1 error", "4:12: `A` is not in `string`, which is above it"),
        ("abstract summary A a", "4:1: unknown definition `summary`"),
        ("datatype A - http://x\nconstraint A", "5:13: expected the constraint's key"),
        ("datatype A - http://x\nconstraint A a-1", "5:17: expected the constraint's severity"),
        ("datatype A - http://x\nconstraint A a-1 fatal", "5:18: `fatal` is not a severity"),
        ("datatype A - http://x\nconstraint A a-1 error prose", "5:24: expected `expression` or `xpath`, not `prose`"),
        ("datatype A - http://x\nconstraint A a-1 error expression", "5:34: expected an expression"),
        ("datatype A - http://x\nconstraint A a-1 error xpath \u{7}", "5:30: this is not an XPath"),
        ("datatype A - http://x\nconstraint B a-1 error", "5:12: `B` is not in `A`, which is above it"),
        ("datatype A - http://x\nconstraint A.b a-1 error", "5:12: `A`, which is above it, has no element `b`"),
        ("datatype A - http://x\nconstraint A a error\nconstraint A a error", "6:12: constraint `a` of `A` occurs twice"),
        ("datatype A - http://x\n  a 0..1 string\nmodifier A", "6:11: expected an element's name"),
        ("datatype A - http://x\n  a 0..1 string\nmodifier A.a a", "6:10: `A.a` is not `A`, which is above it"),
        ("datatype A - http://x\n  a[x] 0..1 string\nsummary A a", "6:11: `A`, which is above it, has no element `a`"),
        ("datatype A - http://x\n  a 0..1 string\nsummary A a a", "6:13: `a` occurs twice"),
        ("search http://x s token", "4:24: expected the resources it applies to"),
        ("search http://x s\u{7} token A", "4:17: this is not the search parameter's name"),
        ("search http://x s token A\n  expression a\u{7}", "5:14: this is not an expression"),
        ("search http://x s token A\n  prose is bad", "5:3: unknown detail `prose` of a search parameter"),
    ])
    func badLines(lines: String, expected: String) {
        #expect(message { _ = try read(digest(lines)) } == "x.digest:" + expected)
    }

    @Test func longLinesOfTypesAreRefused() {
        let types = (1...40).map { "datatype T\($0) T\($0 - 1) http://x" }.joined(separator: "\n")
        #expect(
            message { _ = try read(digest("datatype T0 - http://x\n" + types)) }?.hasSuffix("derives through more than 32 types") == true)
    }

    @Test func otherEncodingsAreRefused() {
        let file = SourceFile(name: "x.digest", bytes: [0xFF, 0xFE, 0x41])
        #expect(message { _ = try DigestReader.read(file) } == "x.digest: not UTF-8 text")
    }

    /// Any bytes give a release that can be named and rendered, or an error.
    @Test func mutatedDigestsNeverCrash() throws {
        let text = Array(DigestWriter.text(of: try Fixtures.mini()).utf8)
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        var read = 0
        for seed in 0..<300 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let file = SourceFile(name: "x.digest", bytes: generator.mutated(text))
            do {
                let release = try DigestReader.read(file)
                read += 1
                _ = try FilePlanner.plan(NamingPass.name(release), templates: templates)
            } catch let error as GeneratorError {
                #expect(error.location?.file == "x.digest", "seed \(seed): \(error)")
            }
        }
        #expect(read > 30 && read < 300)
    }
}
