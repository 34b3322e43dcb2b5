import Foundation
import ReleaseTestSupport

@testable import FireLiteCore

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

    static var isThere: Bool { Releases.all.allSatisfy { SharedArchive.examples(of: $0.name) != nil } }

    /// The examples of a release in the order of their names.
    static func files(_ release: FHIRRelease) throws -> [Example] {
        try shared.lock.withLock {
            if let known = shared.unpacked[release] { return known }
            guard let archive = SharedArchive.examples(of: release.name) else { throw CocoaError(.fileNoSuchFile) }
            let files = try archive.withFiles { files in
                try files.map { Example(name: $0.lastPathComponent, json: try Data(contentsOf: $0)) }.sorted { $0.name < $1.name }
            }
            shared.unpacked[release] = files
            return files
        }
    }
}
