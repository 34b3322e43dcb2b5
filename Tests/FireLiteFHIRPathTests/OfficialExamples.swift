import Foundation
import TestSupport

/// The archive with the examples, and what is in it.
enum OfficialExamples {
    static let archive = SharedArchive.examples(of: "R4")

    private static let unpacked = Result {
        guard let archive else { throw CocoaError(.fileNoSuchFile) }
        return try archive.withFiles { files in
            try files.map { (name: $0.lastPathComponent, json: try Data(contentsOf: $0)) }.sorted { $0.name < $1.name }
        }
    }

    static func files() throws -> [(name: String, json: Data)] { try unpacked.get() }
}
