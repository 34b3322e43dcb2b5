import FireLite
import FireLiteR4
import Foundation

extension Diary {
    /// Imports a file of FHIR R4: NDJSON if its name ends in `.ndjson`, otherwise one resource or Bundle.
    ///
    /// All of it or, if it throws, nothing. Resources with the type and id of stored ones replace them.
    /// - Throws: `FHIRDecodingError` with line and column; `FHIRStoreError`; Foundation's errors of reading files.
    public func importFile(at url: URL) async throws -> UpsertCounts {
        let isLines = url.pathExtension.lowercased() == "ndjson"
        return try await store.write { tx in
            let data = try Data(contentsOf: url)
            if isLines { return try tx.upsert(Self.resources(inLinesOf: data)).counts }
            let resource = try FHIRJSON.resource(from: data, release: .r4)
            return try resource is FireLiteR4.Bundle ? tx.upsert(bundle: resource).counts : tx.upsert([resource]).counts
        }
    }

    private static func resources(inLinesOf data: Data) throws -> [FHIRResource] {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { index, line in
            guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { return nil }
            do {
                return try FHIRJSON.resource(from: line, release: .r4)
            } catch let error as FHIRDecodingError {
                throw error.shifted(lines: index)
            }
        }
    }
}
