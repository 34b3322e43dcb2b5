import FireLite
import FireLiteR4
import FireLiteSynthetic
import Foundation
import TestSupport

/// Resources to search: made-up patients, and FHIR's official examples where they are present.
enum SearchSample {
    private static func official() throws -> [FHIRResource] {
        let archive = PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/examples-R4.tar.xz")
        guard FileManager.default.fileExists(atPath: archive.path) else { return [] }
        let folder = try TemporaryFolder()
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive.path, "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        var resources: [FHIRResource] = []
        let paths = (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []).sorted()
        for path in paths where path.hasSuffix(".json") {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(path)))
            guard let resource = try? FHIRJSON.resource(from: data, release: .r4), resource.resourceType != "Bundle" else { continue }
            resources.append(resource)
        }
        return resources
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
