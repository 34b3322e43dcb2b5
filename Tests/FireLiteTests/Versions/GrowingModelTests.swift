import FireLite
import FireLiteReleases
import Foundation
import Testing

/// An app's own module of a few types, as layouts: it grows, drops a type and gains a release, and its file stays.
@Suite struct GrowingModelTests {
    /// A release with these resource types alone, and all datatypes, as a generated slim module has it.
    private func slim(_ types: Set<String>, of name: String = "R4") throws -> FHIRRelease {
        let whole = try #require(BundledRelease.named(name))
        let all = whole.layouts.split(separator: "\n")
        let resources = Set(all.filter { $0.hasPrefix("resource ") }.map { String($0.split(separator: " ")[1]) })
        func isKept(_ path: Substring) -> Bool {
            let type = String(path.split(separator: ".")[0])
            return types.contains(type) || !resources.contains(type)
        }
        var lines: [Substring] = []
        var isWanted = true
        for line in all {
            let words = line.split(separator: " ")
            // Elements are indented below their type.
            if !line.hasPrefix(" ") { isWanted = !["resource", "backbone", "constraint"].contains(words[0]) || isKept(words[1]) }
            if isWanted { lines.append(line) }
        }
        return try FHIRRelease(layouts: lines.joined(separator: "\n") + "\n")
    }

    private func add(_ json: String, to store: FHIRStore) throws {
        let resource = try FHIRJSONReader(release: store.release).resource(from: Data(json.utf8))
        try store.write { tx in _ = try tx.upsert([resource]) }
    }

    private static let patient = #"{"resourceType":"Patient","id":"1","name":[{"family":"A","given":["B","C"]}],"birthDate":"1970"}"#
    private static let observation =
        #"{"resourceType":"Observation","id":"1","component":[{"valueString":"x"}],"subject":{"reference":"Patient/1"}}"#

    @Test func aTypeThatIsAddedLaterNeedsNoMigration() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let first = try FHIRStore(path: path, release: slim(["Patient"]))
            try add(Self.patient, to: first)
            // A type that the module lacks is refused as a whole, with its name.
            #expect(throws: FHIRDecodingError.self) { try add(Self.observation, to: first) }
            try first.close()

            let grown = try FHIRStore(path: path, release: slim(["Patient", "Observation"]))
            try add(Self.observation, to: grown)
            #expect(try grown.resource(typeName: "Patient", id: "1").map { FHIRJSON.string($0) } == Self.patient)
            #expect(try grown.check().isEmpty)
            try grown.close()

            // All of the release, as in a tool or a later version.
            let whole = try FHIRStore(path: path, release: #require(BundledRelease.named("R4")).release)
            #expect(try whole.counts().map(\.typeName).sorted() == ["Observation", "Patient"])
        }
    }

    @Test func aTypeIsDroppedOnceItsRowsAreDeleted() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            let both = try FHIRStore(path: path, release: slim(["Patient", "Observation"]))
            try add(Self.patient, to: both)
            try add(Self.observation, to: both)
            try both.close()

            // Rows that the app could not read whole are never left out in silence: the file is refused and stays as it is.
            let size = try Data(contentsOf: URL(fileURLWithPath: path))
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: slim(["Patient"])) }
            #expect(error?.code == .newerFormat && error?.message.contains("Observation") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == size)

            // The last version that knows the type deletes its resources, or exports them.
            let last = try FHIRStore(path: path, release: slim(["Patient", "Observation"]))
            try last.write { tx in _ = try tx.delete(typeName: "Observation", id: "1") }
            try last.close()
            let slimmer = try FHIRStore(path: path, release: slim(["Patient"]))
            #expect(try slimmer.resource(typeName: "Patient", id: "1").map { FHIRJSON.string($0) } == Self.patient)
            try add(#"{"resourceType":"Patient","id":"2"}"#, to: slimmer)
            try slimmer.close()

            // And it can come back.
            let again = try FHIRStore(path: path, release: slim(["Patient", "Observation"]))
            try add(Self.observation, to: again)
            #expect(try again.counts().map(\.count) == [1, 2])
            #expect(try again.check().isEmpty)
        }
    }

    @Test func aFurtherReleaseIsAFurtherFile() throws {
        try withTemporaryFolder { folder in
            let old = try FHIRStore(path: folder + "/r4.sqlite", release: slim(["Patient"]))
            try add(Self.patient, to: old)
            let newRelease = try slim(["Patient"], of: "R5")
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: folder + "/r4.sqlite", release: newRelease) }
            #expect(error?.code == .wrongRelease)
            // Both are used beside each other, and what both releases have goes over as JSON.
            let new = try FHIRStore(path: folder + "/r5.sqlite", release: newRelease)
            let stored = try #require(try old.resource(typeName: "Patient", id: "1"))
            try add(FHIRJSON.string(stored), to: new)
            #expect(try new.resource(typeName: "Patient", id: "1").map { FHIRJSON.string($0) } == Self.patient)
        }
    }
}
