import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

/// The library's import does what the tool's does.
struct ImportAPITests {
    private struct Line: Decodable, Equatable {
        let file: String
        let line: Int
        let reason: String
        let text: String
    }

    /// `@unchecked Sendable`: only the importing thread, which the test waits for, uses it.
    private final class Lines: @unchecked Sendable {
        var lines: [Line] = []
    }

    @Test func theAPIEqualsTheTool() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: true)
        func patient(_ id: String) -> String { #"{"resourceType":"Patient","id":"\#(id)"}"# }
        try folder.write(
            "in/a.ndjson", patient("1") + "\nx\n" + patient("2") + "\n{\"resourceType\":\"Patient\",\"x\":1}\n" + patient("1") + "\n")
        try folder.write("in/b.json", "[\(patient("3")),\n{\"resourceType\":\"Horse\"},\(patient("2"))]")
        try folder.write(
            "in/c.json",
            #"{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"http://a/Patient/4","resource":\#(patient("4"))},"#
                + #"{"resource":{"resourceType":"Patient","id":"5","active":"x"}},"#
                + #"{"resource":{"resourceType":"Observation","id":"6","status":"final","code":{"text":"a"},"subject":{"reference":"http://a/Patient/4"}}}]}"#
        )
        try folder.write("in/d.json", "{\n\"resourceType\":\"Patient\",\n\"id\":\"7\",\n\"x\":2}")
        let run = try ToolRun(
            "import", "--database", folder.file("tool.sqlite"), "--on-error", "skip", "--rejects", folder.file("rejects"), folder.file("in")
        )
        #expect(run.status == .incomplete)

        let store = try FHIRStore(path: folder.file("api.sqlite"), release: .r4)
        let rejects = Lines()
        var options = ImportOptions()
        options.onFault = .skip
        options.transactions = .files
        options.onReject = { fault, text in
            rejects.lines.append(Line(file: fault.file, line: fault.line, reason: fault.reason, text: text))
        }
        let result = try store.importResources(from: URL(fileURLWithPath: folder.file("in")), options: options)
        let expected = try folder.read("rejects").split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(rejects.lines == expected && expected.count == 5)
        #expect(result.rejects.map(\.reason) == expected.map(\.reason))
        let counts = result.counts
        #expect(
            run.counts == "added \(counts.added), updated \(counts.updated), unchanged \(counts.unchanged), "
                + "superseded \(counts.superseded), rejected \(counts.rejected)")
        let stored = try ToolRun("export", "--database", folder.file("tool.sqlite"), "--output", "-").output
        let own = try ToolRun("export", "--database", folder.file("api.sqlite"), "--output", "-").output
        #expect(stored == own && stored.contains("Patient/4"))
    }
}
