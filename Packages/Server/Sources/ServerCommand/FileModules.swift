import FireLiteKnowledge
import FireLiteRecords
import FireLiteReleases
import FireLiteSamples
import FireLiteServer
import FireLiteSync
import FireLiteTrust
import Foundation

/// What the modules of the library keep in the served file, and its audit trail.
struct FileModules: Sendable {
    /// The path of the file.
    let database: String
    /// The file with the key that signs the trail, and whose it is; nil to record nothing.
    let signingKey: String?
    let signer: String?
    /// Whether a file with a trail may be changed without a row there.
    let unaudited: Bool

    /// Has each module follow the writes of requests and take part in checks, and continues the audit trail.
    ///
    /// - Throws: `ServerError` if the file can be written, and a module cannot follow that.
    func takeUp(_ store: FHIRStore) throws {
        let isWriting = store.configuration.access == .readWrite
        func part(_ name: String, otherwise takePart: () -> Void = {}, _ body: () throws -> Void) throws {
            do { try body() } catch let error as any FireLiteError {
                guard !isWriting else { throw ServerError(.file, "\(database) is not served, as \(name) cannot be read: \(error.message)") }
                note("\(name) cannot be read: \(error.message)")
                takePart()
            }
        }
        try part("the payloads that are kept apart") { _ = try store.attachments.resume() }
        try part("the identities", otherwise: store.keepPermissions) {
            // Also if all identities are lost, which a check then says.
            _ = try store.read { try $0.identities() }
            store.keepPermissions()
        }
        store.followSamples()
        store.checkJournals()
        store.checkPackages()
        store.checkTrail()
        try audit(store, isWriting)
    }

    private func audit(_ store: FHIRStore, _ isWriting: Bool) throws {
        if let signingKey, let signer {
            let file = URL(fileURLWithPath: signingKey)
            let keys = FileKeyStore(folder: file.deletingLastPathComponent())
            guard let key = try keys.key(named: file.deletingPathExtension().lastPathComponent) else {
                throw ServerError(.file, "There is no file \(signingKey): `firelite sign` makes one.")
            }
            guard isWriting else {
                throw ServerError(.file, "\(database) cannot be written, so requests cannot be recorded in its audit trail.")
            }
            try store.startAudit(by: SigningIdentity(id: signer, key: key))
            return
        }
        guard try store.read({ try $0.lastAuditHead() }) != nil else { return }
        if isWriting, !unaudited {
            throw ServerError(
                .file,
                "\(database) has an audit trail: continue it with --signing-key FILE and --signer ID, serve the file with --read-only, "
                    + "or say --unaudited to change it without a row there.")
        }
        note("\(database) has an audit trail, in which nothing of what is done here is recorded")
    }

    private func note(_ text: String) { FileHandle.standardError.write(Data("note: \(text)\n".utf8)) }
}
