import FireLite
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// Few ids over many types, as servers that number from 1 have them, through the tool: what is stored is what a dictionary has.
struct RepeatedIDTests {
    /// Ids that are short, the same but for their case, or as long as FHIR allows.
    private static let ids = ["1", "2", "3", "10", "a", "A", String(repeating: "x", count: 64), String(repeating: "x", count: 63) + "X"]

    /// Types that are stored line by line.
    private static func types(_ release: FHIRRelease) -> [String] {
        release.resourceTypeNames.filter { !["Bundle", "OperationOutcome", "Parameters", "Binary"].contains($0) }.sorted()
    }

    /// Random lines, and what a dictionary with one entry for each type and id has after them.
    private struct Mixture {
        var lines: [String] = []
        var model: [String: String] = [:]

        init(_ count: Int, _ types: [String], _ generator: inout SeededGenerator, after model: [String: String] = [:]) {
            self.model = model
            for number in 0..<count {
                let type = types[Int.random(in: 0..<types.count, using: &generator)]
                let id = ids[Int.random(in: 0..<ids.count, using: &generator)]
                let line = #"{"resourceType":"\#(type)","id":"\#(id)","language":"l\#(number)"}"#
                lines.append(line)
                self.model["\(type)/\(id)"] = line
            }
        }
    }

    private static func exported(_ path: String) throws -> [String] {
        let run = try ToolRun("export", "--database", path, "--output", "-")
        #expect(run.status == .done, "\(run.error)")
        return run.lines.sorted()
    }

    @Test(arguments: FireLiteTool.releases.map(\.name), [3, 40]) func anImportKeepsEveryTypeAndID(_ release: String, _ typeCount: Int)
        throws
    {
        let layouts = try #require(BundledRelease.named(release)).release
        for seed in Effort.seeds(2) {
            var generator = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let path = folder.file("store.sqlite")
            let types = Array(Self.types(layouts).shuffled(using: &generator).prefix(typeCount))
            var model: [String: String] = [:]
            // Into an empty database, and over what is stored.
            for round in 0..<2 {
                let mixture = Mixture(400, types, &generator, after: model)
                let before = model.count
                model = mixture.model
                let file = try folder.write("in\(round).ndjson", mixture.lines.joined(separator: "\n"))
                let run = try ToolRun("import", "--database", path, "--release", release, "--json", file)
                #expect(run.status == .done, "seed \(seed): \(run.error)")
                let counts = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
                #expect(counts["added"] as? Int == model.count - before, "seed \(seed)")
                #expect(try Self.exported(path) == model.values.sorted(), "seed \(seed), round \(round)")
            }
            // The same as a Bundle.
            let mixture = Mixture(200, types, &generator, after: model)
            let entries = mixture.lines.map { #"{"resource":\#($0)}"# }.joined(separator: ",")
            let file = try folder.write("bundle.json", #"{"resourceType":"Bundle","type":"collection","entry":[\#(entries)]}"#)
            let run = try ToolRun("import", "--database", path, file)
            #expect(run.status == .done, "seed \(seed): \(run.error)")
            #expect(try Self.exported(path) == mixture.model.values.sorted(), "seed \(seed), Bundle")
            #expect(try ToolRun("check", "--database", path).output == "sound\n", "seed \(seed)")
        }
    }

    /// What is exported can be imported again, and is the same.
    @Test func anExportAndItsImportAreTheSame() throws {
        var generator = SeededGenerator(seed: 1)
        let folder = try TemporaryFolder()
        let mixture = Mixture(2_000, Self.types(BundledRelease.named("R4")?.release ?? .r4), &generator)
        let file = try folder.write("in.ndjson", mixture.lines.joined(separator: "\n"))
        #expect(try ToolRun("import", "--database", folder.file("a.sqlite"), file).status == .done)
        #expect(try ToolRun("export", "--database", folder.file("a.sqlite"), "--output", folder.file("out")).status == .done)
        #expect(try ToolRun("import", "--database", folder.file("b.sqlite"), folder.file("out")).status == .done)
        #expect(try Self.exported(folder.file("b.sqlite")) == mixture.model.values.sorted())
    }
}
