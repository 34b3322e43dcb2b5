import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// Tables and columns have the names that FileFormat.md promises, for each release.
@Suite struct DocumentedNamesTests {
    @Test(arguments: Releases.all) func everyValueIsWhereTheDocumentationSays(_ release: FHIRRelease) throws {
        let store = try FHIRStore.inMemory(release: release)
        var names = DocumentedNames()
        var random = RandomInstance(seed: 5)
        random.isStrictlyValid = true
        for type in Effort.sample(release.resourceTypes, 25) {
            for number in 0..<2 {
                guard let resource = random.object(of: type) as? FHIRResource else { continue }
                resource.id = "\(number)"
                names.add(resource)
                try store.write { tx in try tx.add(resource) }
            }
        }
        var found: Set<String> = []
        let tables = try store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
        for table in tables.compactMap({ $0[0].text }) {
            for column in try store.sql("SELECT name FROM pragma_table_info(?)", arguments: [.text(table)]).compactMap({ $0[0].text })
            where !column.hasPrefix("_") {
                let name = "\(table).\(column)"
                let isAside = column.hasSuffix("_literal") || column.hasSuffix("_offset")
                if !isAside || names.columns.contains(name) { found.insert(name) }
            }
        }
        #expect(found.subtracting(names.columns).sorted() == [])
        #expect(names.columns.subtracting(found).sorted() == [])
        #expect(found.count > Effort.count(500))
        for (place, text) in names.texts.sorted(by: { $0.key < $1.key }).enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
            let parts = place.split(separator: ".")
            let rows = try store.sql("SELECT count(*) FROM \"\(parts[0])\" WHERE \"\(parts[1])\" = ?", arguments: [.text(text)])
            #expect(rows[0][0] != .integer(0), "\(place)")
        }
    }

    /// The only element of FHIR whose name has an underscore, in DSTU2's JSON, has a table like any list.
    @Test func commentsOfDSTU2() throws {
        let release = try #require(Releases.all.first)
        let json =
            #"{"resourceType":"Patient","id":"1","fhir_comments":["a"],"_gender":{"fhir_comments":["b","c"]},"#
            + #""name":[{"fhir_comments":["d"],"text":"x"}],"gender":"male"}"#
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let store = try FHIRStore(path: path, release: release)
            try store.write { tx in try tx.add(FHIRJSON.resource(from: .init(json.utf8), release: release)) }
            try store.close()
        }
        let store = try FHIRStore(path: path, release: release)
        #expect(try store.resource(typeName: "Patient", id: "1").map { try JSONTree(FHIRJSON.data($0)) } == JSONTree(json))
        for (table, values) in [
            ("Patient_fhir_comments", ["a"]), ("Patient_gender_fhir_comments", ["b", "c"]), ("Patient_name_fhir_comments", ["d"]),
        ] {
            #expect(try store.sql("SELECT value FROM \(table) ORDER BY _ord").map { $0[0].text } == values)
        }
        #expect(try store.check() == [])
    }
}
