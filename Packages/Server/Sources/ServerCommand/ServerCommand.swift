import ArgumentParser
import FireLiteBrowser
import FireLiteKnowledge
import FireLiteRecords
import FireLiteReleases
import FireLiteSamples
import FireLiteServer
import FireLiteService
import FireLiteSync
import FireLiteTrust
import Foundation
import Logging

@main
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firelite-server",
        abstract: "Serves the resources of a FireLite store over HTTP, as a FHIR server.",
        discussion: """
            Without options about access it listens at the loopback interface, and prints a fresh token that requests must have:
            Authorization: Bearer TOKEN. The store can be used by an app and by the tool at the same time.
            """, version: FireLiteBuild.version)

    @Option(help: "The file of the store. A new file is created with --release.")
    var database: String

    @Option(help: "The file with the key of an encrypted store: all its bytes. Only its owner may be able to read it.")
    var keyFile: String?

    @Flag(
        help:
            "Ask for the key of an encrypted store in a page, which opens the pages. The FHIR interface, which needs the key at once, is not served."
    )
    var askKey = false

    @Option(help: "The FHIR release of a new file: DSTU2, STU3, R4, R4B or R5.")
    var release: String?

    @Option(help: "The address to listen at.")
    var address = "127.0.0.1"

    @Option(help: "The port to listen at; 0 for any free one.")
    var port = 8080

    @Flag(help: "Refuse everything that would change the store.")
    var readOnly = false

    @Flag(help: "Keep every version of resources from now on, for _history and vread. The file keeps the setting.")
    var history = false

    @Option(help: "The address under which clients reach the server. Default: http://ADDRESS:PORT/fhir.")
    var base: String?

    @Option(help: "A file with a token on each line, all of which permit everything. Only its owner may be able to read it.")
    var tokenFile: String?

    @Option(help: "A file with the keys of an authorization server (a JSON Web Key Set), whose signed tokens are accepted; with --issuer.")
    var jwks: String?

    @Option(help: "The authorization server, as the claim iss of its tokens names it.")
    var issuer: String?

    @Flag(help: "Let everybody on this machine do everything. Not for other addresses than the loopback interface.")
    var noAuthorization = false

    @Option(help: "A file with a certificate chain in PEM, for HTTPS and HTTP/2; with --key.")
    var certificate: String?

    @Option(help: "The file with the private key of the certificate, in PEM.")
    var key: String?

    @Option(help: "The longest body of a request, in bytes.")
    var maxBody = 128 << 20

    @Option(help: "The longest time for the work of a request, in seconds; then it is undone and refused.")
    var maxTime = 120

    @Option(
        name: .customLong("index"),
        help: "Make the index that a search parameter needs, such as Observation.code, unless the store has it. Can be repeated.")
    var indexes: [String] = []

    @Option(help: "An origin whose pages may use the server from a browser, https://example.org. Can be repeated.")
    var cors: [String] = []

    @Option(help: "An origin from which $import fetches files. Can be repeated.")
    var importFrom: [String] = []

    @Option(help: "An origin to whose addresses notifications of subscriptions are sent. Can be repeated.")
    var notify: [String] = []

    @Option(
        name: .customLong("topic"),
        help: "A file with a SubscriptionTopic in JSON, to which clients can subscribe; subscriptions need --history. Can be repeated.")
    var topics: [String] = []

    @Option(help: "The folder for the files of $export, which the first export makes. Default: DATABASE.server beside the store.")
    var work: String?

    @Flag(help: "Serve no pages: by default a link that works once, which the server prints, opens what the store holds in a browser.")
    var noPages = false

    @Flag(help: "Let the pages change resources.")
    var editing = false

    @Option(
        name: .customLong("package"),
        help: "A FHIR package (.tgz, or a folder), for $validate, terminology and metadata, beside those in the database. Can be repeated.")
    var packages: [String] = []

    @Option(help: "A file of packages, as `firelite package` makes it.")
    var knowledge: String?

    @Flag(help: "Store only content in which $validate finds no error by the profiles of the packages, and that could be checked by them.")
    var conforming = false

    @Option(
        help: ArgumentHelp(
            "With --conforming: what happens to content about which something cannot be decided, such as an unknown profile: refused, accepted, "
                + "or codes-accepted, which refuses it unless only codes cannot be looked up. Default: codes-accepted."))
    var undecided: String?

    private static let undecidedChoices: [String: StoreValidation.Undecided] = [
        "refused": .refused, "codes-accepted": .codesAccepted, "accepted": .accepted,
    ]

    @Option(help: "A capability statement that the server implements, by its canonical address, for metadata. Can be repeated.")
    var instantiates: [String] = []

    @Option(help: "The number of resources that a conditional deletion may delete.")
    var conditionalDeletions = 1

    @Option(
        help: "The private key (.pem) that signs the audit trail of the file, with --signer: requests are recorded there from now on.")
    var signingKey: String?

    @Option(help: "The identity, such as Device/7, whose key --signing-key is.")
    var signer: String?

    @Flag(help: "Change a file that has an audit trail, and record nothing there.")
    var unaudited = false

    @Flag(help: "Log each request, without its address.")
    var verbose = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is between 0 and 65535.") }
        guard conditionalDeletions > 0 else { throw ValidationError("--conditional-deletions is a number, 1 or more.") }
        if let undecided {
            guard conforming else { throw ValidationError("--undecided goes with --conforming.") }
            guard Self.undecidedChoices[undecided] != nil else {
                throw ValidationError("--undecided is refused, codes-accepted or accepted.")
            }
        }
        guard maxBody > 0 else { throw ValidationError("--max-body is a number of bytes, 1 or more.") }
        guard maxTime > 0 else { throw ValidationError("--max-time is a number of seconds, 1 or more.") }
        guard indexes.isEmpty || !readOnly else { throw ValidationError("--index is for a store that can be written.") }
        guard !(editing && (readOnly || noPages)) else { throw ValidationError("--editing is for pages of a store that can be written.") }
        guard !(askKey && (noPages || keyFile != nil)) else { throw ValidationError("--ask-key is for pages, without --key-file.") }
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key belong together.") }
        guard (signingKey == nil) == (signer == nil) else { throw ValidationError("--signing-key and --signer belong together.") }
        guard signingKey == nil || !(readOnly || unaudited) else {
            throw ValidationError("--signing-key is for a store that can be written, and without --unaudited.")
        }
        if let signingKey, !signingKey.hasSuffix(".pem") {
            throw ValidationError("--signing-key is the name of a file that ends in .pem.")
        }
        guard (jwks == nil) == (issuer == nil) else { throw ValidationError("--jwks and --issuer belong together.") }
        let ways = [tokenFile != nil, jwks != nil, noAuthorization].count { $0 }
        guard ways <= 1 else { throw ValidationError("Of --token-file, --jwks and --no-authorization at most one can be given.") }
        var settings = ServerSettings()
        settings.address = address
        guard settings.isLoopback || tokenFile != nil || jwks != nil else {
            throw ValidationError(
                "Other machines reach the address \(address), so it needs --token-file or --jwks: a file with the line of `openssl rand -hex 24` will do."
            )
        }
    }

    func run() async throws {
        var settings = ServerSettings()
        (settings.address, settings.port, settings.maximumBody) = (address, port, maxBody)
        settings.origins = Set(cors)
        if let certificate, let key { settings.certificate = (certificate, key) }
        let scheme = certificate == nil ? "http" : "https"
        let host = address.contains(":") ? "[\(address)]" : address
        if port == 0, base == nil { settings.port = try FreePort.find(address) }
        let base = base ?? "\(scheme)://\(host):\(settings.port)/fhir"
        if let name = URL(string: base)?.host { settings.hosts.insert(name) }
        if askKey { return try await askForKey(settings, "\(scheme)://\(host):\(settings.port)") }

        let store = try openStore()
        if history { try await store.track(.history) }
        if !indexes.isEmpty { try await store.createIndexes(forSearch: indexes) }
        var configuration = FHIRService.Configuration()
        configuration.base = base
        configuration.isReadOnly = readOnly
        configuration.limits.bodyBytes = maxBody
        configuration.limits.time = .seconds(maxTime)
        configuration.transport = StandardTransport.shared
        configuration.importOrigins = Set(importFrom)
        configuration.hookOrigins = Set(notify)
        configuration.topics = try topics.map { try ServiceTopic(json: Data(contentsOf: URL(fileURLWithPath: $0))) }
        configuration.workFolder = URL(fileURLWithPath: work ?? database + ".server")
        configuration.conditionalDeletions = conditionalDeletions
        configuration.instantiates = instantiates
        try know(&configuration, store)
        let (authorizer, token) = try self.authorizer()
        configuration.authorizer = authorizer
        let service = try FHIRService(store: store, configuration: configuration)
        let origin = "\(scheme)://\(host):\(settings.port)"
        let (browser, link) = try pages(store, authorizer, configuration, origin)
        let greeting =
            "FHIR \(store.release.name) at \(base)\n" + (token.map { "Token: \($0.value)\n" } ?? "") + (link.map { "Pages: \($0)\n" } ?? "")
        try await HTTPServer(service, settings: settings, browser: browser, logger: logger).run { _ in
            // At once, also into a pipe.
            FileHandle.standardOutput.write(Data(greeting.utf8))
        }
        await close(store)
    }

    /// Closes the store, so that SQLite removes the files beside it: the process may end before the store is released.
    private func close(_ store: FHIRStore) async {
        // What is still being read is closed by the end of the process.
        do { try await store.close() } catch {}
    }

    /// Serves only pages, the first of which asks for the key of the store.
    private func askForKey(_ settings: ServerSettings, _ origin: String) async throws {
        guard FileManager.default.fileExists(atPath: database) else { throw ValidationError("There is no file \(database).") }
        let (authorizer, token) = try self.authorizer()
        let (pages, path) = try pagesConfiguration(authorizer)
        var configuration = FHIRStore.Configuration()
        configuration.access = editing ? .readWrite : .readOnly
        let modules = FileModules(database: database, signingKey: signingKey, signer: signer, unaudited: unaudited)
        let door = StoreDoor(
            file: URL(fileURLWithPath: database), configuration: configuration, pages: pages, prepare: { try modules.takeUp($0) }
        ) { FHIRRelease.bundled($0) }
        let greeting = "Pages only\n" + (token.map { "Token: \($0.value)\n" } ?? "") + "Pages: \(origin)\(path)\n"
        try await HTTPServer(door, settings: settings, logger: logger).run { _ in
            FileHandle.standardOutput.write(Data(greeting.utf8))
        }
        if let store = door.store { await close(store) }
    }

    // MARK: - Parts

    private var logger: Logger {
        var logger = Logger(label: "firelite-server")
        logger.logLevel = verbose ? .debug : .notice
        return logger
    }

    /// The pages over the store, and the link that opens them.
    private func pages(
        _ store: FHIRStore, _ authorizer: (any ServiceAuthorizer)?, _ service: FHIRService.Configuration, _ origin: String
    ) throws -> (StoreBrowser?, link: String?) {
        if noPages { return (nil, nil) }
        let (pages, path) = try pagesConfiguration(authorizer)
        var configuration = pages
        configuration.base = service.base
        // Without packages it finds what the pages find by themselves.
        if try !packages.isEmpty || knowledge != nil || !store.packages().isEmpty { configuration.validator = service.validator }
        // Beside an encrypted store nothing of it is written in the clear.
        if keyFile == nil { configuration.searchesFile = URL(fileURLWithPath: database + ".searches.json") }
        return (StoreBrowser(store: store, configuration: configuration), origin + path)
    }

    /// How pages answer, and the path that opens them.
    private func pagesConfiguration(_ authorizer: (any ServiceAuthorizer)?) throws -> (StoreBrowser.Configuration, path: String) {
        var configuration = StoreBrowser.Configuration()
        configuration.allowsEditing = editing
        guard let authorizer else { return (configuration, "/browse") }
        let sessions = BrowserSessions(authorizer: authorizer, isSecure: certificate != nil)
        configuration.sessions = sessions
        return (configuration, try sessions.makeLink())
    }

    /// What packages define, also those in the store's file: profiles, and the terminology.
    private func know(_ configuration: inout FHIRService.Configuration, _ store: FHIRStore) throws {
        let known = Knowledge(release: store.release)
        try known.addPackages(of: store, copiesTexts: true)
        if let knowledge { try known.addKnowledge(at: URL(fileURLWithPath: knowledge)) }
        for path in packages { try known.addPackage(at: URL(fileURLWithPath: path)) }
        for skipped in known.skippedFiles { logger.notice("left out: \(skipped)") }
        configuration.validator = ProfileValidator(
            knowledge: known, undecided: undecided.flatMap { Self.undecidedChoices[$0] } ?? .codesAccepted)
        configuration.storesOnlyConforming = conforming
        configuration.supportedProfiles = try known.profilesByType
        configuration.implementationGuides = known.packages.compactMap { manifest in
            manifest.canonical.map { "\($0)/ImplementationGuide/\(manifest.name)|\(manifest.version)" }
        }
        TerminologyOperations(store: store, knowledge: known).add(to: &configuration)
    }

    private func openStore() throws -> FHIRStore {
        let exists = FileManager.default.fileExists(atPath: database)
        guard exists || release != nil else {
            throw ValidationError("There is no file \(database): name the release of a new one with --release.")
        }
        let key = try storeKey()
        let name = try exists ? FHIRStore.releaseName(ofFileAt: URL(fileURLWithPath: database), key: key) : release ?? ""
        guard let known = FHIRRelease.bundled(name) else {
            throw ValidationError("'\(name)' is none of the releases \(FHIRRelease.bundledNames.joined(separator: ", ")).")
        }
        if let release, release.lowercased() != name.lowercased() { throw ValidationError("The store has FHIR \(name), not \(release).") }
        var configuration = FHIRStore.Configuration()
        configuration.mustExist = exists
        configuration.key = key
        if readOnly { configuration.access = .readOnly }
        let store = try FHIRStore(path: database, release: known, configuration: configuration)
        try FileModules(database: database, signingKey: signingKey, signer: signer, unaudited: unaudited).takeUp(store)
        return store
    }

    private func storeKey() throws -> Secret? {
        guard let keyFile else { return nil }
        let mode = try FileManager.default.attributesOfItem(atPath: keyFile)[.posixPermissions] as? NSNumber
        guard let mode, mode.intValue & 0o077 == 0 else {
            throw ValidationError("Others can read the file of the key: chmod 600 \(keyFile)")
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: keyFile))
        guard (1...4_096).contains(bytes.count) else { throw ValidationError("The file of the key has between 1 and 4096 bytes.") }
        return Secret(bytes)
    }

    private func authorizer() throws -> ((any ServiceAuthorizer)?, token: Secret?) {
        if noAuthorization { return (nil, nil) }
        if let jwks, let issuer {
            return (try SignedTokens(jwks: try Data(contentsOf: URL(fileURLWithPath: jwks)), issuer: issuer), nil)
        }
        if let tokenFile {
            let mode = try FileManager.default.attributesOfItem(atPath: tokenFile)[.posixPermissions] as? NSNumber
            guard let mode, mode.intValue & 0o077 == 0 else {
                throw ValidationError("Others can read the file of tokens: chmod 600 \(tokenFile)")
            }
            let lines = try String(contentsOfFile: tokenFile, encoding: .utf8).split(whereSeparator: \.isNewline)
            guard !lines.isEmpty else {
                throw ValidationError("The file of tokens is empty: write the line of `openssl rand -hex 24` to it.")
            }
            let accesses = lines.enumerated().map { (Secret(String($1)), ServiceAccess(subject: "token \($0 + 1)")) }
            return (try BearerTokens(Dictionary(accesses) { first, _ in first }), nil)
        }
        let token = try BearerTokens.makeToken()
        return (try BearerTokens([token: ServiceAccess(subject: "owner")]), token)
    }
}
