import FireLite
import FireLiteR4
import FireLiteSynthetic
import Foundation
import TestSupport

/// Resources to search: made-up patients, and FHIR's official examples where they are present.
enum SearchSample {
    private static func official() throws -> [FHIRResource] {
        guard let archive = SharedArchive.examples(of: "R4") else { return [] }
        return try archive.withFiles { files in
            files.compactMap { file -> FHIRResource? in
                // Some examples are not valid.
                guard let resource = try? FHIRJSON.resource(from: Data(contentsOf: file), release: .r4), resource.resourceType != "Bundle"
                else { return nil }
                return resource
            }
        }
    }

    /// The resources, each type and id once.
    static func resources() throws -> [FHIRResource] {
        var seen: Set<String> = []
        let all = Array(SyntheticPatients(count: 8, seed: 7, includesClaims: true)) + (try official())
        return all.filter { resource in resource.id.map { seen.insert("\(resource.resourceType)/\($0)").inserted } ?? false }
    }

    /// A store with them.
    static func store(_ resources: [FHIRResource]) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in for resource in resources { try tx.upsert(resource) } }
        return store
    }
}
