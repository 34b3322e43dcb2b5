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

    @Test func everyFigureOfTheComparisonStandsInAReport() throws {
        let reports = try ["Benchmarks/Report/Peers.md", "Benchmarks/Report/README.md", "Documentation/Measurements.md"]
            .map { try PackageFolder.text(of: $0) }.joined(separator: "\n")
        let known = Set(reports.matches(of: /\d[\d.,]*\d|\d/).map { $0.output.replacing(",", with: "") })
        let rows = try Self.section("Compared with the alternatives").split(separator: "\n").filter { $0.hasPrefix("|") }
        var count = 0
        for row in rows {
            for figure in row.matches(of: /(\d[\d.,]*\d|\d) (?:µs|bytes|times)/) {
                count += 1
                #expect(known.contains(figure.output.1.replacing(",", with: "")), "no report has \(figure.output.0): \(row)")
            }
        }
        #expect(count >= 20)
    }

    @Test func badgesAreOfWorkflowsThatExist() throws {
        let text = try PackageFolder.text(of: "README.md")
        let badges = text.matches(of: /actions\/workflows\/([a-z]+\.yml)\/badge\.svg/).map { String($0.output.1) }
        #expect(!badges.isEmpty)
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
