import FireLite
import FireLiteKnowledge
import FireLiteR4
import FireLiteRegistry
import Foundation

// example ValidatingProfiles.md
func share() throws -> Knowledge {
    let file = try KnowledgeFile(path: "guides.sqlite")
    try file.addPackage(at: URL(fileURLWithPath: "us-core-6.1.0.tgz"))
    let knowledge = Knowledge(release: .r4)
    try knowledge.addKnowledge(at: URL(fileURLWithPath: "guides.sqlite"))
    return knowledge
}
// end

// example ValidatingProfiles.md
func storeWithGuide(_ guide: URL) throws -> FHIRStore {
    let store = try FHIRStore(path: "health.sqlite", release: .r4, validation: .storedPackages())
    try store.addPackage(at: guide)
    return store
}
// end

// example FireLiteRegistry.md
func addUSCore(to knowledge: Knowledge, from address: URL) async throws {
    let registry = try PackageRegistry(address)
    for package in try await registry.packages(named: "hl7.fhir.us.core", version: "6.1.0", present: knowledge.packages) {
        knowledge.addPackage(package)
    }
}
// end
