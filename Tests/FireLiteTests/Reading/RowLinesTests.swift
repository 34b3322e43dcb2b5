import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

@testable import FireLite
@testable import TestSupport

/// JSON that is made of rows without objects is what the objects write.
@Suite(.soundStores) struct RowLinesTests {
    /// The line of each stored resource by its type and id, and nil for those that need an object.
    private func lines(_ store: FHIRStore) throws -> [String: String?] {
        try store.read { transaction in
            var lines: [String: String?] = [:]
            for type in try transaction.counts().map(\.typeName) {
                try transaction.forEachBatch(ofTypeNamed: type) { batch in
                    try transaction.access.reader.forEachLine(batch, key: store.identity.digestKey) { registration, line in
                        let resource = try #require(try transaction.resource(number: registration.root))
                        if let line { #expect(line.hasID == (resource.id != nil)) }
                        lines["\(type)/\(resource.id ?? "")"] = .some(line.map { String(decoding: $0.bytes, as: UTF8.self) })
                    }
                }
            }
            return lines
        }
    }

    private func exported(_ store: FHIRStore) throws -> [String] {
        try withTemporaryFolder { folder in
            let url = URL(fileURLWithPath: folder + "/out")
            try store.export(to: url)
            var lines: [String] = []
            for file in try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() {
                let text = try String(contentsOf: url.appendingPathComponent(file), encoding: .utf8)
                lines += text.split(separator: "\n").map(String.init)
            }
            return lines
        }
    }

    @Test(arguments: [3, 4, 5] as [UInt64]) func anyResourceIsWrittenAsItsObjectIs(_ seed: UInt64) throws {
        let store = try freshStore()
        var random = RandomInstance(seed: seed)
        var expected: [String: String] = [:]
        let resources = (0..<Effort.count(150)).map { number in
            let resource = random.resource(of: .r4)
            resource.id = "\(number)"
            expected["\(resource.resourceType)/\(number)"] = FHIRJSON.string(resource)
            return resource
        }
        try store.write { transaction in _ = try transaction.upsert(resources) }
        let lines = try lines(store)
        #expect(Set(lines.keys) == Set(expected.keys))
        for (key, line) in lines { if let line { #expect(line == (expected[key] ?? "") + "\n", "seed \(seed): \(key)") } }
        #expect(lines.values.contains { $0 != nil })
        #expect(try exported(store).sorted() == expected.values.sorted(), "seed \(seed)")
    }

    @Test func usualResourcesNeedNoObject() throws {
        let json = [
            #"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","profile":["u:1","u:2"]},"text":{"status":"generated","div":"<div>\"\\ü</div>"},"#
                + #""active":true,"name":[{"use":"official","family":"A","given":["B","C"],"period":{"start":"2020-01-01"}},{"given":["D"]}],"#
                + #""birthDate":"1980-02","multipleBirthInteger":-12,"maritalStatus":{"coding":[{"system":"u:s","code":"M"}]},"#
                + #""contact":[{"name":{"given":["E"]},"telecom":[{"value":"1"}]}]}"#,
            #"{"resourceType":"Observation","id":"a","contained":[{"resourceType":"Patient","id":"p","name":[{"given":["X"]}]},"#
                + #"{"resourceType":"Organization","id":"o","name":"Y"}],"extension":[{"extension":[{"url":"a","valueDecimal":1.50},"#
                + #"{"url":"b","valueInstant":"2020-01-01T10:00:00.123456+02:00"}],"url":"u:e"}],"status":"final","#
                + #""code":{"coding":[{"code":"1"},{"code":"2"}],"text":"c"},"effectiveDateTime":"2020-01-01T10:00:00Z","#
                + #""valueQuantity":{"value":7.25,"unit":"mg"},"component":[{"code":{"text":"d"},"valueString":"\u0001é"}]}"#,
            #"{"resourceType":"Bundle","id":"a","type":"collection","entry":[{"fullUrl":"u:1","resource":{"resourceType":"Patient","id":"q"}},"#
                + #"{"resource":{"resourceType":"Basic","code":{"text":"t"}}}]}"#,
        ]
        let store = try freshStore()
        try store.write { transaction in
            for text in json { try transaction.add(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) }
            try transaction.add(Patient { $0.active = true })
        }
        let lines = try lines(store)
        for text in json {
            let resource = try FHIRJSON.resource(from: Data(text.utf8), release: .r4)
            #expect(lines["\(resource.resourceType)/a"] == .some(FHIRJSON.string(resource) + "\n"))
        }
        #expect(lines["Patient/"] == .some(#"{"resourceType":"Patient","active":true}"# + "\n"))
    }

    @Test func partsOfPrimitivesNeedAnObject() throws {
        let json = [
            #"{"resourceType":"Patient","id":"a","_birthDate":{"id":"x"}}"#,
            #"{"resourceType":"Patient","id":"b","birthDate":"2020","_birthDate":{"extension":[{"url":"u:1","valueString":"x"}]}}"#,
            #"{"resourceType":"Patient","id":"c","name":[{"given":["A",null],"_given":[null,{"id":"g"}]}]}"#,
        ]
        let store = try freshStore()
        try store.write { transaction in
            for text in json { try transaction.add(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) }
            // Those after them do not.
            try transaction.add(Patient { $0.id = "d" })
        }
        let lines = try lines(store)
        for id in ["a", "b", "c"] { #expect(lines["Patient/\(id)"] == .some(nil)) }
        #expect(lines["Patient/d"] == .some(#"{"resourceType":"Patient","id":"d"}"# + "\n"))
        #expect(try exported(store) == json + [#"{"resourceType":"Patient","id":"d"}"#])
    }

    @Test(arguments: [8, 9] as [UInt64]) func editedListsKeepTheirOrder(_ seed: UInt64) throws {
        let store = try freshStore()
        var random = SeededGenerator(seed: seed)
        try store.write { transaction in
            try transaction.add(Patient { $0.id = "1" })
            try transaction.add(Patient { $0.id = "2" })
        }
        for step in 0..<40 {
            try store.write { transaction in
                let patient = try #require(try transaction.resource(Patient.self, id: "1"))
                let name = HumanName { $0.given = ["\(step)", "x"] }
                switch random.int(0...3) {
                case 0 where patient.name.count > 1: patient.name.remove(at: random.int(0...patient.name.count - 1))
                case 1 where patient.name.count > 1: patient.name.swapAt(0, patient.name.count - 1)
                default: patient.name.insert(name, at: random.int(0...patient.name.count))
                }
            }
            let patient = try #require(try store.resource(Patient.self, id: "1"))
            if let line = try #require(try lines(store)["Patient/1"]) { #expect(line == FHIRJSON.string(patient) + "\n") }
            #expect(try exported(store) == [FHIRJSON.string(patient), #"{"resourceType":"Patient","id":"2"}"#], "seed \(seed), \(step)")
        }
    }

    /// After a batch that mostly needs objects, the next ones are read as objects.
    @Test func manyBatchesThatNeedObjectsAreExportedInOrder() throws {
        let store = try freshStore()
        let json = (0..<1_500).map { number in
            number % 4 == 0 || number > 1_200
                ? #"{"resourceType":"Patient","id":"\#(number)"}"#
                : #"{"resourceType":"Patient","id":"\#(number)","_active":{"id":"x"}}"#
        }
        try store.write { transaction in
            _ = try transaction.upsert(json.map { try FHIRJSON.resource(from: Data($0.utf8), release: .r4) })
        }
        #expect(try exported(store) == json)
        #expect(try exported(store) == json)
    }

    @Test func changedRowsAreRefusedUnlessContentIsNotVerified() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            var configuration = FHIRStore.Configuration()
            configuration.checksPages = false
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            try store.write { transaction in
                _ = try transaction.upsert((0..<3).map { number in Patient { ($0.id, $0.language) = ("\(number)", "de") } })
            }
            try store.close()
            let tool = try Connection(path: path, pageChecksums: .ignored)
            try tool.execute("UPDATE Patient SET language = 'en' WHERE id = '1'")
            for verifies in [true, false] {
                configuration.verifiesContent = verifies
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                let url = URL(fileURLWithPath: folder + "/out")
                if verifies {
                    #expect { try store.export(to: url) } throws: { ($0 as? FHIRStoreError)?.code == .notAStore }
                } else {
                    #expect(try store.export(to: url).exported == 3)
                    let text = try String(contentsOf: url.appendingPathComponent("Patient.ndjson"), encoding: .utf8)
                    #expect(text.contains(#""language":"en""#))
                }
                try store.close()
            }
        }
    }
}
