import FireLiteR4
import FireLiteRecords
import Foundation
import Testing

/// What the tests of payloads share.
enum Payloads {
    /// Bytes that look random.
    static func bytes(_ count: Int, seed: UInt8 = 1) -> Data {
        var state = UInt32(seed) &* 2_654_435_761 &+ 12_345
        var bytes = [UInt8](repeating: 0, count: count)
        for index in 0..<count {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
        }
        return Data(bytes)
    }

    static func document(_ id: String, _ data: String) -> DocumentReference {
        let attachment = Attachment {
            $0.data = data
            $0.title = "letter"
        }
        return DocumentReference {
            $0.id = id
            $0.content = [DocumentReferenceContent { $0.attachment = attachment }]
        }
    }

    static func store() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.attachments.externalizeNewPayloads()
        return store
    }

    /// The number of payloads in a store.
    static func count(_ store: FHIRStore) throws -> Int64 {
        try store.sql("SELECT count(*) FROM _blob").first?[0].integer ?? -1
    }

    static func whole(_ store: FHIRStore, _ id: String) throws -> DocumentReference {
        try store.attachments.resolvingPayloads(in: #require(try store.resource(DocumentReference.self, id: id)))
    }
}
