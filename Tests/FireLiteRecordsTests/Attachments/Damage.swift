import Foundation

@testable import FireLiteRecords

/// Changes what is stored of payloads, as damage would.
enum Damage {
    static func flip(_ store: FHIRStore) throws {
        try store.write { tx in
            for row in try tx.blobRows("SELECT chunk, content FROM _blob_chunk ORDER BY chunk LIMIT 1") {
                guard case .blob(var content) = row[1] else { continue }
                content[content.count / 2] ^= 1
                try tx.runBlobs("UPDATE _blob_chunk SET content = ? WHERE chunk = ?", [.blob(content), row[0]])
            }
        }
    }

    static func removeChunk(_ store: FHIRStore) throws {
        try store.write { tx in
            try tx.runBlobs("DELETE FROM _blob_chunk WHERE chunk = (SELECT max(chunk) FROM _blob_chunk)")
        }
    }

    static func removeBlob(_ store: FHIRStore) throws { try store.write { tx in try tx.runBlobs("DELETE FROM _blob") } }
}
