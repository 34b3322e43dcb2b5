import FireLiteReleases
import Foundation
import TestSupport

@testable import FireLiteKnowledge

/// Releases in the form of SNOMED CT that tests write: invented concepts with real metadata.
struct SnomedExamples {
    struct Attribute: Hashable {
        let group: Int
        let type: Int
        let target: Int
    }

    /// Concepts by number, the root is 0; the code of a number is another thing.
    var parents: [Int: Set<Int>] = [0: []]
    var attributes: [Int: Set<Attribute>] = [:]
    var inactive: Set<Int> = []
    var members: [Int: Set<Int>] = [:]
    var strengths: [Int: Int] = [:]
    /// Of concepts whose names have another module or date than the release.
    var nameOrigins: [Int: (module: Int64, date: String)] = [:]
    var date = "20250101"

    static let root = 138_875_005
    static let isA = 116_680_003

    /// The identifier of a concept, with the partition of concepts.
    static func code(_ number: Int) -> Int { number == 0 ? root : (number + 1_000) * 1_000 + 5 }

    /// A hierarchy in which each concept has one to three earlier ones above it.
    static func random(_ seed: UInt64, count: Int) -> SnomedExamples {
        var random = SeededGenerator(seed: seed)
        var example = SnomedExamples()
        for number in 1..<count {
            if number > 12, random.int(0...19) == 0 {
                example.inactive.insert(number)
                example.parents[number] = []
                continue
            }
            let active = Array(0..<number).filter { !example.inactive.contains($0) }
            example.parents[number] = Set((0..<random.int(1...3)).map { _ in active[random.int(0...active.count - 1)] })
            for _ in 0..<random.int(0...4) {
                let attribute = Attribute(
                    group: random.int(0...2), type: random.int(1...3), target: active[random.int(0...active.count - 1)])
                example.attributes[number, default: []].insert(attribute)
            }
            if random.int(0...5) == 0 { example.strengths[number] = random.int(1...4) * 10 }
            if random.int(0...3) == 0 { example.members[random.int(4...5), default: []].insert(number) }
        }
        return example
    }

    /// Writes the release; returns its folder.
    func write(_ folder: TemporaryFolder, _ name: String = "release") throws -> String {
        let core = SnomedCode.coreModule
        func table(_ columns: String, _ rows: [String]) -> String {
            ([columns.split(separator: " ").joined(separator: "\t")] + rows).joined(separator: "\r\n") + "\r\n"
        }
        var concepts = ["\(Self.isA)\t\(date)\t1\t\(core)\t900000000000074008"]
        var descriptions: [String] = []
        var relationships: [String] = []
        var languages: [String] = []
        var values: [String] = []
        for (number, above) in parents.sorted(by: { $0.key < $1.key }) {
            let code = Self.code(number)
            let status = number % 3 == 0 ? "900000000000073002" : "900000000000074008"
            concepts.append("\(code)\t\(date)\t\(inactive.contains(number) ? 0 : 1)\t\(core)\t\(status)")
            for (place, row) in ["900000000000003001\tThing \(number) (thing)", "900000000000013009\tThing \(number)"].enumerated() {
                let id = (number * 2 + place + 1_000) * 1_000 + 11
                let parts = row.split(separator: "\t")
                let origin = nameOrigins[number] ?? (core, date)
                descriptions.append("\(id)\t\(origin.date)\t1\t\(origin.module)\t\(code)\ten\t\(parts[0])\t\(parts[1])\t900000000000448009")
                languages.append("language\(id)\t\(date)\t1\t\(core)\t900000000000509007\t\(id)\t900000000000548007")
            }
            func relate(_ type: Int, _ target: Int, _ group: Int) {
                let id = (relationships.count + 1_000) * 1_000 + 21
                relationships.append(
                    "\(id)\t\(date)\t1\t\(core)\t\(code)\t\(target)\t\(group)\t\(type)\t900000000000011006\t900000000000451002")
            }
            for parent in above.sorted() { relate(Self.isA, Self.code(parent), 0) }
            for item in attributes[number] ?? [] { relate(Self.code(item.type), Self.code(item.target), item.group) }
            if let strength = strengths[number] {
                values.append(
                    "\(number * 1_000 + 29)\t\(date)\t1\t\(core)\t\(code)\t#\(strength)\t1\t\(Self.code(3))\t900000000000011006\t900000000000451002"
                )
            }
        }
        let head = "id effectiveTime active moduleId "
        let refsets = members.flatMap { refset, all in
            all.map { "member\(refset)-\($0)\t\(date)\t1\t\(core)\t\(Self.code(refset))\t\(Self.code($0))" }
        }
        let files = [
            "Terminology/sct2_Concept_Snapshot_INT_\(date).txt": table(head + "definitionStatusId", concepts),
            "Terminology/sct2_Description_Snapshot-en_INT_\(date).txt": table(
                head + "conceptId languageCode typeId term caseSignificanceId", descriptions),
            "Terminology/sct2_Relationship_Snapshot_INT_\(date).txt": table(
                head + "sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId", relationships),
            "Terminology/sct2_RelationshipConcreteValues_Snapshot_INT_\(date).txt": table(
                head + "sourceId value relationshipGroup typeId characteristicTypeId modifierId", values),
            "Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_\(date).txt": table(
                head + "refsetId referencedComponentId acceptabilityId", languages),
            "Refset/Content/der2_Refset_SimpleSnapshot_INT_\(date).txt": table(head + "refsetId referencedComponentId", refsets),
        ]
        let path = folder.file(name)
        for (file, text) in files {
            let url = URL(fileURLWithPath: path + "/Snapshot/" + file)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return path
    }

    /// A terminology with the release.
    func terminology(_ folder: TemporaryFolder) throws -> Terminology {
        let path = folder.file("codes.sqlite")
        try CodeSystemFile(path: path).add([write(folder)])
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        terminology.maximumExpansion = 10_000
        return terminology
    }

    // MARK: - The model

    var active: Set<Int> { Set(parents.keys).subtracting(inactive) }

    func above(_ number: Int) -> Set<Int> { reached(from: number) { parents[$0] ?? [] } }

    func below(_ number: Int) -> Set<Int> {
        var children: [Int: Set<Int>] = [:]
        for (child, above) in parents { for parent in above { children[parent, default: []].insert(child) } }
        return reached(from: number) { children[$0] ?? [] }
    }

    private func reached(from number: Int, _ next: (Int) -> Set<Int>) -> Set<Int> {
        var found: Set<Int> = []
        var waiting = Array(next(number))
        while let one = waiting.popLast() { if found.insert(one).inserted { waiting += next(one) } }
        return found
    }
}
