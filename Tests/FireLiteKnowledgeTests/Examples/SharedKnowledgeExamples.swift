import FireLiteKnowledge
import FireLiteR4
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
