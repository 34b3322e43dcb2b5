import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteCLI

/// Imports of Bundles, on one line and on many.
struct BundleImportTests {
    private static let patientUUID = "0b8ab2d3-9ab5-4c7d-8b3a-0d4f0a6f0a01"
    private static let visitUUID = "0b8ab2d3-9ab5-4c7d-8b3a-0d4f0a6f0a02"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A transaction whose entries refer to each other by `urn:uuid:`, to later entries too.
    private static let transaction = """
        {
          "resourceType": "Bundle",
          "type": "transaction",
          "entry": [
            {
              "fullUrl": "urn:uuid:\(visitUUID)",
              "resource": {
                "resourceType": "Encounter",
                "id": "\(visitUUID)",
                "status": "finished",
                "class": {"code": "AMB"},
                "subject": {"reference": "urn:uuid:\(patientUUID)"}
              },
              "request": {"method": "POST", "url": "Encounter"}
            },
            {
              "fullUrl": "urn:uuid:\(patientUUID)",
              "resource": {"resourceType": "Patient", "active": true},
              "request": {"method": "POST", "url": "Patient"}
            },
            {
              "request": {"method": "DELETE", "url": "Patient/9"}
            }
          ]
        }
        """

    private static let transactionEntries = [
        #"{"resourceType":"Encounter","id":"\#(visitUUID)","status":"finished","class":{"code":"AMB"},"subject":{"reference":"Patient/\#(patientUUID)"}}"#,
        #"{"resourceType":"Patient","id":"\#(patientUUID)","active":true}"#,
    ]

    private func oneLine(_ json: String) throws -> String { FHIRJSON.string(try Bundle(json: json)) }

    /// Imports in windows of `chunk` bytes and returns the counts, what is stored and what was rejected.
    private func importing(
        _ text: String, chunk: Int = 1 << 20, name: String = "b.json", wholeBundles: Bool = false
    ) throws -> (counts: ImportCounts, stored: [String], rejects: [String]) {
        let path = try folder.write(name, text)
        let store = try FHIRStore.inMemory(release: .r4)
        var limits = ImportLimits()
        limits.chunk = chunk
        limits.peek = max(chunk, 16)
        try folder.write("rejects", "")
        let rejects = NDJSONFile(try .given(folder.file("rejects")), database: folder.file("test.sqlite"))
        var importer = Importer(
            store: store, options: ContentOptions(release: .r4, stopsAtFault: false, keepsBundles: wholeBundles, limits: limits),
            rejects: rejects)
        try importer.run(.file(path: path))
        try rejects.finish()
        var stored: [String] = []
        try store.read { transaction in
            for count in try transaction.counts() {
                try transaction.forEach(typeName: count.typeName) { stored.append(FHIRJSON.string($0)) }
            }
        }
        #expect(try store.check() == [])
        return (importer.counts, stored, try folder.read("rejects").split(separator: "\n").map(String.init))
    }

    @Test func entriesAreStoredOneByOne() throws {
        for chunk in [1, 3, 10, 50, 200, 333, 1 << 20] {
            let pretty = try importing(Self.transaction, chunk: chunk)
            #expect(pretty.counts == ImportCounts(added: 2), "windows of \(chunk) bytes")
            #expect(pretty.stored == Self.transactionEntries)
            let line = try importing(try oneLine(Self.transaction), chunk: chunk)
            #expect(line.counts == ImportCounts(added: 2), "windows of \(chunk) bytes")
            #expect(line.stored == Self.transactionEntries)
        }
    }

    @Test func bundlesMayBeLinesAmongOthers() throws {
        let group = #"{"resourceType":"Group","id":"1"}"#
        let line = try oneLine(Self.transaction)
        for chunk in [100, 1 << 20] {
            for lines in [[group, line], [line, group], ["", line, "", group]] {
                let result = try importing(lines.joined(separator: "\n"), chunk: chunk)
                #expect(result.counts == ImportCounts(added: 3))
                #expect(Set(result.stored) == Set(Self.transactionEntries + [group]))
            }
        }
    }

    @Test func wholeBundlesStayAsTheyAre() throws {
        for text in [Self.transaction, try oneLine(Self.transaction)] {
            let result = try importing(text, chunk: 64, wholeBundles: true)
            #expect(result.counts == ImportCounts(added: 1))
            #expect(result.stored == [try oneLine(Self.transaction)])
        }
    }

    @Test func standardInputMayBeABundle() throws {
        let database = folder.file("test.sqlite")
        let run = try ToolRun(["import", "--database", database, "-"], input: Data(Self.transaction.utf8))
        #expect(run.counts == "added 2, updated 0, unchanged 0, rejected 0")
        #expect(try ToolRun("export", "--database", database, "--output", "-").lines == Self.transactionEntries)
    }

    @Test func aBadEntryIsRejectedAlone() throws {
        let bad = Self.transaction.replacingOccurrences(of: "\"active\": true", with: "\"active\": 5")
        let good = [Self.transactionEntries[0]]
        for chunk in [64, 1 << 20] {
            let result = try importing(bad, chunk: chunk)
            #expect(result.counts == ImportCounts(added: 1, rejected: 1))
            #expect(result.stored == good)
            #expect(result.rejects.count == 1)
            #expect(result.rejects[0].contains(#""line":18,"reason":"column 57, Bundle.entry[1].resource.active: expected"#))
            #expect(result.rejects[0].contains(#"\"fullUrl\": \"urn:uuid:\#(Self.patientUUID)\""#))
        }
        let line = try oneLine(Self.transaction).replacingOccurrences(of: "\"active\":true", with: "\"active\":5")
        for chunk in [64, 1 << 20] {
            let result = try importing("\n" + line, chunk: chunk, name: "b.ndjson")
            #expect(result.counts == ImportCounts(added: 1, rejected: 1))
            #expect(result.stored == good)
            #expect(result.rejects[0].contains(#""line":2,"reason":"column "#))
            #expect(result.rejects[0].contains("Bundle.entry[1].resource.active: expected"))
        }
    }

    @Test func whatIsWrongAroundTheEntriesIsFound() throws {
        let before = Self.transaction.replacingOccurrences(of: "\"type\": \"transaction\"", with: "\"kind\": 1")
        #expect(
            try importing(before, chunk: 64).rejects.map { $0.contains(#""line":3,"reason":"column 3, Bundle.kind: expected"#) } == [true])
        let end = Self.transaction.range(of: "]", options: .backwards)!
        let after = Self.transaction.replacingCharacters(in: end, with: "],\n  \"total\": \"x\"")
        for chunk in [64, 1 << 20] {
            let rejects = try importing(after, chunk: chunk).rejects
            #expect(
                rejects.map { $0.contains(#""line":25,"reason":"column 12, Bundle.total: expected"#) } == [true],
                "\(rejects.map { $0.prefix(300) })")
        }
    }

    @Test(arguments: [
        #"{"resourceType":"Bundle","entry":[]}"#, #"{"resourceType":"Bundle","entry":[5]}"#, #"{"resourceType":"Bundle","entry":{}}"#,
        #"{"resourceType":"Bundle","entry":[{}]}"#, #"{"resourceType":"Bundle","entry":[{"id":"1"},"x"]}"#,
        #"{"resourceType":"Bundle","entry":[{"id":"1"}],"entry":[{"id":"2"}]}"#, #"{"resourceType":"Bundle","entry":[[{"id":"1"}]]}"#,
        #"{"resourceType":"Bundle","entry":[{"id":"1"}]} x"#, #"{"resourceType":"Bundle","entry":[{"id":"1"}"#,
        #"{"resourceType":"Bundle""#,
    ]) func whatIsNoBundleIsRejected(_ text: String) throws {
        for form in [text, text.replacingOccurrences(of: ",", with: ",\n")] {
            for chunk in [4, 1 << 20] {
                let result = try importing(form, chunk: chunk)
                #expect(result.counts == ImportCounts(rejected: 1), "\(form) in windows of \(chunk) bytes")
            }
        }
    }

    @Test func membersMayComeInAnyOrder() throws {
        let text = """
            {"entry": [{"resource": {"id": "1", "link": [{"other": {"reference": "http://a/Patient/2"}, "type": "seealso"}],
            "resourceType": "Patient"}, "fullUrl": "http:\\/\\/a\\/Patient\\/1"},
            {"resource": {"id": "2", "resourceType": "Patient"}, "fullUrl": "http://a/Patient/2"}],
            "type": "collection", "resourceType": "Bundle"}
            """
        for chunk in [5, 1 << 20] {
            #expect(
                try importing(text, chunk: chunk).stored == [
                    #"{"resourceType":"Patient","id":"1","link":[{"other":{"reference":"Patient/2"},"type":"seealso"}]}"#,
                    #"{"resourceType":"Patient","id":"2"}"#,
                ])
        }
    }

    @Test func ofAHistoryTheNewestCounts() throws {
        let text = """
            {"resourceType": "Bundle", "type": "history", "entry": [
            {"resource": {"resourceType": "Patient", "id": "1", "active": true}, "request": {"method": "PUT", "url": "Patient/1"}},
            {"request": {"method": "DELETE", "url": "Patient/2"}},
            {"resource": {"resourceType": "Patient", "id": "2"}, "request": {"method": "PUT", "url": "Patient/2"}},
            {"resource": {"resourceType": "Patient", "id": "1"}, "request": {"method": "PUT", "url": "Patient/1"}}]}
            """
        let newest = [#"{"resourceType":"Patient","id":"1","active":true}"#]
        #expect(try importing(text).stored == newest)
        #expect(try importing(try oneLine(text)).stored == newest)
    }
}
