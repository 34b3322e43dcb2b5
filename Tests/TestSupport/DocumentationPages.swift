import Foundation

/// The examples on the pages: README.md, Documentation/*.md and the documentation catalogs, Sources/*/*.docc/*.md.
public enum DocumentationPages {
    /// What stands between two lines of three backticks.
    public struct Block: Sendable, CustomStringConvertible {
        /// The page's file name.
        public let page: String
        /// The number of its first line, from 1.
        public let line: Int
        /// What follows the opening backticks; empty for none.
        public let language: String
        public let lines: [String]

        public var description: String { "\(page):\(line)" }
    }

    /// The texts of the pages by their file names.
    public static func pages() throws -> [(name: String, text: String)] {
        let sources = PackageFolder.url.appendingPathComponent("Sources")
        let modules = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        let catalogs = try modules.flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
            .filter { $0.pathExtension == "docc" }
        let folders = [PackageFolder.url.appendingPathComponent("Documentation")] + catalogs
        let documents = try folders.flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
            .filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
        let files = [PackageFolder.url.appendingPathComponent("README.md")] + documents
        return try files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// Every block of every page.
    public static func blocks() throws -> [Block] {
        try pages().flatMap { page in blocks(of: page.text, page: page.name) }
    }

    static func blocks(of text: String, page: String) -> [Block] {
        var blocks: [Block] = []
        var open: (line: Int, language: String, lines: [String])?
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(Block(page: page, line: block.line, language: block.language, lines: block.lines))
                    open = nil
                } else {
                    open = (number + 2, String(line.dropFirst(3)), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    /// A page's text without its blocks.
    public static func text(withoutBlocks text: String) -> String {
        text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "\n")
    }

    /// The lines with single blanks, without indentation and empty ones: what an example is compared by.
    public static func compared(_ lines: [String]) -> [String] {
        lines.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
    }
}
