import Foundation
import TestSupport
import Testing

/// The README's first screen states what the rest of the repository says.
struct ReadmeTests {
    /// The lines of the README below a heading, up to the next one of the same level.
    private static func section(_ heading: String) throws -> String {
        let parts = try PackageFolder.text(of: "README.md").components(separatedBy: "\n## ")
        return try #require(parts.first { $0.hasPrefix(heading + "\n") })
    }

    /// The cells of the rows of a text's tables.
    private static func rows(of text: String) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.dropFirst().dropLast().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// A row of the comparison, and those of the reports that its figures come from.
    private static let sources = [
        (row: "bulk write of new resources", peers: "bulk write, new", report: "bulk upsert, new"),
        (row: "fetch one by id", peers: "fetch one by id", report: "fetch one by id"),
        (row: "count by a nested code", peers: "count by nested element, no index", report: "count by nested element, no index"),
        (row: "the same with an index", peers: "count by nested element, index", report: "count by nested element, index"),
        (row: "single durable write", peers: "single write, durable", report: "single upsert, durable"),
        (row: "delete many", peers: "delete many", report: "delete many"),
        (row: "open a file, fetch one", peers: "open, fetch one by id", report: "open, fetch one by id"),
        (row: "size of a resource", peers: "bytes a resource", report: ""),
    ]

    @Test func everyFigureOfTheComparisonStandsInAReport() throws {
        let shown = Self.rows(of: try Self.section("Compared with the alternatives"))
            .filter { $0.contains { $0.contains("µs") || $0.contains("bytes") } }
        let peers = Self.rows(of: try PackageFolder.text(of: "Benchmarks/Report/Peers.md"))
        let report = Self.rows(of: try PackageFolder.text(of: "Benchmarks/Report/README.md"))
        #expect(shown.map { $0[0] } == Self.sources.map(\.row))
        for (row, source) in zip(shown, Self.sources) {
            let unit = source.report.isEmpty ? "bytes" : "µs"
            let costs = try #require(peers.first { $0[0] == source.peers })
            // With an index it is the peer that has one.
            let peer = source.peers.hasSuffix(", index") ? costs[4] : costs[2]
            #expect(row[1] == "\(costs[1]) \(unit)" && row[2] == "\(peer) \(unit)", "\(source.row)")
            guard !source.report.isEmpty else { continue }
            let ratios = try #require(report.first { $0[0] == source.report && $0[1] == "10,000" })
            #expect(row[3] == "\(ratios[5]) times", "\(source.row)")
        }
    }

    /// A repository without an address has no badge, and no page stands for one with a placeholder.
    @Test func badgesAreOfWorkflowsThatExist() throws {
        let text = try PackageFolder.text(of: "README.md")
        #expect(!text.contains("OWNER") && !text.contains("not measured"))
        let badges = text.matches(of: /actions\/workflows\/([a-z]+\.yml)\/badge\.svg/).map { String($0.output.1) }
        for badge in badges { _ = try PackageFolder.text(of: ".github/workflows/\(badge)") }
    }

    /// The light and the dark picture show the same thing.
    @Test func thePicturesDifferInColoursOnly() throws {
        func shapes(_ name: String) throws -> String {
            let text = try PackageFolder.text(of: "Documentation/Pictures/\(name).svg")
            #expect(text.utf8.count < 20_000 && !text.contains("href"))
            return text.replacing(/#[0-9a-f]{6}\b/, with: "#")
        }
        #expect(try shapes("resource-light") == shapes("resource-dark"))
    }

    /// The lines of `Package.swift` name products of the package.
    @Test func theProductsExist() throws {
        let manifest = try PackageFolder.text(of: "Package.swift")
        let products = try PackageFolder.text(of: "README.md").matches(of: /\.product\(name: "(\w+)", package: "FireLite"\)/)
        #expect(products.count >= 2)
        for product in products { #expect(manifest.contains(".library(name: \"\(product.output.1)\"")) }
    }
}
