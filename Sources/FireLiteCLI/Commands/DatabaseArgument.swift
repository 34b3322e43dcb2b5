import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteRecords
import FireLiteReleases
import FireLiteSamples
import FireLiteSync
import FireLiteTrust
import Foundation

/// The database that `--database` and `--release` name, and the key in `--key-file`.
struct DatabaseArgument {
    static let options = [
        database,
        release,
        KeyFile.option,
    ]
    static let database = OptionDefinition.option("database", "FILE", kind: .database, isRequired: true, "the SQLite file")
    /// The options of a command that makes the database if there is none.
    static let creatingOptions = [
        .option("database", "FILE", kind: .output(.database), isRequired: true, "the SQLite file; made if there is none"),
        release,
        KeyFile.option,
    ]
    static let release = OptionDefinition.option(
        "release", "NAME|FILE", kind: .choice(FireLiteTool.releases.map(\.name)),
        "the FHIR release, or its layouts (default: the database's, or R4)")

    let path: String
    let release: FHIRRelease
    /// The place of a database that the command may make.
    private let output: OutputPath?
    private let keyPath: String?
    /// The keyring that a command's `--keyring` names.
    let keyring: KeyringFile?
    private let note: (String) -> Void
    private let cores: Int

    /// - Parameters:
    ///   - path: the path if `--database` is not given.
    ///   - place: the path, for one of several databases.
    ///   - makesDefault: whether the command may make the database at that path.
    ///   - fixed: the only release of a command, whatever the file holds.
    init(
        _ arguments: ParsedArguments, path: String? = nil, at place: String? = nil, makesDefault: Bool = false,
        release fixed: FHIRRelease? = nil
    ) throws {
        self.path = place ?? arguments["database"] ?? path ?? ""
        if self.path.isEmpty { throw ToolError.usage("--database needs the name of a file") }
        output = try arguments.output("--database") ?? (makesDefault ? OutputPath.standardDatabase(self.path) : nil)
        keyPath = arguments["key-file"]
        note = arguments.note
        cores = arguments.cores
        keyring = arguments["keyring"].map { KeyringFile(path: $0) }
        if let fixed {
            release = fixed
        } else if let name = arguments["release"] {
            release = try Self.release(named: name)
        } else {
            release = try Self.release(ofFileAt: self.path, keyPath: keyPath)
        }
    }

    /// The release with a name, or of a file of layouts.
    private static func release(named name: String) throws -> FHIRRelease {
        if let known = BundledRelease.named(name) { return known.release }
        guard name.contains("/") || name.contains(".") else {
            throw ToolError.usage("unknown FHIR release '\(name)': this build has \(knownNames), or name a file of layouts")
        }
        do {
            return try FHIRRelease(layouts: FileContents.text(of: name))
        } catch let error as FHIRReleaseError {
            throw ToolError.usage("\(name), \(error)")
        } catch {
            throw ToolError.usage("\(name) cannot be read as text: --release takes \(knownNames) or a file of layouts")
        }
    }

    /// The release of an existing database, and R4 for a new one.
    ///
    /// A file that cannot be read gets its error when it is opened.
    private static func release(ofFileAt path: String, keyPath: String?) throws -> FHIRRelease {
        let name: String
        do {
            name =
                path == "-"
                ? defaultRelease
                : try FHIRStore.releaseName(ofFileAt: URL(fileURLWithPath: path), key: keyPath.map { try KeyFile.key(path: $0) })
        } catch is FHIRStoreError {
            name = defaultRelease
        }
        if name.isEmpty {
            throw ToolError.failed(
                "\(path) has lost its settings, and with them the FHIR release that it holds: name it with --release, as R4, and use "
                    + "`firelite recover`, or restore a backup")
        }
        guard let known = BundledRelease.named(name) else {
            throw ToolError.usage("\(path) holds FHIR \(name), which this build does not know: name a file of its layouts with --release")
        }
        return known.release
    }

    private static let defaultRelease = "R4"
    private static var knownNames: String { FireLiteTool.releases.map(\.name).joined(separator: ", ") }

    /// The key of the database; nil if no key file is given.
    ///
    /// - Throws: `ToolError` with status 3.
    func key() throws -> Secret? { try keyPath.map { try KeyFile.key(path: $0) } }

    /// The file for what an import into the database rejects.
    func rejects() throws -> OutputPath {
        guard let output else { throw ToolError.usage("--rejects FILE is missing") }
        return try output.sibling("-rejects.ndjson", as: .lines(.rejects))
    }

    /// Opens the database for writing; creates the file if it does not exist. The definition must declare `--database` as an output.
    ///
    /// - Parameter checksPages: false creates a file without page checksums.
    /// - Throws: `ToolError` with status 2 if `checksPages` is false and the file has content: its pages stay as they are.
    func create(checksPages: Bool = true) throws -> FHIRStore {
        if !checksPages {
            var status = stat()
            guard stat(path, &status) != 0 || status.st_size == 0 else {
                throw OutputPath.exists(path, or: "leave out --no-page-checksums")
            }
        }
        return try located { try store(.readWrite, mustExist: output == nil, checksPages: checksPages) }
    }

    /// Opens an existing database for writing.
    func open() throws -> FHIRStore { try located { try store(.readWrite) } }

    /// Opens an existing database read-only, whether it is writable or not.
    func openForReading() throws -> FHIRStore { try located { try openForReadingUnlocated() } }

    /// Opens an existing database read-only and never upgrades it; throws the store's errors unchanged.
    func openUnchangedUnlocated() throws -> FHIRStore { try store(.readOnly) }

    /// Opens an existing database read-only; throws the store's errors unchanged.
    func openForReadingUnlocated() throws -> FHIRStore {
        do {
            return try store(.readOnly)
        } catch let olderFormat as FHIRStoreError where olderFormat.code == .olderFormat {
            // An older format is upgraded if the file can be written; otherwise the first error says what to do.
            do {
                return try store(.readWrite, isWriting: false)
            } catch let error as FHIRStoreError where error.code == .readOnly {
                throw olderFormat
            }
        }
    }

    /// - Parameter isWriting: whether the command writes; by default, if it opens the database so that it can.
    private func store(
        _ access: FHIRStore.Configuration.Access, mustExist: Bool = true, checksPages: Bool = true, isWriting: Bool? = nil
    ) throws -> FHIRStore {
        PendingFolder.sweep(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        var configuration = FHIRStore.Configuration()
        configuration.access = access
        configuration.mustExist = mustExist
        configuration.checksPages = checksPages
        configuration.key = try key()
        configuration.maximumCores = cores
        configuration.maximumReaders = max(configuration.maximumReaders, cores)
        let store = try FHIRStore(path: path, release: release, configuration: configuration)
        if let keyring { store.records.encryption = try .perRecord(keyring.read()) }
        try takeUp(store, isWriting: isWriting ?? (access == .readWrite))
        return store
    }

    /// Has the modules take part that the file uses, each on its own: where its tables cannot be read, it does so, too, as it then refuses what it
    /// cannot do.
    ///
    /// - Throws: `ToolError` with status 3 for a write if a module that follows writes cannot be read. A read has a note instead.
    private func takeUp(_ store: FHIRStore, isWriting: Bool) throws {
        func part(_ name: String, refusesWrites: Bool, otherwise takePart: () -> Void = {}, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as FHIRStoreError where error.code == .olderFormat {
                // The first write to such tables upgrades them. Until then they are not compared.
                if !isWriting { note("\(name) are not compared: \(message(of: error))") }
            } catch {
                let text = (error as? FHIRStoreError).map { message(of: $0) } ?? "\(path): \(ToolWords.text(of: error))"
                if isWriting, refusesWrites { throw ToolError.failed("nothing is written, as \(name) cannot be read: \(text)") }
                note("\(name) cannot be read: \(text)")
                takePart()
            }
        }
        try part("the payloads that are kept apart", refusesWrites: true) { try store.attachments.resume() }
        try part("the identities", refusesWrites: true, otherwise: store.keepPermissions) {
            // Also if all identities are lost, which `check` then says.
            _ = try store.read { try $0.identities() }
            store.keepPermissions()
        }
        try part("the samples", refusesWrites: true, otherwise: store.followSamples) { if try store.hasSamples { store.followSamples() } }
        // These take part in checks alone.
        try part("the journals of synchronizations", refusesWrites: false, otherwise: store.checkJournals) {
            if try store.hasJournals { store.checkJournals() }
        }
        try part("the packages", refusesWrites: false, otherwise: store.checkPackages) {
            if try store.hasPackages { store.checkPackages() }
        }
        try part("the audit trail", refusesWrites: false, otherwise: store.checkTrail) { if try store.hasTrail { store.checkTrail() } }
        if isWriting { noteTrail(store) }
    }

    /// Has the first write say that it has no row in the file's audit trail, which only its signer can continue.
    private func noteTrail(_ store: FHIRStore) {
        // A trail that cannot be read is one.
        do { if try store.read({ try $0.lastAuditHead() }) == nil { return } } catch {}
        let text = "\(path) has an audit trail, in which what this command changes has no row"
        _ = store.participant(TrailNote.self) { TrailNote { note(text) } }
    }

    /// Runs `body`, and makes the store's errors name the file.
    ///
    /// - Parameter target: the file that `body` writes besides the database; nil for none.
    func located<Value>(writing target: String? = nil, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FHIRStoreError {
            throw ToolError.failed(message(of: error, writing: target))
        }
    }

    /// The store's error with the name of the file, which most errors contain already.
    func message(of error: FHIRStoreError, writing target: String? = nil) -> String {
        var text = ToolWords.text(of: error)
        for path in [path, target ?? path] { text = ToolWords.text(text, naming: path) }
        return text.contains(path) || target.map(text.contains) == true ? text : "\(path): \(text)"
    }

    /// The layout of a resource type.
    ///
    /// - Throws: `ToolError` with status 2 if the release has no such type.
    func resourceLayout(named name: String) throws -> Layout {
        guard let layout = release.resourceLayout(named: name) else {
            let hint = NearWords.hint(for: name, among: release.resourceTypeNames)
            throw ToolError.usage("'\(name)' is not a resource type of FHIR \(release.name)\(hint)")
        }
        return layout
    }
}

/// Gives a note when the first write begins: a command that changes nothing has none.
private final class TrailNote: WriteParticipant, @unchecked Sendable {
    // `lock` guards the note.
    private let lock = NSLock()
    private var give: (() -> Void)?

    init(_ give: @escaping () -> Void) { self.give = give }

    var writtenTypes: Set<String>? { [] }

    func willBegin(_ transaction: WriteTransaction) {
        lock.withLock {
            give?()
            give = nil
        }
    }

    func willCommit(_ transaction: WriteTransaction, _ resources: [WrittenResource]) {}
}
