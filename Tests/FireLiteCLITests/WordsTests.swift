import Foundation
import TestSupport
import Testing

/// Pages, help texts, messages and comments use plain words.
struct WordsTests {
    /// Phrases that nobody would say aloud, each with what to write instead.
    private static let phrases = [
        "what is to-one": "to-one elements", "what repeats": "repeating elements", "let go of": "released", "lets go of": "releases",
        "ids of nothing": "unknown ids", "passed over": "skipped", "passes over": "skips", "where there is none": "if there is none",
        "where there are none": "if there are none", "is told": "is called with", "told": "reported", "tells of": "reports",
        "from time to time": "periodically", "is come to": "is needed", "in the terms of": "as", "waits for nobody": "does not wait",
        "stands in the way": "blocks", "for showing": "for inspection", "dear": "expensive", "anew": "again", "once more": "again",
        "in the place of": "instead of", "beside that": "also", "kept aside": "kept separately", "comes about": "happens",
        "come about": "happen", "has to be": "must be", "have to be": "must be", "such with": "those with",
        "the most it may": "the maximum",
        "strand": "thread", "looked after": "managed", "no more than a": "only a", "is of use": "is useful",
    ]

    private static let folders = [
        ".github", "Benchmarks", "Documentation", "Examples", "Fuzz", "Generator", "Scripts", "Sources", "Templates",
    ]

    /// The hand-written files that people read.
    private static func files() throws -> [URL] {
        let root = PackageFolder.url
        let pages = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".md") }
        var files = (pages + ["Makefile", "Package.swift"]).map { root.appendingPathComponent($0) }
        for folder in folders where FileManager.default.fileExists(atPath: root.appendingPathComponent(folder).path) {
            let contents = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(contents) {
                let parts = file.pathComponents
                if parts.contains("Generated") || parts.contains(".build") || parts.contains("Report") { continue }
                if ["md", "swift", "tmpl", "h", "c", "sh", "yml"].contains(file.pathExtension) { files.append(file) }
            }
        }
        return files
    }

    @Test func noPhraseThatNobodyWouldSay() throws {
        let files = try Self.files()
        #expect(files.count > 250)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8).lowercased()
            for (phrase, remedy) in Self.phrases {
                for line in Self.lines(of: phrase, in: text) {
                    Issue.record("\(file.path):\(line): '\(phrase)': write '\(remedy)' or the like")
                }
            }
        }
    }

    /// The numbers of the lines with a phrase as whole words.
    private static func lines(of phrase: String, in text: String) -> [Int] {
        var lines: [Int] = []
        var start = text.startIndex
        while let found = text.range(of: phrase, range: start..<text.endIndex) {
            start = found.upperBound
            let before = found.lowerBound == text.startIndex ? " " : text[text.index(before: found.lowerBound)]
            let after = found.upperBound == text.endIndex ? " " : text[found.upperBound]
            guard !before.isLetter, !after.isLetter else { continue }
            lines.append(text[..<found.lowerBound].count { $0 == "\n" } + 1)
        }
        return lines
    }

    @Test func wholeWordsAreFound() {
        #expect(Self.lines(of: "told", in: "a\nit was told\nuntold") == [2])
        #expect(Self.lines(of: "once more", in: "once\nmore, once more") == [2])
    }
}
