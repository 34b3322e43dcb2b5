import Foundation

/// The files of a SNOMED CT release in the form RF2 (SNOMED CT Release File Specifications), by what they have.
struct SnomedFiles {
    private(set) var concepts: [String] = []
    private(set) var descriptions: [String] = []
    private(set) var relationships: [String] = []
    private(set) var values: [String] = []
    private(set) var languages: [String] = []
    private(set) var refsets: [String] = []
    /// The latest date of a file, `20250101`.
    private(set) var date = ""
    /// Whether the files have every state of a row, and not only the current one.
    private(set) var isFull = false

    /// Refsets that are about descriptions, or about the release itself.
    private static let ignored = ["ModuleDependency", "RefsetDescriptor", "MRCM", "OWLExpression", "DescriptionType", "AttributeValue"]

    /// Finds the files of snapshots below folders, or those of full releases if there is no snapshot.
    ///
    /// - Throws: `KnowledgeError` with code `file` for a folder that cannot be read, `missing` for one without a release.
    init(_ folders: [String]) throws {
        var paths: [String] = []
        for folder in folders {
            guard let walk = FileManager.default.enumerator(atPath: folder) else {
                throw KnowledgeError(.file, "\(folder) is not a folder: give the one in which the release is unpacked")
            }
            for case let path as String in walk { paths.append(folder + "/" + path) }
        }
        for path in paths { add(path, "Snapshot") }
        if concepts.isEmpty {
            self = SnomedFiles()
            isFull = true
            for path in paths { add(path, "Full") }
        }
        guard !concepts.isEmpty, !descriptions.isEmpty, !relationships.isEmpty else {
            throw KnowledgeError(
                .missing,
                "\(folders.joined(separator: ", ")) has no release in the form RF2: a file sct2_Concept_Snapshot…, or _Full…, one of descriptions "
                    + "and one of relationships are needed; give the folder in which the release is unpacked")
        }
        for keyPath in [\SnomedFiles.concepts, \.descriptions, \.relationships, \.values, \.languages, \.refsets] as [WritableKeyPath] {
            self[keyPath: keyPath].sort()
        }
    }

    private init() {}

    private mutating func add(_ path: String, _ form: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard name.hasSuffix(".txt"), name.contains(form) else { return }
        if name.contains("_Concept_" + form) {
            concepts.append(path)
        } else if name.contains("_Description_" + form) || name.contains("_TextDefinition_" + form) {
            descriptions.append(path)
        } else if name.contains("_Relationship_" + form) {
            relationships.append(path)
        } else if name.contains("_RelationshipConcreteValues_" + form) {
            values.append(path)
        } else if name.contains("Refset_Language" + form) {
            languages.append(path)
        } else if name.contains("Refset_"), !Self.ignored.contains(where: name.contains) {
            refsets.append(path)
        } else {
            return
        }
        let stamp = String(name.dropLast(4).suffix(8))
        if stamp.count == 8, stamp.allSatisfy(\.isNumber) { date = max(date, stamp) }
    }
}

/// Identifiers of SNOMED CT's metadata.
enum SnomedCode {
    static let url = "http://snomed.info/sct"
    static let isA: Int64 = 116_680_003
    static let root = "138875005"
    static let fullName: Int64 = 900_000_000_000_003_001
    static let synonym: Int64 = 900_000_000_000_013_009
    static let textDefinition: Int64 = 900_000_000_000_550_004
    static let preferred: Int64 = 900_000_000_000_548_007
    static let defined: Int64 = 900_000_000_000_073_002
    static let primitive: Int64 = 900_000_000_000_074_008
    static let inferred: Int64 = 900_000_000_000_011_006
    static let coreModule: Int64 = 900_000_000_000_207_008
    static let modelModule: Int64 = 900_000_000_000_012_004
    static let usEnglish: Int64 = 900_000_000_000_509_007
    static let ukEnglish: Int64 = 900_000_000_000_508_004
    static let simpleRefsets = "446609009"

    /// Whether an identifier is one of a concept, by its partition (SNOMED CT, SCTID).
    static func isConcept(_ id: Int64) -> Bool { (id / 10) % 10 == 0 }
}
