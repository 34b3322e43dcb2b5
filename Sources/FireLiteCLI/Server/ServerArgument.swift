import FireLite
import FireLiteSync
import Foundation

/// The server that `--server` and `--credentials` name.
struct ServerArgument {
    static let options = [server(isRequired: true), CredentialsFile.option, plainHTTP] + times
    static func server(isRequired: Bool) -> OptionDefinition {
        .option("server", "URL", isRequired: isRequired, "the base address of the FHIR server, such as https://example.org/fhir")
    }
    static let plainHTTP = OptionDefinition.flag(
        "plain-http", "talk to the server without HTTPS, although everybody on the way can read it")

    /// The options that name a server for one action of a command.
    static func sending(with action: String) -> [OptionDefinition] {
        [server(isRequired: false), CredentialsFile.option, plainHTTP].map { $0.only(with: [action]) }
    }

    /// How long the tool waits for a server.
    static let times = [
        OptionDefinition.option(
            "timeout", "SECONDS", "the longest time without progress of a request to the server (default: 60)"),
        OptionDefinition.option(
            "deadline", "SECONDS", "the longest time for a request with its repetitions (default: 600)"),
    ]

    let base: URL
    private let timeout: Duration?
    private let deadline: Duration?
    private let credentialsPath: String?
    private let allowsPlainHTTP: Bool

    /// - Throws: `ToolError` with status 2 if `--server` is not an address.
    init(_ arguments: ParsedArguments) throws {
        let text = arguments["server"] ?? ""
        guard let url = URL(string: text), url.host != nil, url.scheme == "https" || url.scheme == "http" else {
            throw ToolError.usage("--server is '\(text)', not an address such as https://example.org/fhir")
        }
        base = url
        credentialsPath = arguments["credentials"]
        allowsPlainHTTP = arguments.has("plain-http")
        timeout = try arguments.number("timeout", in: 1...86_400).map { .seconds($0) }
        deadline = try arguments.number("deadline", in: 1...86_400).map { .seconds($0) }
    }

    /// The settings of the tool's clients.
    var configuration: FHIRClient.Configuration {
        var configuration = FHIRClient.Configuration()
        configuration.fields = ["User-Agent": "firelite"]
        if let timeout { configuration.timeout = timeout }
        if let deadline { configuration.deadline = deadline }
        if allowsPlainHTTP, let host = base.host { configuration.plainHTTPHosts = [host] }
        return configuration
    }

    /// A client with the access that the credentials give.
    ///
    /// - Parameters:
    ///   - release: the release of its resources.
    ///   - readsLeniently: whether answers are read as far as possible.
    /// - Throws: `ToolError` with status 3 for a credentials file that cannot be used, 2 for an address that is not HTTPS.
    func client(_ release: FHIRRelease, readsLeniently: Bool = false) throws -> FHIRClient {
        let authorization: any Authorization =
            try credentialsPath.map { try CredentialsFile(path: $0).authorization() } ?? NoAuthorization()
        return try client(release, authorization, readsLeniently)
    }

    /// Runs the body, and says what to do if the server wants credentials that were not given. A server that lists nothing to search for is a result
    /// and no failure.
    func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as FHIRClientError where error.code == .unauthorized && credentialsPath == nil {
            throw ToolError.failed("\(ToolWords.text(of: error)): give --credentials FILE, which `firelite register` writes")
        } catch let error as SyncError where error.code == .notSearchable {
            throw ToolError.incomplete(error)
        }
    }

    /// A client without authorization, for registering.
    ///
    /// - Parameter release: the release of its resources.
    /// - Throws: `ToolError` with status 2 for an address that is not HTTPS.
    func anonymousClient(_ release: FHIRRelease) throws -> FHIRClient { try client(release, NoAuthorization(), false) }

    private func client(_ release: FHIRRelease, _ authorization: any Authorization, _ readsLeniently: Bool) throws -> FHIRClient {
        var configuration = configuration
        configuration.readsLeniently = readsLeniently
        do {
            return try FHIRClient(base: base, release: release, authorization: authorization, configuration: configuration)
        } catch let error as FHIRClientError {
            throw ToolError.usage("--server: \(ToolWords.text(of: error))")
        }
    }
}
