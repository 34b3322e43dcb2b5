import Foundation
import TestSupport
import Testing

/// Every Swift example on a page stands in this folder, or in the tests of its module, between `// example PAGE` and `// end`, where it is
/// compiled and run; and what stands there is on the page. So neither can change without the other.
@Suite struct ExampleTests {
    private struct Example {
        let page: String
        let place: String
        let lines: [String]
    }

    private static func sources() throws -> [(name: String, lines: [String])] {
        let modules = try ["Tests", "Packages/ReleaseTests/Tests"].flatMap { folder in
            let tests = PackageFolder.url.appendingPathComponent(folder)
            return try FileManager.default.contentsOfDirectory(atPath: tests.path).flatMap {
                [tests.appendingPathComponent($0), tests.appendingPathComponent($0 + "/Examples")]
            }
        }
        return try modules.flatMap { folder -> [(name: String, lines: [String])] in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("Examples.swift") }.sorted().map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8).components(separatedBy: "\n"))
            }
        }
    }

    /// Imports stand at the top of the test's file, before the example.
    private static func compared(_ lines: [String]) -> [String] {
        DocumentationPages.compared(lines.filter { !$0.hasPrefix("import ") })
    }

    private static func examples() throws -> [Example] {
        var examples: [Example] = []
        for source in try sources() {
            var open: (page: String, line: Int, lines: [String])?
            for (number, line) in source.lines.enumerated() {
                let text = line.trimmingCharacters(in: .whitespaces)
                if text.hasPrefix("// example ") {
                    #expect(open == nil, "\(source.name):\(number + 1): an example in an example")
                    open = (String(text.dropFirst(11)), number + 2, [])
                } else if text == "// end", let example = open {
                    let lines = compared(example.lines)
                    examples.append(Example(page: example.page, place: "\(source.name):\(example.line)", lines: lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            }
            #expect(open == nil, "\(source.name): an example does not end")
        }
        return examples
    }

    @Test func everySwiftExampleIsCompiledAndRun() throws {
        let examples = try Self.examples()
        let blocks = try DocumentationPages.blocks().filter { $0.language == "swift" }
        #expect(blocks.count > 10)
        for block in blocks {
            let lines = Self.compared(block.lines)
            let isThere = examples.contains { $0.page == block.page && $0.lines == lines }
            #expect(isThere, "\(block) is not an example that is run:\n\(lines.joined(separator: "\n"))")
        }
        for example in examples {
            let isShown = blocks.contains { $0.page == example.page && Self.compared($0.lines) == example.lines }
            #expect(isShown, "\(example.place) is not on the page \(example.page)")
        }
    }

    /// Conditions within the text, `$0.name.count >= 2`, stand in this folder, too.
    @Test func everyConditionOnThePagesIsCompiled() throws {
        let code = try Self.sources().flatMap { DocumentationPages.compared($0.lines) }.joined(separator: " ")
        var count = 0
        for page in try DocumentationPages.pages() {
            let text = DocumentationPages.text(withoutBlocks: page.text)
            for span in text.components(separatedBy: "`").enumerated().filter({ $0.offset % 2 == 1 }).map(\.element)
            where span.contains("$0.") {
                count += 1
                let normalized = span.replacing("\\|", with: "|").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(code.contains(normalized), "\(page.name): `\(span)` is not compiled")
            }
        }
        #expect(count > 10)
    }
}
