import FireLiteLegacy
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// Signatures against other implementations, where they are installed.
@Suite struct InteroperabilityTests {
    /// Runs a program; nil if it cannot be started.
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String)? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func isInstalled(_ module: String) throws -> Bool {
        let isThere = try run(["python3", "-c", "import \(module)"])?.status == 0
        if !isThere { print("skipped: python3 has no \(module)") }
        return isThere
    }

    @Test func otherLibrariesAcceptAssertions() throws {
        guard try isInstalled("joserfc") else { return }
        let key = try PrivateKey()
        let token = try SigningIdentity(id: "app", key: key).clientAssertion(for: "https://example.org/token")
        let code = """
            import sys, json
            from joserfc import jwt
            from joserfc.jwk import ECKey
            key = ECKey.import_key(json.loads(sys.argv[1]))
            token = jwt.decode(sys.argv[2], key, algorithms=["ES256"])
            print(token.header["kid"], token.claims["iss"], token.claims["sub"], token.claims["aud"])
            """
        let result = try run(["python3", "-c", code, String(decoding: try key.publicKey.jwk, as: UTF8.self), token.value])
        #expect(result?.output == "\(key.publicKey.id) app app https://example.org/token\n")
    }

    // MARK: - A server's token endpoint

    /// Where `Scripts/servers.sh` keeps its servers.
    private static let servers = PackageFolder.url.appendingPathComponent(".build/servers").path

    /// The address of sekmet with SMART's backend services; nil if it does not run.
    private static let smart: String? = {
        guard let data = FileManager.default.contents(atPath: servers + "/running.json") else { return nil }
        return (try? JSONDecoder().decode([String: String].self, from: data))?["smart"]
    }()

    @Test(
        .enabled(if: InteroperabilityTests.smart != nil, "the server does not run: Scripts/servers.sh run swift test"),
        arguments: [SignatureAlgorithm.es256, .es384])
    func aServerGivesTokensForAssertions(_ algorithm: SignatureAlgorithm) throws {
        let base = try #require(Self.smart)
        func get(_ arguments: [String]) throws -> [String: String] {
            let output = try run(["curl", "-s", "--max-time", "20"] + arguments)?.output ?? ""
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
            return object.compactMapValues { $0 as? String }
        }
        let endpoint = try #require(try get(["\(base)/.well-known/smart-configuration"])["token_endpoint"])
        let pem = try String(contentsOfFile: "\(Self.servers)/keys/\(algorithm.rawValue).pem", encoding: .utf8)
        func answer(_ key: PrivateKey, audience: String) throws -> [String: String] {
            let signer = SigningIdentity(id: algorithm.rawValue, key: key)
            let assertion = try signer.clientAssertion(for: audience)
            return try get([
                endpoint, "-d", "grant_type=client_credentials", "-d", "scope=system/*.cruds", "-d", "client_assertion=\(assertion.value)",
                "-d",
                "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
        }
        let key = try PrivateKey(pem: Secret(pem))
        #expect(try answer(key, audience: endpoint)["access_token"]?.isEmpty == false)
        #expect(try answer(PrivateKey(algorithm.keyKind), audience: endpoint)["access_token"] == nil)
        #expect(try answer(key, audience: "https://example.org/token")["access_token"] == nil)
    }

    // MARK: - Other libraries

    @Test(arguments: [SignatureAlgorithm.es256, .es384]) func signaturesAreVerifiedBothWays(_ algorithm: SignatureAlgorithm) throws {
        guard try isInstalled("jwcrypto") else { return }
        let key = try PrivateKey(algorithm.keyKind)
        let text = try JWS(signing: Data("payload".utf8), with: key).text()
        let code = """
            import sys
            from jwcrypto import jwk, jws
            key = jwk.JWK.from_json(sys.argv[1])
            token = jws.JWS()
            token.deserialize(sys.argv[2], key)
            own = jwk.JWK.from_pem(sys.argv[3].encode())
            made = jws.JWS(token.payload)
            made.add_signature(own, None, '{"alg": "%s"}' % sys.argv[4], None)
            print(own.thumbprint())
            print(made.serialize(compact=True))
            print(made.serialize())
            """
        let result = try run([
            "python3", "-c", code, String(decoding: try key.publicKey.jwk, as: UTF8.self), text, key.pem().value, algorithm.rawValue,
        ])
        let lines = (result?.output ?? "").split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        #expect(lines[0] == key.publicKey.id)
        for line in lines.dropFirst() {
            let read = try JWS(line)
            try read.verify(with: key.publicKey)
            #expect(read.payload == Data("payload".utf8))
        }
    }

    @Test func opensslAcceptsOldSignatures() throws {
        guard try run(["openssl", "version"])?.status == 0 else { return print("skipped: no openssl") }
        let folder = try TemporaryFolder()
        let key = try PrivateKey()
        let payload = try LegacyPayload.permissionsGivenToMe(date: "2020-01-01", nonce: "7")
        let signature = try #require(Data(base64Encoded: try payload.signature(with: key)))
        try Data(key.publicKey.pem.utf8).write(to: URL(fileURLWithPath: folder.file("key.pem")))
        try signature.write(to: URL(fileURLWithPath: folder.file("signature")))
        try Data(payload.text.utf8).write(to: URL(fileURLWithPath: folder.file("payload")))
        let result = try run([
            "openssl", "dgst", "-sha256", "-verify", folder.file("key.pem"), "-signature", folder.file("signature"), folder.file("payload"),
        ])
        #expect(result?.status == 0)
    }
}
