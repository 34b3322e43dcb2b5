import FireLiteKnowledge
import FireLiteR4

// example ValidatingProfiles.md
func share() throws -> Knowledge {
    let file = try KnowledgeFile(path: "guides.sqlite")
    try file.addPackage(at: "us-core-6.1.0.tgz")
    let knowledge = Knowledge(release: .r4)
    try knowledge.addKnowledge(at: "guides.sqlite")
    return knowledge
}
// end
