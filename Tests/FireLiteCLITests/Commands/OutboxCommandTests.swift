import FireLite
import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// `outbox`, `token` and the credentials file.
struct OutboxCommandTests {
    private let database: ToolDatabase
    private static let server = "https://fhir.example.org/r4"

    init() throws {
        database = try ToolDatabase(#"{"resourceType":"Patient","id":"a"}"#)
        let store = try FHIRStore(path: database.path, release: .r4)
        guard let server = URL(string: Self.server), let other = URL(string: "http://127.0.0.1:9/fhir") else { throw CancellationError() }
        try store.write { tx in
            try tx.enqueue(.create(Patient { $0.name = [HumanName { $0.family = "Smith" }] }), for: server)
            try tx.enqueue(.delete("Patient", id: "b"), for: other)
        }
        try store.close()
    }

    private func tool(_ arguments: String...) throws -> ToolRun {
        try ToolRun.process(["outbox", "--database", database.path] + arguments)
    }

    private func entries(_ run: ToolRun) throws -> [[String: Any]] {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.error)")
        return try #require(object["entries"] as? [[String: Any]])
    }

    @Test func whatWaitsIsListed() throws {
        let listed = try entries(tool("list", "--json"))
        #expect(listed.compactMap { $0["number"] as? Int } == [1, 2])
        #expect(listed.compactMap { $0["server"] as? String } == [Self.server, "http://127.0.0.1:9/fhir"])
        #expect(listed.compactMap { $0["method"] as? String } == ["POST", "DELETE"])
        #expect(try entries(tool("list", "--server", Self.server, "--json")).count == 1)
        let text = try tool("list")
        #expect(text.output.contains("POST Patient") && !text.output.contains("Smith"))
        let info = try database.run("info", [])
        #expect(info.output.contains("_outbox_server") && !info.output.contains("(table _outbox"))
    }

    @Test func entriesAreDiscardedByNumber() throws {
        #expect(try entries(tool("discard", "1", "--json")).count == 1)
        #expect(try tool("retry", "1").status == .incomplete)
        #expect(try tool("discard", "2").output == "nothing waits\n")
        for wrong in [["drop", "1"], ["discard"], ["discard", "x"], ["list", "1"], ["send"]] {
            #expect(try database.run("outbox", wrong).status == .usage, "\(wrong)")
        }
    }

    @Test func aServerThatIsNotThereIsAFailure() throws {
        let run = try tool("send", "--server", "http://127.0.0.1:9/fhir")
        #expect(run.status == .failed && run.error.hasPrefix("firelite outbox: DELETE Patient"))
        let entry = try #require(try entries(tool("list", "--json")).last)
        #expect(entry["attempts"] as? Int == 1 && entry["state"] as? String == "waiting")
        #expect(try tool("send", "--server", "http://example.org/fhir").status == .usage)
    }

    // MARK: - Credentials

    private func credentials(_ text: String, mode: Int = 0o600) throws -> String {
        let path = try database.folder.write("credentials-\(UUID().uuidString.prefix(4)).json", text)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func aTokenIsPrintedOnlyWhereItIsAskedFor() throws {
        let path = try credentials(#"{"token":"the-secret"}"#)
        let run = try ToolRun.process(["token", "--server", Self.server, "--credentials", path])
        #expect(run.status == .done && run.output == "the-secret\n" && run.error.isEmpty)
        let sent = try tool("send", "--server", "http://127.0.0.1:9/fhir", "--credentials", path)
        #expect(!sent.output.contains("the-secret") && !sent.error.contains("the-secret"))
    }

    @Test func credentialsThatOthersCanReadAreRefused() throws {
        let open = try credentials(#"{"token":"the-secret"}"#, mode: 0o644)
        for path in [open, try credentials("[]"), try credentials(#"{"scope":"x"}"#), database.folder.file("none.json")] {
            let run = try ToolRun.process(["token", "--server", Self.server, "--credentials", path])
            #expect(run.status == .failed && run.output.isEmpty && !run.error.contains("the-secret"), "\(path)")
        }
    }

    /// A line break would begin another header field.
    @Test func aTokenWithALineBreakIsRefused() throws {
        for token in [#"the-secret\r\nX-Own: 1"#, #"the-secret\n"#, #"the secret"#, ""] {
            let run = try ToolRun.process(["token", "--server", Self.server, "--credentials", try credentials(#"{"token":"\#(token)"}"#)])
            #expect(run.status == .failed && run.output.isEmpty && run.error.contains("line break") && !run.error.contains("secret"))
        }
    }

    @Test func everyKindOfCredentialsIsRead() throws {
        let key = try PrivateKey(.p384, id: "k")
        let pem = try JSONText.string(key.pem().value)
        #expect(try CredentialsFile(path: credentials(#"{"token":"t"}"#)).authorization() is BearerAuthorization)
        for text in [
            #"{"client_id":"c","client_secret":"s","scope":"system/*.rs","token_endpoint":"https://a.example/token"}"#,
            #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}"#,
            #"{"client_id":"c","private_key":\#(pem),"key_id":"k","token_endpoint_auth_signing_alg":"ES384"}"#,
        ] { #expect(try CredentialsFile(path: credentials(text)).authorization() is ClientCredentialsAuthorization) }
        for text in [#"{"client_id":"c","private_key":\#(pem)}"#, #"{"client_id":"c","private_key":"x","key_id":"k"}"#] {
            let path = try credentials(text)
            #expect(throws: ToolError.self) { try CredentialsFile(path: path).authorization() }
        }
    }

    @Test func whatIsWrittenIsReadableByItsOwnerOnly() throws {
        let path = database.folder.file("new.json")
        try CredentialsFile(path: path, members: ["token": "t"]).write(to: .given(path, as: .secret))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try CredentialsFile(path: path).members == ["token": "t"])
        #expect(throws: ToolError.self) { try CredentialsFile(path: path, members: [:]).write(to: .given(path, as: .secret)) }
        #expect(try ToolRun.process(["register", "--server", Self.server, "--credentials", path]).status == .usage)
    }
}
