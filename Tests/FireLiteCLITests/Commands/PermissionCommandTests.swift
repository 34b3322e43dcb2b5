import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

struct PermissionCommandTests {
    private let database: ToolDatabase

    init() throws { database = try ToolDatabase(#"{"resourceType":"Patient","id":"1"}"#) }

    private func run(_ command: String, _ arguments: String..., signer: String? = nil, as option: String = "grantor") throws -> ToolRun {
        let signing = signer.map { ["--\(option)", $0, "--signing-key", database.folder.file("\($0).pem")] } ?? []
        return try ToolRun([command, "--database", database.path] + signing + arguments)
    }

    private func decision(_ actor: String, _ more: String...) throws -> FireLiteCLI.ExitStatus? {
        try ToolRun(["permissions", "--database", database.path, "--actor", actor, "--resource", "Patient/1"] + more).status
    }

    @Test func whatIsPermittedIsDecidedUntilItIsRevoked() throws {
        #expect(try decision("dr") == .incomplete)
        let permit = try run("permit", "--grantee", "dr", "--type", "Patient", "--purpose", "TREAT", "--id", "p", signer: "me")
        #expect(permit.status == .done && permit.output.contains("p"), "\(permit.error)")
        let attributes = try FileManager.default.attributesOfItem(atPath: database.folder.file("me.pem"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try decision("dr", "--purpose", "TREAT") == .done)
        #expect(try decision("dr") == .incomplete && decision("nurse", "--purpose", "TREAT") == .incomplete)
        // Whoever comes later owns nothing.
        let other = try run("permit", "--grantee", "nurse", signer: "other")
        #expect(other.status == .failed && other.output.isEmpty)
        #expect(try run("revoke", "p", signer: "other").status == .failed)
        #expect(try decision("dr", "--purpose", "TREAT") == .done)
        #expect(try run("permit", "--deny", "--grantee", "dr", "--until", "2026-01-01T00:00:00Z", signer: "me").status == .done)
        #expect(try decision("dr", "--purpose", "TREAT", "--at", "2025-12-31T23:59:59Z") == .incomplete)
        #expect(try decision("dr", "--purpose", "TREAT", "--at", "2026-01-01T00:00:00Z") == .done)
        let list = try run("permissions", "--given-to", "dr")
        #expect(list.output.contains("permit") && list.output.contains("deny") && list.output.contains("valid"))
        #expect(try run("revoke", "p", signer: "me").status == .done)
        #expect(try decision("dr", "--purpose", "TREAT") == .incomplete)
        #expect(try run("revoke", "q", signer: "me").status == .failed)
    }

    /// The next signer does not become the owner, and a check says what is lost.
    @Test(arguments: [false, true]) func noOwnerFollowsALostOne(_ losesAuthorityAlone: Bool) throws {
        #expect(try run("permit", "--grantee", "dr", signer: "me").status == .done)
        #expect(try run("permit", "--deny", "--grantee", "dr", "--id", "no", signer: "me").status == .done)
        #expect(try decision("dr") == .incomplete && run("check").status == .done)
        do {
            let connection = try Connection(path: database.path, createsFile: false, isHardened: false)
            if losesAuthorityAlone {
                try connection.execute("UPDATE _trust_identity SET authority = NULL")
            } else {
                try connection.execute("DELETE FROM _trust_identity")
            }
        }
        _ = try run("reseal")
        let check = try run("check")
        #expect(check.status == .incomplete && check.output.contains("lost"), "\(check.output) \(check.error)")
        let refused = try run("permit", "--grantee", "dr", signer: "evil")
        #expect(refused.status == .failed && refused.error.contains("lost"), "\(refused.error)")
        #expect(try run("revoke", "no", signer: "evil").status == .failed)
        #expect(try decision("dr") == .incomplete)
    }

    /// A new file that `check` finds faults in is no complete recovery, also if they are those of a module.
    @Test func recoveryListsTheFaultsOfModules() throws {
        #expect(try run("permit", "--grantee", "dr", signer: "me").status == .done)
        do {
            let connection = try Connection(path: database.path, createsFile: false, isHardened: false)
            try connection.execute("DELETE FROM _trust_identity")
        }
        _ = try run("reseal")
        let new = database.folder.file("new.sqlite")
        let recover = try ToolRun("recover", database.path, new)
        #expect(recover.status == .incomplete, "\(recover.output) \(recover.error)")
        let check = try ToolRun("check", "--database", new)
        #expect(check.status == .incomplete && !check.output.isEmpty)
        for line in check.output.split(separator: "\n") { #expect(recover.output.contains("\(new): \(line)"), "\(recover.output)") }
    }

    @Test func signaturesHoldUntilTheResourceChanges() throws {
        #expect(try run("verify", "Patient/1").status == .incomplete)
        let sign = try run("sign", "Patient/1", signer: "me", as: "signer")
        #expect(sign.status == .done, "\(sign.error)")
        let verify = try run("verify", "Patient/1")
        #expect(verify.status == .done && verify.output.contains("me"))
        let change = try database.folder.write("change.ndjson", #"{"resourceType":"Patient","id":"1","active":true}"#)
        #expect(try run("import", change).status == .done)
        #expect(try run("verify", "Patient/1").status == .incomplete)
        #expect(try run("verify", "Patient/9").status == .incomplete)
    }

    @Test func wrongArgumentsAreUsageErrors() throws {
        #expect(try run("permissions", "--actor", "dr").status == .usage)
        #expect(try run("permissions", "--action", "access").status == .usage)
        #expect(try run("permit", "--type", "Nothing", signer: "me").status == .usage)
        #expect(try run("permit", "--until", "soon", signer: "me").status == .usage)
        #expect(try run("permit").status == .usage)
        #expect(try run("permit", "--grantor", "me", "--signing-key", database.folder.file("me")).status == .usage)
    }
}
