import FireLite
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Messages of the tool speak of commands and options, never of declarations.
struct ToolWordsTests {
    /// A word of Swift: a call, a closure, a type, an argument with its label, or a domain of Foundation's errors.
    private static func hasCode(_ text: String) -> Bool {
        let patterns: [Regex<Substring>] = [
            /[a-z][A-Za-z]*\((?:[A-Za-z_]+:)*\)/, /\{ … \}/, /\.self\b/, /\b[a-z]+[A-Z][A-Za-z]*: (?:true|false)/, #/replacing: /#,
            /\b(?:store|tx|configuration)\.[a-z]+/, /NS[A-Z][a-z]+Error/, /ErrorDomain/,
        ]
        return patterns.contains { text.contains($0) }
    }

    @Test func wordsOfSwiftAreFound() {
        for text in [
            "create one with createFullTextIndex(Patient.self)", "with replacing: true", "in store.write { … }", "run check()",
            "encrypt a copy with backup(to:encryption:)", "NSCocoaErrorDomain 256", "call store.attachments.resume() after opening",
        ] { #expect(Self.hasCode(text), "\(text)") }
        #expect(!Self.hasCode("write has(Observation.subject){status=final}; run `firelite check`"))
    }

    @Test func pathsAreAsTheUserGaveThem() {
        let absolute = URL(fileURLWithPath: "a.sqlite").path
        #expect(ToolWords.text("\(absolute)-wal exists: close \(absolute)", naming: "a.sqlite") == "a.sqlite-wal exists: close a.sqlite")
        #expect(ToolWords.text("\(absolute) is damaged", naming: absolute) == "\(absolute) is damaged")
    }

    @Test func everyMistakeIsNamedInTheToolsWords() throws {
        let database = try ToolDatabase(#"{"resourceType":"Patient","id":"1","gender":"male"}"#)
        let folder = database.folder
        let copy = try folder.write("copy.sqlite", Data(count: 512))
        let input = try folder.write("in.ndjson", #"{"resourceType":"Patient","id":"2"}"#)
        try FileManager.default.createDirectory(atPath: folder.file("place"), withIntermediateDirectories: false)
        let secret = try folder.write("server.json", #"{"token":"t"}"#)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let runs: [(arguments: [String], expected: String)] = [
            (
                ["find", "--database", database.path, "Patient", "--matching", "a"],
                "`firelite index --database FILE create --full-text Patient PATH…`"
            ),
            (["backup", "--database", database.path, copy], "--replace"),
            (["recover", database.path, copy], "exists already: name a new file"),
            (["sql", "--database", database.path, "DELETE FROM Patient"], "give one SELECT"),
            (["sql", "--database", database.path, "SELECT x FROM Patient"], "`firelite check`"),
            (["changes", "--database", database.path], "`firelite track --database FILE on changes`"),
            (["get", "--database", database.path, "--keyring", folder.file("place"), "Patient/1"], "it is a folder"),
            (["get", "--database", database.path, "--key-file", folder.file("place"), "Patient/1"], ""),
            (["attach", "--database", database.path, "Patient/1", folder.file("place")], "it is a folder"),
            (["attach", "--database", database.path, "Patient/9", input], "Patient/9"),
            (["attach", "--database", database.path, "Patient/1", input, "--content-type", "application/pdf"], "application/pdf"),
            (["attach", "--database", database.path, "Group/1", input], "Group/1"),
            (["appdata", "--database", database.path, "--input", folder.file("place"), "put", "a"], "it is a folder"),
            (["view", "--database", database.path, "--definition", folder.file("place")], "it is a folder"),
            (["validate", folder.file("place")], ""), (["import", "--database", database.path, folder.file("place")], ""),
            (["fhirpath", "--input", folder.file("place"), "id"], "it is a folder"),
            (["restore", "--database", database.path, "Patient/1"], "Patient/1"),
            (["rekey", "--database", database.path, "--new-key-file", input], ""),
            (["token", "--server", "http://fhir.example.org", "--credentials", secret], "--plain-http"),
        ]
        for (arguments, expected) in runs {
            let run = try ToolRun.any(arguments)
            #expect(run.status != .done, "\(arguments[0])")
            // The names of files are not the tool's.
            let words = run.error.split(separator: " ").filter { !$0.contains(folder.path) }.joined(separator: " ")
            #expect((expected.isEmpty || run.error.contains(expected)) && !Self.hasCode(words), "\(arguments): \(run.error)")
            #expect(run.error.split(separator: "\n").count == 1, "\(arguments): \(run.error)")
        }
    }

    /// An error whose remedy is a declaration has it as a `Remedy`, which the tool must put into words: its switch has no default.
    @Test func noLibraryNamesADeclarationInAMessage() throws {
        let root = PackageFolder.url.appendingPathComponent("Sources")
        var messages = 0
        for module in [
            "FireLite", "FireLiteRecords", "FireLiteSync", "FireLiteSamples", "FireLiteSampleSync", "FireLiteTrust", "FireLiteLegacy",
            "FireLiteSearch",
        ] {
            let contents = try #require(
                FileManager.default.enumerator(at: root.appendingPathComponent(module), includingPropertiesForKeys: nil))
            for case let file as URL in contents where file.pathExtension == "swift" {
                if ["Remedy.swift", "WriteTransaction+Outbox.swift"].contains(file.lastPathComponent) { continue }
                let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
                for (index, line) in lines.enumerated() {
                    let before = lines[max(0, index - 3)...index].joined(separator: "\n")
                    guard let start = before.range(of: "Error(", options: .backwards) ?? before.range(of: "(code, message"),
                        line.trimmingCharacters(in: .whitespaces).hasPrefix("//") == false
                    else { continue }
                    if before[start.upperBound...].contains("misuse(") || before.contains("misuse(\n") { continue }
                    for literal in Self.literals(line) where literal.contains(" ") {
                        messages += 1
                        #expect(!Self.hasCode(literal), "\(file.lastPathComponent):\(index + 1): \(literal)")
                    }
                }
            }
        }
        #expect(messages > 200)
    }

    /// The texts in quotation marks on a line, without what is interpolated.
    private static func literals(_ line: String) -> [String] {
        var texts: [String] = []
        var (text, depth, isText): (String, Int, Bool) = ("", 0, false)
        var rest = line[...]
        while let character = rest.popFirst() {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if isText, character == "\\" {
                if rest.first == "(" { depth = 1 }
                rest = rest.dropFirst()
            } else if character == "\"" {
                if isText { texts.append(text) }
                (text, isText) = ("", !isText)
            } else if isText {
                text.append(character)
            }
        }
        return texts
    }
}
