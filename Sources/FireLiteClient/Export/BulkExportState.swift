import FireLiteCore
import Foundation

/// What is kept in an export's folder, so that an interrupted export goes on.
struct BulkExportState: Codable, Sendable {
    static let fileName = "export.json"

    /// The server's list of files.
    struct Manifest: Codable, Sendable {
        struct File: Codable, Sendable {
            let type: String?
            let url: String
            let count: Int?
        }
        let transactionTime: String?
        let requiresAccessToken: Bool?
        /// Without it the text is no list of files (Bulk Data Access, Complete Status): anything may answer `{}`.
        let output: [File]
        let deleted: [File]?
        let error: [File]?

        /// All files with what they contain.
        var all: [(content: BulkExportResult.Content, file: File)] {
            output.map { (.resources, $0) } + (deleted ?? []).map { (.deletions, $0) } + (error ?? []).map { (.errors, $0) }
        }
    }

    /// The method, path and parameters of the export, which tells it from another one.
    let query: String
    let statusURL: String
    var manifest: Manifest?

    static func read(_ folder: String) throws -> BulkExportState? {
        let path = folder + "/" + fileName
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try JSONDecoder().decode(BulkExportState.self, from: WholeFile.bytes(path))
        } catch {
            throw FHIRClientError(.file, "\(path) is not the state of an export: remove the folder to begin again")
        }
    }

    func write(_ folder: String) throws {
        do {
            try PrivateFile.write(JSONEncoder().encode(self), to: folder + "/" + Self.fileName)
        } catch { throw FHIRClientError(.file, "\(folder): the state of the export cannot be written") }
    }
}
