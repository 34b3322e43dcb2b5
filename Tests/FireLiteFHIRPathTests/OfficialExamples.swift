import Foundation
import TestSupport

/// The archive with the examples, and what is in it.
enum OfficialExamples {
    static var archive: URL? {
        let archive = PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/examples-R4.tar.xz")
        return FileManager.default.fileExists(atPath: archive.path) ? archive : nil
    }

    private static let unpacked = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FireLite-examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive?.path ?? "", "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0, let paths = FileManager.default.enumerator(atPath: folder.path) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        var files: [(name: String, json: Data)] = []
        for case let path as String in paths where path.hasSuffix(".json") {
            files.append((URL(fileURLWithPath: path).lastPathComponent, try Data(contentsOf: folder.appendingPathComponent(path))))
        }
        return files.sorted { $0.name < $1.name }
    }

    static func files() throws -> [(name: String, json: Data)] { try unpacked.get() }
}
