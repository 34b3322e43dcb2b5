import FireLiteCore
import Foundation
import TestSupport

/// HL7's example resources, which are not part of the package: archives in `../shared/data`, unpacked on first use.
///
/// `@unchecked Sendable`: `lock` is held for every access to `unpacked`.
final class OfficialExamples: @unchecked Sendable {
    struct Example: Sendable {
        let name: String
        let json: Data
    }

    private static let shared = OfficialExamples()
    private let lock = NSLock()
    private var unpacked: [FHIRRelease: [Example]] = [:]

    /// Why the tests are skipped where there are no archives.
    static let absence = "the archives examples-RELEASE.tar.xz are not beside the package, in ../shared/data"

    static var isThere: Bool { Releases.all.allSatisfy { FileManager.default.fileExists(atPath: archive($0).path) } }

    static func archive(_ release: FHIRRelease) -> URL {
        PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/examples-\(release).tar.xz")
    }

    /// The examples of a release in the order of their names.
    static func files(_ release: FHIRRelease) throws -> [Example] {
        try shared.lock.withLock {
            if let known = shared.unpacked[release] { return known }
            let files = try unpack(archive(release))
            shared.unpacked[release] = files
            return files
        }
    }

    private static func unpack(_ archive: URL) throws -> [Example] {
        let folder = try TemporaryFolder()
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive.path, "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0, let paths = FileManager.default.enumerator(atPath: folder.path) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        var files: [Example] = []
        for case let path as String in paths where path.hasSuffix(".json") {
            let url = URL(fileURLWithPath: folder.file(path))
            files.append(Example(name: url.lastPathComponent, json: try Data(contentsOf: url)))
        }
        return files.sorted { $0.name < $1.name }
    }
}
