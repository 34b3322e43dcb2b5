import FireLite
import FireLiteR4
import Foundation
import Testing

/// The README's examples: compiled and run here, and compared with its text.
@Suite struct ReadmeExamples {
    private static let source = #"""
        {"resourceType":"Patient","id":"123","gender":"male","name":[{"use":"official","family":"Chalmers","given":["Peter","James"]}],
        "generalPractitioner":[{"reference":"Practitioner/p1"}],"managingOrganization":{"reference":"Organization/o1"}}
        """#

    @Test func tour() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            let data = Data(Self.source.utf8)

            let patient = try FHIRJSON.decode(Patient.self, from: data)
            patient.name[0].given.append("Lee")
            patient.birthDate = "1970-03"
            let json = FHIRJSON.data(patient)
            #expect(try FHIRJSON.decode(Patient.self, from: json) == patient)

            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(patient) }

            try store.write { _ in
                patient.name[0].given[0] = "Joseph"
                patient.name[0].family = "Balogna"
                patient.name.append(HumanName { $0.text = "Joe" })
            }
            #expect(try store.resource(Patient.self, id: "123")?.name.map(\.family) == ["Balogna", nil])

            let practitioner = Practitioner { $0.id = "p1" }
            try store.write { tx in try tx.add(practitioner) }
            let joey = try store.resource(Patient.self, id: "123")
            let sameJoey = try store.object(Patient.self, pk: joey!.pk)
            let doctor = try patient.generalPractitioner[0].resolve(in: store) as? Practitioner
            #expect(sameJoey == joey)
            #expect(doctor == practitioner)

            let incoming = [Observation { $0.id = "old" }, Observation { $0.id = "new" }]
            let result = try store.write { tx in try tx.upsert(incoming) }
            print(result.added, result.updated, result.unchanged)
            #expect(result.added == 2)

            let reference = Reference { $0.reference = "Organization/o2" }
            let twin = joey!.copy()
            twin.name[0].given[0] = "Joe"
            try store.write { _ in try joey!.populate(from: twin) }
            try store.write { _ in joey!.upsert(managingOrganization: reference) }
            #expect(try store.resource(Patient.self, id: "123")?.managingOrganization == reference)
            #expect(try store.resource(Patient.self, id: "123")?.name[0].given.first == "Joe")

            let loinc = "http://loinc.org"
            let joes = try store.fetch(Patient.self).where { $0.name.given == "Joe" }.all()
            let recent = try store.fetch(Observation.self)
                .where { $0.subject.reference == "Patient/123" && $0.code.coding.any { $0.system == loinc && $0.code == "8867-4" } }
                .sort { $0.effectiveDateTime.descending }
                .limit(50)
                .all()
            #expect(joes.map(\.id) == ["123"])
            #expect(recent.isEmpty)

            try store.write { tx in try tx.delete(Observation.self, id: "old") }
            #expect(try store.count(Observation.self) == 1)

            for issue in patient.validate() { print(issue) }
            try expectSound(store)
        }
    }

    /// Every Swift example of the README stands in this file, line by line.
    @Test func readmeShowsWhatIsTested() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md").standardizedFileURL, encoding: .utf8)
        let here = Self.lines(try String(contentsOfFile: #filePath, encoding: .utf8))
        var blocks = 0
        for block in readme.components(separatedBy: "```swift\n").dropFirst() {
            let lines = Self.lines(block.components(separatedBy: "```")[0])
            blocks += 1
            #expect(Self.contains(here, lines), "not tested:\n\(lines.joined(separator: "\n"))")
        }
        #expect(blocks == 9)
    }

    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func contains(_ all: [String], _ some: [String]) -> Bool {
        all.indices.contains { all[$0...].starts(with: some) }
    }
}
