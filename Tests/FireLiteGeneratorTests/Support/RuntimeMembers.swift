import Foundation

@testable import FireLiteGenerator

/// The members of the runtime's classes, as their source has them.
enum RuntimeMembers {
    struct Member: Hashable {
        var name: String
        /// `open`, `public`, `package` or empty.
        var access: String
        var isProperty: Bool
        /// Whether only resources have it.
        var isOfResource: Bool
    }

    private static let types: Set<String> = ["FHIRObject", "FHIRResource", "FHIRObjectInitializers", "FHIRIdentifiable", "FHIRCodable"]

    /// Every instance property and function that is not private to its file.
    static func all() throws -> Set<Member> {
        var members: Set<Member> = []
        for module in ["FireLiteCore", "FireLite"] {
            let folder = Fixtures.package + "/Sources/" + module
            for entry in try FileTree.files(in: folder) where entry.path.hasSuffix(".swift") {
                members.formUnion(try inFile(folder + "/" + entry.path))
            }
        }
        return members
    }

    private static func inFile(_ path: String) throws -> [Member] {
        var members: [Member] = []
        var type: String?
        for line in String(decoding: try SourceFile(path: path).bytes, as: UTF8.self).split(separator: "\n") {
            if line.first?.isLetter == true {
                let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
                let keyword = words.firstIndex { ["class", "extension", "protocol"].contains($0) }
                type = keyword.flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
            }
            // Members are indented by four spaces.
            guard let type, types.contains(type), line.hasPrefix("    "), line.dropFirst(4).first != " " else { continue }
            let words = line.split(separator: " ").map(String.init)
            guard let keyword = words.firstIndex(where: { ["var", "let", "func"].contains($0) }), keyword + 1 < words.count,
                words[..<keyword].allSatisfy({ !$0.hasPrefix("//") }),
                Set(words[..<keyword]).isDisjoint(with: ["private", "fileprivate", "static", "class"])
            else { continue }
            members.append(
                Member(
                    name: String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "=" }),
                    access: words[..<keyword].first { ["open", "public", "package"].contains($0) } ?? "",
                    isProperty: words[keyword] != "func", isOfResource: type == "FHIRResource"))
        }
        return members
    }
}
