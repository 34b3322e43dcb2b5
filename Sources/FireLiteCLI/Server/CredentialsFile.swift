import FireLiteSync
import Foundation

/// The file with what gives access to a server, named by `--credentials`: so no secret is among the arguments, which others on the machine
/// can list, nor in a shell's history.
///
/// It is a JSON object with the members of a registration (RFC 7591), as `firelite register` writes it.
struct CredentialsFile {
    static let option = OptionDefinition.option(
        "credentials", "FILE", kind: .file, "the file with what gives access to the server (default: none)")

    /// What help texts say about the contents.
    static let discussion = """
        A credentials file is a JSON object that only its owner can use (chmod 600 FILE): with the member token (a bearer
        token); or with client_id, client_secret or private_key (PEM or a JSON Web Key) with key_id, and if the server needs
        them scope, token_endpoint and token_endpoint_auth_method. `firelite register` writes one.
        """

    /// A larger file does not hold credentials.
    private static let maximumSize = 1 << 20

    private(set) var members: [String: JSONValue] = [:]
    let path: String

    /// - Throws: `ToolError` with status 3 if the file cannot be read, can be used by others, or is no JSON object.
    init(path: String) throws {
        self.path = path
        let data = try Self.content(path: path)
        do {
            members = try JSONDecoder().decode([String: JSONValue].self, from: data)
        } catch { throw ToolError.failed("credentials file \(path) is not a JSON object: `firelite register --help` says what is in it") }
        if let token = members["token"]?.text, !Secret(token).isToken {
            throw ToolError.failed(
                "credentials file \(path): the token has a line break, a space or another mark that no token has: remove it from the file")
        }
    }

    /// The text of a file with one secret, without the line break at its end.
    ///
    /// - Throws: `ToolError` with status 3 if the file cannot be read, or can be used by others.
    static func secret(path: String) throws -> Secret {
        Secret(String(decoding: try content(path: path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// The content of a file that only its owner can use.
    private static func content(path: String) throws -> Data {
        let file = try FileContents.located("credentials file \(path)") { () throws(WholeFile.Failure) in try WholeFile(path) }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw ToolError.system("credentials file \(path)") }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw ToolError.failed("credentials file \(path) can be used by others than its owner (mode \(mode)): chmod 600 \(path)")
        }
        return try FileContents.bytes(of: file, named: "credentials file \(path)", limit: maximumSize)
    }

    /// Credentials that are not in a file yet.
    init(path: String, members: [String: JSONValue]) {
        self.path = path
        self.members = members
    }

    /// Writes a new file that only its owner can use.
    ///
    /// - Throws: `FHIRStoreError`; `ToolError` with status 2 if there is such a file.
    func write(to output: OutputPath) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try output.write(encoder.encode(members) + Data("\n".utf8), replaces: false)
    }

    // MARK: - Access

    /// The authorization that the file describes.
    ///
    /// - Throws: `ToolError` with status 3 if members are missing or cannot be used.
    func authorization() throws -> any Authorization {
        if let token = members["token"]?.text {
            let secret = Secret(token)
            return BearerAuthorization { isRejected in isRejected ? nil : secret }
        }
        guard let id = members["client_id"]?.text else {
            throw ToolError.failed("credentials file \(path) has neither token nor client_id")
        }
        let endpoint = try members["token_endpoint"].map { member in
            guard let url = member.text.flatMap({ URL(string: $0) }) else {
                throw ToolError.failed("credentials file \(path): token_endpoint is not an address")
            }
            return url
        }
        return ClientCredentialsAuthorization(
            OAuthClient(id: id, authentication: try authentication()), scope: members["scope"]?.text, tokenEndpoint: endpoint)
    }

    private func authentication() throws -> OAuthClient.Authentication {
        if let key = try signingKey() { return .key(key) }
        guard let secret = members["client_secret"]?.text.map({ Secret($0) }) else { return .none }
        return members["token_endpoint_auth_method"]?.text == "client_secret_post" ? .secretInBody(secret) : .secret(secret)
    }

    private func signingKey() throws -> PrivateKey? {
        guard let member = members["private_key"] else { return nil }
        let id = members["key_id"]?.text
        do {
            let algorithm = try members["token_endpoint_auth_signing_alg"].map { member in
                guard let known = member.text.flatMap({ SignatureAlgorithm(rawValue: $0) }) else {
                    throw ToolError.failed("credentials file \(path): token_endpoint_auth_signing_alg is not ES256, ES384, RS256 or RS384")
                }
                return known
            }
            guard let pem = member.text else {
                guard case .object(let members) = member, id != nil || members["kid"] != nil else {
                    throw ToolError.failed(
                        "credentials file \(path): private_key has no kid: add it, or key_id, the key's id at the server")
                }
                return try PrivateKey(jwk: Secret(JSONEncoder().encode(member)), id: id, algorithm: algorithm)
            }
            guard let id else { throw ToolError.failed("credentials file \(path): private_key needs key_id, the key's id at the server") }
            return try PrivateKey(pem: Secret(pem), id: id, algorithm: algorithm)
        } catch let error as CryptoError { throw ToolError.failed("credentials file \(path): \(error.message)") }
    }
}
