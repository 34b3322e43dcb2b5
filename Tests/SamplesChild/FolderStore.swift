import FireLiteSamples
import Foundation

/// An external store that is a file with a line for each sample that was added.
final class FolderStore: ExternalStore {
    let name = "folder"
    private let path: String

    init(path: String) { self.path = path + "/added" }

    func existingLocations(of objects: [ExternalObject]) async throws -> [UUID: String] {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let known = Set(text.split(separator: "\n").map(String.init))
        let found = objects.filter { known.contains($0.uuid.uuidString) }
        return Dictionary(found.map { ($0.uuid, "folder") }) { first, _ in first }
    }

    func add(_ objects: [ExternalObject]) async throws -> [UUID: String] {
        if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        for object in objects { try handle.write(contentsOf: Data((object.uuid.uuidString + "\n").utf8)) }
        try handle.close()
        FileHandle.standardOutput.write(Data("added\n".utf8))
        return [:]
    }

    func update(_ objects: [ExternalObject]) async throws {}

    func delete(_ objects: [ExternalObject]) async throws {}
}
