import Foundation
import TestSupport
import Testing

@testable import FireLiteGenerator

/// The generated code of the hand-made release, with every awkward name, as text.
///
/// After a change that is meant, regenerate it:
///
///     swift run Generator --definitions Tests/FireLiteGeneratorTests/Fixtures/Definitions --release Mini \
///         --output Tests/FireLiteGeneratorTests/Fixtures/Golden
struct GoldenTests {
    @Test func generatedCodeIsAsCommitted() throws {
        let planned = try FilePlanner.plan(NamingPass.name(Fixtures.mini()), templates: TemplateLibrary(folder: Fixtures.templates))
        let committed = try FileManager.default.subpathsOfDirectory(atPath: Fixtures.golden).filter { $0.hasSuffix(".swift") }
        #expect(planned.map(\.path).sorted() == committed.sorted())
        for file in planned {
            let golden = String(decoding: try SourceFile(path: Fixtures.golden + "/" + file.path).bytes, as: UTF8.self)
            #expect(file.content == golden, "\(file.path)")
        }
    }

    @Test func headersSayWhereTheCodeComesFrom() throws {
        let named = NamingPass.name(try Fixtures.mini())
        let templates = try TemplateLibrary(folder: Fixtures.templates)
        for file in try FilePlanner.plan(named, templates: templates) {
            let lines = file.content.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines[0].hasPrefix("// FHIR Mini 9.9.0, Templates/") && lines[0].hasSuffix(OutputFolder.mark), "\(file.path)")
            #expect(lines[1] == "// swift-format-ignore-file", "\(file.path)")
            #expect(file.content.hasSuffix("\n") && !file.content.hasSuffix("\n\n"), "\(file.path)")
        }
    }

    /// The committed code of every release is what its digest gives. `make check-generated` says the same by day.
    @Test(.enabled(if: Effort.isNightly, "nightly")) func committedCodeIsUpToDate() {
        let outcome = GeneratorCommand.run(["--check"], in: Fixtures.package)
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func fileNamesAreUniqueInTheModule() throws {
        let path = Fixtures.package + "/Generator/Definitions/R4.digest"
        let named = NamingPass.name(try DigestReader.read(try SourceFile(path: path)))
        let names = named.types.map(\.name) + named.codes.map(\.name) + named.sharedChoices.map(\.name) + ["Release"]
        #expect(Set(names.map { $0.lowercased() }).count == names.count)
        #expect(named.types.count == 189)
        #expect(named.types.flatMap(\.classes).count == 189 + 473)
    }
}
