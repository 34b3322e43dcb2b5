import Foundation
import TestSupport
import Testing

/// What every documentation catalog has. `make check-site` follows the links.
@Suite struct CatalogTests {
    /// The library products of Package.swift.
    private static func publicModules() throws -> [String] {
        let package = try PackageFolder.text(of: "Package.swift")
        return package.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
    }

    private static func module(_ catalog: URL) -> String { catalog.deletingPathExtension().lastPathComponent }

    /// The links of a page's topics: what `- <doc:NAME>` and ``- ``NAME`` `` name.
    private static func topics(_ text: String) -> [String] {
        guard let start = text.range(of: "\n## Topics\n") else { return [] }
        return text[start.upperBound...].matches(of: /\n- (?:<doc:([^>]+)>|``([^`]+)``)/).compactMap { ($0.1 ?? $0.2).map(String.init) }
    }

    @Test func everyPublicModuleHasALandingPageWithTopics() throws {
        let catalogs = try DocumentationPages.catalogs()
        #expect(catalogs.map(Self.module).sorted() == (try Self.publicModules().sorted()))
        for catalog in catalogs {
            let name = Self.module(catalog)
            #expect(catalog.deletingLastPathComponent().lastPathComponent == name)
            let landing = try #require(try DocumentationPages.pages(in: catalog).first { $0.name == "\(name).md" }, "\(name)")
            #expect(landing.text.hasPrefix("# ``\(name)``\n"))
            #expect(!Self.topics(landing.text).isEmpty, "\(name)")
        }
    }

    @Test func everyArticleIsLinkedFromItsLandingPageOnce() throws {
        var articles = 0
        for catalog in try DocumentationPages.catalogs() {
            let pages = try DocumentationPages.pages(in: catalog)
            let landing = try #require(pages.first { $0.name == "\(Self.module(catalog)).md" })
            let topics = Self.topics(landing.text)
            #expect(Set(topics).count == topics.count, "\(landing.name) lists something twice")
            for page in pages where !page.text.hasPrefix("# ``") {
                articles += 1
                let name = String(page.name.dropLast(3))
                #expect(topics.contains(name), "\(landing.name) does not list \(name)")
            }
        }
        #expect(articles >= 11)
    }

    /// A title, and one paragraph of one sentence: the text that lists of pages show.
    @Test func everyArticleBeginsWithASummaryOfOneSentence() throws {
        for catalog in try DocumentationPages.catalogs() {
            for page in try DocumentationPages.pages(in: catalog) where !page.text.hasPrefix("# ``") {
                let parts = page.text.components(separatedBy: "\n\n")
                #expect(parts[0].hasPrefix("# ") && !parts[0].contains("\n"), "\(page.name)")
                let summary = parts.count > 1 ? parts[1] : ""
                #expect(!summary.hasPrefix("#") && summary.hasSuffix(".") && summary.count < 200, "\(page.name): \(summary)")
            }
        }
    }
}
