import Foundation
import Testing

@testable import FireLiteCLI

/// Keys come from files; the tool shows them nowhere.
struct KeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.file("test.sqlite") }

    private func patients() throws -> String {
        try folder.write("given.ndjson", #"{"resourceType":"Patient","id":"1","birthDate":"1970-01-01"}"#)
    }

    private func key(_ name: String, _ bytes: Data, mode: Int = 0o600) throws -> String {
        let path = try folder.write(name, bytes)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// A file of root's may be read by its group, as servers hand keys on.
    @Test(arguments: [0o600, 0o400, 0o640, 0o660, 0o644, 0o604, 0o666]) func aKeyThatOthersCanReadIsRefused(_ mode: Int) throws {
        let path = try key("a.key", Data(1...32), mode: mode)
        let isRefused = mode & (getuid() == 0 ? 0o037 : 0o077) != 0
        let run = try ToolRun("info", "--database", database, "--key-file", path)
        #expect(run.status == .failed)
        let refusal = "key file \(path) can be used by others than its owner (mode \(String(mode, radix: 8))): chmod 600 \(path)"
        #expect(run.error.contains(refusal) == isRefused)
    }

    @Test func filesWithoutAKeyAreRefused() throws {
        let input = try patients()
        func refusal(_ path: String) throws -> String {
            let run = try ToolRun("import", "--database", database, "--key-file", path, input)
            #expect(run.status == .failed && run.output.isEmpty)
            return run.error
        }
        let absent = folder.file("absent.key")
        #expect(try refusal(absent) == "firelite import: key file \(absent): No such file or directory\n")
        let empty = try key("empty.key", Data())
        #expect(try refusal(empty) == "firelite import: key file \(empty) is empty: put the key into it\n")
        let large = try key("large.key", Data(String(repeating: "secret", count: 1_000).utf8))
        #expect(
            try refusal(large) == "firelite import: key file \(large) has more than 4096 bytes and so is not a key: give another file\n")
        #expect(try refusal(folder.path).hasPrefix("firelite import: key file \(folder.path): "))
        #expect(try !folder.names.contains("test.sqlite"))
    }

    @Test func plainAndNewKeyExcludeEachOther() throws {
        let run = try ToolRun("backup", "--database", database, "--plain", "--new-key-file", "x", folder.file("copy.sqlite"))
        #expect(run.status == .usage)
    }

    #if SQLCipher
        /// Every command that opens a database, with its key.
        @Test func everyCommandTakesAKey() throws {
            let key = try key("a.key", Data(1...32))
            func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments + ["--key-file", key]) }
            #expect(try run("import", "--database", database, patients()).status == .done)
            #expect(try run("get", "--database", database, "Patient/1").output.contains("1970-01-01"))
            #expect(try run("find", "--database", database, "--count", "Patient").output == "1\n")
            #expect(try run("info", "--database", database).status == .done)
            #expect(try run("check", "--database", database).output == "sound\n")
            #expect(try run("vacuum", "--database", database).status == .done)
            #expect(try run("backup", "--database", database, folder.file("copy.sqlite")).status == .done)
            #expect(try run("recover", database, folder.file("recovered.sqlite")).status == .done)
            #expect(try run("export", "--database", database, "--output", "-").output.contains("1970-01-01"))
            for name in ["test", "copy", "recovered"] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("\(name).sqlite")))
                #expect(bytes.range(of: Data("1970-01-01".utf8)) == nil && bytes.range(of: Data("SQLite format".utf8)) == nil)
                let without = try ToolRun("check", "--database", folder.file("\(name).sqlite"))
                #expect(without.status == .failed && without.error.contains("is encrypted") && without.error.contains("give its key"))
            }
            #expect(try run("delete", "--database", database, "Patient/1").status == .done)
        }

        @Test func wrongAndMissingKeysAreRefused() throws {
            // The line break is part of the passphrase.
            let (old, new) = (try key("old.key", Data("passphrase\n".utf8)), try key("new.key", Data(1...32)))
            let plain = folder.file("plain.sqlite")
            #expect(try ToolRun("import", "--database", plain, patients()).status == .done)
            let encryption = try ToolRun("backup", "--database", plain, "--new-key-file", old, database)
            #expect(encryption.status == .done)
            let rekey = try ToolRun("rekey", "--database", database, "--key-file", old, "--new-key-file", new)
            #expect(rekey.status == .done && rekey.output == "\(database) has the new key\n")
            let wrong = try ToolRun("check", "--database", database, "--key-file", old)
            #expect(wrong.status == .failed && wrong.error.contains("cannot be read with this key"))
            let needless = try ToolRun("check", "--database", plain, "--key-file", new)
            #expect(needless.status == .failed && needless.error.contains("is not encrypted"))
            #expect(!(wrong.error + needless.error + rekey.output).contains("passphrase"))
            let decrypted = folder.file("decrypted.sqlite")
            #expect(try ToolRun("backup", "--database", database, "--key-file", new, "--plain", decrypted).status == .done)
            #expect(
                try ToolRun("export", "--database", decrypted, "--output", "-").output
                    == ToolRun("export", "--database", plain, "--output", "-").output)
        }
    #else
        @Test func withoutTheTraitAKeyIsAnError() throws {
            let key = try key("a.key", Data(1...32))
            let run = try ToolRun("import", "--database", database, "--key-file", key, try patients())
            #expect(run.status == .failed && run.error.contains("trait SQLCipher"))
            #expect(try !folder.names.contains("test.sqlite"))
        }
    #endif
}
