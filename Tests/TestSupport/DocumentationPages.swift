import Foundation

/// The pages: README.md, Documentation/*.md and the documentation catalogs of the modules, *.docc/*.md; and the examples on them.
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

    /// The documentation catalogs of the modules in `Sources` and `Generator`.
    public static func catalogs() throws -> [URL] {
        func content(_ folder: URL) throws -> [URL] {
            guard try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [] }
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        }
        let modules = try ["Sources", "Generator"].flatMap { try content(PackageFolder.url.appendingPathComponent($0)) }
        return try modules.flatMap(content).filter { $0.pathExtension == "docc" }.sorted { $0.path < $1.path }
    }

    /// The texts of a folder's pages by their file names.
    public static func pages(in folder: URL) throws -> [(name: String, text: String)] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
            .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The texts of the pages by their file names.
    public static func pages() throws -> [(name: String, text: String)] {
        let folders = [PackageFolder.url.appendingPathComponent("Documentation")] + (try catalogs())
        return [("README.md", try PackageFolder.text(of: "README.md"))] + (try folders.flatMap(pages(in:)))
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
