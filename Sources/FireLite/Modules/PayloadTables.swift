/// The tables of payloads that are kept apart. They stand here, as recovery makes them again without the module that keeps them.
package enum PayloadTables {
    package static let module = "blob"

    /// A row for each payload: its SHA-256, or NULL while it is being stored in several writes.
    private static let blobs = ModuleTable(
        "_blob", key: "blob", columns: [.init("hash", .blob), .init("bytes", .integer), .init("created", .integer)],
        indexes: [.init("hash", isUnique: true)])

    /// The bytes of a payload in pieces of `PayloadLayout.pieceBytes`: piece `n` has the key `blob << 24 | n`.
    private static let chunks = ModuleTable("_blob_chunk", key: "chunk", columns: [.init("content", .blob)])

    /// Which resource refers to which payload; `kept` is 1 if only an older version may still do so.
    private static let references = ModuleTable(
        PayloadKeeping.referenceTable, key: "reference",
        columns: [.init("root", .integer), .init("blob", .integer), .init("kept", .integer)],
        indexes: [.init("root"), .init("blob")])

    /// One row: the policy. No row once everything was moved back.
    private static let policy = ModuleTable(
        "_blob_policy", key: "policy", columns: [.init("minimum", .integer), .init("maximum", .integer), .init("types", .text)])

    package static let all = [blobs, chunks, references, policy]
}
