import Foundation
import TestSupport
import Testing

/// The views of LiveResults.md have the right types, also where there is no SwiftUI: there a stand-in with SwiftUI's signatures takes its
/// place (`Fixtures/SwiftUI`). Needs the modules beside the tests, and a compiler.
@Suite(.enabled(if: Effort.isNightly && TypeCheck.isThere, "nightly, with the modules beside the tests, and swiftc"))
struct SwiftUIExampleTests {
    private static let example = "Tests/FireLiteTests/Examples/SwiftUIExamples.swift"

    @Test func theViewsOfTheDocumentationCompile() throws {
        let text = try PackageFolder.text(of: Self.example)
        #expect(text.contains("struct PatientList: View"))
        #expect(try TypeCheck.errors(in: text) == "")
    }

    /// The views are really looked at.
    @Test func aMistakeInAViewIsFound() throws {
        let text = try PackageFolder.text(of: Self.example).replacingOccurrences(of: "patients.loadMore()", with: "patients.loadLess()")
        #expect(try TypeCheck.errors(in: text).contains("has no member 'loadLess'"))
    }
}

/// The Swift compiler, for a look at whether code compiles with the modules of these tests.
private enum TypeCheck {
    /// The folder with the products of the build that these tests are from; nil if it has no modules, as on Apple's systems, where the
    /// package compiles the views with SwiftUI itself.
    private static let products = ProcessInfo.processInfo.arguments.lazy
        .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        .first { FileManager.default.fileExists(atPath: $0 + "/Modules/FireLiteR4.swiftmodule") }

    static let isThere = products != nil && (try? run(["--version"]))?.status == 0

    /// What the compiler says about a file that uses the library and SwiftUI; empty if nothing.
    static func errors(in text: String) throws -> String {
        let products = try #require(products)
        return try withTemporaryFolder { folder in
            let module = try run(
                ["-emit-module", "-swift-version", "6", "-module-name", "SwiftUI", "-o", folder + "/SwiftUI.swiftmodule"]
                    + [PackageFolder.url.appendingPathComponent("Tests/FireLiteTests/Fixtures/SwiftUI/SwiftUI.swift").path])
            try #require(module.status == 0, "\(module.text)")
            try text.write(toFile: folder + "/Views.swift", atomically: true, encoding: .utf8)
            let outcome = try run(
                ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Views", "-I", folder]
                    + ["-I", products + "/Modules"] + moduleMaps(products) + [folder + "/Views.swift"])
            return outcome.status == 0 ? "" : outcome.text + "status \(outcome.status)"
        }
    }

    private static func moduleMaps(_ products: String) throws -> [String] {
        let sources = PackageFolder.url.appendingPathComponent("Sources").path
        let maps =
            try FileManager.default.contentsOfDirectory(atPath: products).sorted().map { "\(products)/\($0)/module.modulemap" }
            + ["\(sources)/CFireLiteSQLite/module.modulemap", "\(sources)/CFireLiteSQLCipher/module.modulemap"]
        return maps.filter { FileManager.default.fileExists(atPath: $0) }.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
