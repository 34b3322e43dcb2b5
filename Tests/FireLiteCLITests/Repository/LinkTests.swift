import Foundation
import TestSupport
import Testing

/// The pages of the repository link only to what is there.
struct LinkTests {
    /// A link of a page: a path relative to the page's folder, and the name of a heading.
    private struct Link: Equatable {
        let path: String
        let anchor: String?
    }

    /// The relative links of a page: those of Markdown and of images in HTML, outside of blocks and code.
    private static func links(in text: String) -> [Link] {
        let prose = DocumentationPages.text(withoutBlocks: text).replacing(/`[^`\n]*`/, with: "")
        let targets = prose.matches(of: /\]\(\s*<?([^)\s>]+)>?[^)]*\)/).map { String($0.output.1) }
        let sources = prose.matches(of: /(?:src|srcset|href)="([^"\s]+)"/).map { String($0.output.1) }
        return (targets + sources).filter { $0.prefixMatch(of: /[a-z]+:/) == nil }.map { target in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Link(path: parts[0], anchor: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// The names that a host gives a page's headings: lower case, blanks as hyphens, without punctuation.
    private static func anchors(in text: String) -> Set<String> {
        let headings = DocumentationPages.text(withoutBlocks: text).split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.replacing(" ", with: "-")
            })
    }

    @Test func everyRelativeLinkResolves() throws {
        let paths = try RepositoryPages.paths()
        #expect(paths.contains("README.md") && paths.contains("Documentation/Internals.md"))
        var count = 0
        for path in paths {
            let text = try PackageFolder.text(of: path)
            let folder = PackageFolder.url.appendingPathComponent(path).deletingLastPathComponent()
            for link in Self.links(in: text) {
                count += 1
                let target = link.path.isEmpty ? PackageFolder.url.appendingPathComponent(path) : folder.appendingPathComponent(link.path)
                guard FileManager.default.fileExists(atPath: target.path) else {
                    Issue.record("\(path): no file \(link.path)")
                    continue
                }
                guard let anchor = link.anchor else { continue }
                let anchors = Self.anchors(in: try String(contentsOf: target, encoding: .utf8))
                #expect(anchors.contains(anchor), "\(path): no heading #\(anchor) in \(target.lastPathComponent)")
            }
        }
        #expect(count > 20)
    }

    @Test func linksAreFound() {
        let text = """
            # Adding a FHIR release, `R5`
            [a](B.md) ![c](D/e.svg "title") [f](G.md#h-i) [j](#k) [web](https://example.org/x) `[code](No.md)`
            <img src="L/m.svg"> <source srcset="n.svg">
            ```
            [block](No.md)
            ```
            """
        let expected = [
            Link(path: "B.md", anchor: nil), Link(path: "D/e.svg", anchor: nil), Link(path: "G.md", anchor: "h-i"),
            Link(path: "", anchor: "k"), Link(path: "L/m.svg", anchor: nil), Link(path: "n.svg", anchor: nil),
        ]
        #expect(Self.links(in: text) == expected)
        #expect(Self.anchors(in: text) == ["adding-a-fhir-release-r5"])
    }
}
