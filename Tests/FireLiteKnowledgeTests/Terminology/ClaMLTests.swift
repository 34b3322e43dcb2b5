import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Classifications in ClaML are imported with their hierarchy, names and the codes of modifiers, or refused with the line of what is wrong.
@Suite struct ClaMLTests {
    private let folder: TemporaryFolder
    private static let url = "http://hl7.org/fhir/sid/icd-10"

    init() throws { folder = try TemporaryFolder() }

    private static func rubric(_ kind: String, _ text: String, _ language: String = "en") -> String {
        "<Rubric kind=\"\(kind)\"><Label xml:lang=\"\(language)\">\(text)</Label></Rubric>"
    }

    private static func item(_ code: String, _ kind: String, under: String?, _ content: String) -> String {
        let above = under.map { "<SuperClass code=\"\($0)\"/>" } ?? ""
        return "<Class code=\"\(code)\" kind=\"\(kind)\">\(above)\(content)</Class>\n"
    }

    private static func document(_ classes: String, name: String = "ICD-10-EN-2019", prologue: String? = nil) -> String {
        let start =
            prologue ?? """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE ClaML SYSTEM "ClaML.dtd" [ <!ELEMENT x (#PCDATA)> <!ENTITY a "]>"> ]>
                <!-- made for a test: <Class code="no"/> -->
                """
        return start
            + "<ClaML version=\"2.0.0\"><Title name=\"\(name)\" version=\"May 2019\" date=\"2018-04-27\">A title</Title>\n\(classes)</ClaML>\n"
    }

    private static let sample = document(
        item("IV", "chapter", under: nil, rubric("preferred", "Endocrine diseases") + "<SubClass code=\"E10-E14\"/>")
            + item(
                "E10-E14", "block", under: "IV",
                rubric("preferred", "Diabetes") + "<ModifiedBy code=\"M4\" all=\"true\"/><SubClass code=\"E10\"/>")
            + item(
                "E10", "category", under: "E10-E14",
                rubric("preferred", "Type 1 <Reference>diabetes</Reference> &amp; more")
                    + rubric("inclusion", "Juvenile <![CDATA[<onset>]]> diabetes")
                    + rubric("exclusion", "neonatal (<Reference>P70.2</Reference>)")
                    + "<Meta name=\"MortL4Code\" value=\"3-052\"/>")
            + item(
                "E11", "category", under: "E10-E14",
                rubric("preferred", "Typ 2", "de") + rubric("preferredLong", "Diabetes mellitus,\n   Typ 2", "de")
                    + "<ModifiedBy code=\"M5\" all=\"false\"><ValidModifierClass code=\"1\"/></ModifiedBy>")
            + item("E12", "category", under: "E10-E14", rubric("preferred", "No modifier") + "<ExcludeModifier code=\"M4\"/>")
            + "<Modifier code=\"M4\"><SubClass code=\".0\"/></Modifier>\n"
            + "<ModifierClass modifier=\"M4\" code=\".0\"><SuperClass code=\"M4\"/>\(rubric("preferred", "With coma"))</ModifierClass>\n"
            + "<ModifierClass modifier=\"M4\" code=\".9\"><SuperClass code=\"M4\"/>\(rubric("preferred", "Without it"))</ModifierClass>\n"
            + "<ModifierClass modifier=\"M5\" code=\"0\">\(rubric("preferred", "stable"))</ModifierClass>\n"
            + "<ModifierClass modifier=\"M5\" code=\"1\">\(rubric("preferred", "derailed"))</ModifierClass>\n")

    private func terminology(_ text: String) throws -> (ImportedCodeSystem, Terminology) {
        let path = folder.file("\(UUID().uuidString).sqlite")
        let system = try CodeSystemFile(path: path).add([folder.write("icd.xml", text)])
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        return (system, terminology)
    }

    @Test func classesHaveTheirNamesAndPlaces() throws {
        let (system, terminology) = try terminology(Self.sample)
        #expect(system.url == Self.url && system.version == "2019" && system.name == "ICD-10")
        func code(_ text: String) -> TerminologyCode { TerminologyCode(text, system: Self.url) }
        let found = try terminology.lookup(code("E10"))
        #expect(found.display == "Type 1 diabetes & more" && found.parents == ["E10-E14"] && found.children == ["E10.0", "E10.9"])
        #expect(try terminology.lookup(code("E11")).display == "Diabetes mellitus, Typ 2")
        #expect(try terminology.relation(of: "IV", to: "E10.9", in: Self.url) == .subsumes)
        #expect(try terminology.validate(code("E10.0")).isValid)
        // Inclusions are names that searches find.
        let search = #"{"include":[{"system":"\#(Self.url)"}]}"#
        var searched = terminology
        try searched.add(contentsOf: Data(TerminologyExamples.valueSet("all", search).utf8))
        let url = "http://example.org/all"
        #expect(try searched.expand(url, filter: "juven onset").codes.map(\.code) == ["E10"])
        #expect(try searched.expand(url, filter: "typ").codes.map(\.code).contains("E11"))
    }

    @Test func modifiersMakeTheCodesThatApply() throws {
        let (_, terminology) = try terminology(Self.sample)
        func exists(_ text: String) -> Bool { (try? terminology.lookup(TerminologyCode(text, system: Self.url))) != nil }
        // The digit with a point comes first, whichever class names its modifier.
        for (code, isThere) in [
            ("E10.0", true), ("E10.9", true), ("E10.01", false), ("E11.0", true), ("E11.01", true), ("E11.00", false), ("E11.91", true),
            ("E111", false), ("E12.0", false), ("E10-E14.0", false), ("M4", false),
        ] { #expect(exists(code) == isThere, "\(code)") }
        let display = try terminology.lookup(TerminologyCode("E11.91", system: Self.url)).display
        #expect(display == "Diabetes mellitus, Typ 2: Without it: derailed")
        #expect(try terminology.lookup(TerminologyCode("E11.91", system: Self.url)).parents == ["E11.9"])
    }

    @Test func aFolderWithOneFileIsEnough() throws {
        try FileManager.default.createDirectory(atPath: folder.file("release/files"), withIntermediateDirectories: true)
        try Data(Self.sample.utf8).write(to: URL(fileURLWithPath: folder.file("release/files/icd10.xml")))
        try Data("<other/>".utf8).write(to: URL(fileURLWithPath: folder.file("release/files/other.xml")))
        let path = folder.file("codes.sqlite")
        let system = try CodeSystemFile(path: path).add([folder.file("release")])
        // The same version is replaced.
        #expect(try CodeSystemFile(path: path).add([folder.file("release/files/icd10.xml")]).conceptCount == system.conceptCount)
        #expect(try CodeSystemFile(path: path).systems().count == 1)
        try Data(Self.sample.utf8).write(to: URL(fileURLWithPath: folder.file("release/second.xml")))
        let error = #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: path).add([folder.file("release")]) }
        #expect(error?.code == .missing && error?.message.contains("2 files") == true)
    }

    private static let one = item("A", "chapter", under: nil, rubric("preferred", "A"))

    private static let broken: [(text: String, reason: String)] = [
        (document(item("A", "chapter", under: "B", rubric("preferred", "A"))), "line 4: the class A: its SuperClass B"),
        (document(item("A", "chapter", under: nil, "")), "has no name"),
        (document(one + one), "line 5: the class A: another class has the code"),
        (
            document(item("A", "x", under: "B", rubric("preferred", "A")) + item("B", "x", under: "A", rubric("preferred", "B"))),
            "above itself"
        ),
        (document("<Class kind=\"x\">\(rubric("preferred", "A"))</Class>"), "a Class has no code"),
        (document(""), "has no class"),
        (document(one, name: "ICD-10-CM 2025"), "whose URL is not known"),
        (document(one, name: "Other"), "whose URL is not known"),
        (document(one.replacingOccurrences(of: "</Label>", with: "</Labels>")), "line 4: this is not well-formed"),
        (document(item("A", "x", under: nil, rubric("preferred", "&a;"))), "not well-formed"),
        (document(one, prologue: "<!DOCTYPE ClaML [ <!ENTITY a \"x\">"), "line 1: the document type does not end"),
        (document(one, prologue: "<!-- "), "line 1: a comment does not end"),
        (String(document(one).dropLast(30)), "cut off"),
        (
            document(item("A", "x", under: nil, rubric("preferred", "A") + "<ModifiedBy code=\"M\"/>")),
            "the modifier M, which has no ModifierClass"
        ),
        (document(String(repeating: "<a>", count: 200)), "nested more than 64 levels"),
    ]

    @Test func whatIsWrongIsNamedWithItsLine() throws {
        let path = folder.file("codes.sqlite")
        for (text, reason) in Self.broken {
            let file = try folder.write("icd.xml", text)
            let error = #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: path).add([file]) }
            #expect(error?.message.contains(reason) == true && error?.message.contains("icd.xml") == true, "\(error?.message ?? "")")
            #expect(try !FileManager.default.fileExists(atPath: path) || CodeSystemFile(path: path).systems().isEmpty)
        }
    }

    @Test func bytesThatAreNoUTF8AreRefused() throws {
        var bytes = Data(Self.sample.utf8)
        let place = try #require(bytes.range(of: Data("coma".utf8))).lowerBound
        bytes[place] = 0xE4
        let file = try folder.write("icd.xml", bytes)
        let error = #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: folder.file("codes.sqlite")).add([file]) }
        #expect(error?.message.contains("UTF-8") == true)
    }
}
