import Foundation

@testable import FireLiteGenerator

/// The hand-made definitions of this folder and where they are.
enum Fixtures {
    private static let testFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The package that holds these tests.
    static let package = testFolder.deletingLastPathComponent().deletingLastPathComponent().path

    static let templates = package + "/Templates"

    static let definitions = testFolder.path + "/Fixtures/Definitions"

    static let golden = testFolder.path + "/Fixtures/Golden"

    /// The hand-made release, imported.
    static func mini() throws -> ReleaseDefinition {
        try DefinitionsImporter.importRelease(from: definitions, named: "Mini").definition
    }
}

/// A folder that is removed with the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/FireLiteGeneratorTests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that stays behind in the system's temporary folder harms nothing.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file, with the folders it needs.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    /// Copies the real templates, file by file so that no link leads a test to them.
    func copyTemplates(to name: String) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: Fixtures.templates) {
            try write("\(name)/\(file)", String(decoding: try SourceFile(path: Fixtures.templates + "/" + file).bytes, as: UTF8.self))
        }
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
    }

    /// Relative paths of all files in it.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isDirectory) && !isDirectory.boolValue
        }.sorted()
    }
}

/// A package with a digest of the hand-made release and the real templates.
struct TemporaryPackage {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("Package.swift", "")
        try folder.copyTemplates(to: "Templates")
        try folder.write("Generator/Definitions/Mini.digest", DigestWriter.text(of: try Fixtures.mini()))
    }

    func run(_ arguments: String...) -> GeneratorCommand.Outcome {
        GeneratorCommand.run(arguments, in: folder.path)
    }
}

/// A reproducible source of numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SeededGenerator {
    /// A copy of some bytes with one to four small changes.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &self)], at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + 40))
            }
        }
        return bytes
    }

    /// A copy of a text with one to six letters changed: what was sound JSON still is, mostly.
    mutating func respelled(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let letters = bytes.indices.filter { Character(Unicode.Scalar(bytes[$0])).isLetter }
        for _ in 0..<Int.random(in: 1...6, using: &self) {
            guard let target = letters.randomElement(using: &self), let source = letters.randomElement(using: &self) else { break }
            bytes[target] = bytes[source]
        }
        return bytes
    }
}
