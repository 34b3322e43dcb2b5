import FireLite
import FireLiteReleases
@_spi(Testing) import FireLiteSQLiteBridge
import FireLiteService
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser

/// Files that must be opened first: encrypted, damaged, older, newer, read-only.
@Suite struct StoreDoorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file with patients, closed.
    private func file(_ key: Secret? = nil, named name: String = "a <b>.sqlite", patients: Int = 40) throws -> String {
        let path = folder.file(name)
        var configuration = FHIRStore.Configuration()
        configuration.key = key
        let release = try #require(FHIRRelease.bundled("R4"))
        let store = try FHIRStore(path: path, release: release, configuration: configuration)
        try store.track(.history)
        try store.write { tx in
            for number in 1...patients {
                let json = #"{"resourceType":"Patient","id":"\#(number)","name":[{"family":"Chalmers"}]}"#
                _ = try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release))
            }
        }
        try store.checkpoint(.truncate)
        try store.close()
        return path
    }

    private func door(_ path: String, _ configure: (inout StoreBrowser.Configuration) -> Void = { _ in }) -> StoreDoor {
        var pages = StoreBrowser.Configuration()
        pages.timeZone = .gmt
        configure(&pages)
        return StoreDoor(file: URL(fileURLWithPath: path), pages: pages) { FHIRRelease.bundled($0) }
    }

    private func send(_ door: StoreDoor, _ method: HTTPMethod, _ target: String, _ body: String = "", _ fields: HTTPFields = [:])
        async throws -> (
            status: Int, text: String, fields: HTTPFields
        )
    {
        let response = await door.respond(to: ServiceRequest(method, target, fields: fields, body: Data(body.utf8)))
        let text = String(decoding: try await response.data(), as: UTF8.self)
        if response.fields["Content-Type"]?.hasPrefix("text/html") == true {
            #expect(PageRules.faults(text).isEmpty, "\(target): \(PageRules.faults(text))")
        }
        #expect(response.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        return (response.status, text, response.fields)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func setFormat(_ path: String, _ format: Int) throws {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA user_version = \(format)")
    }

    // MARK: - Plain files

    @Test func lookingAtEveryPageLeavesTheFileAsItIs() async throws {
        let path = try file()
        let before = try bytes(path)
        let door = door(path)
        #expect(door.store == nil)
        let targets =
            ["/browse", "/browse/Patient", "/browse/schema", "/browse/schema?type=Patient", "/browse/changes", "/browse/searches"]
            + ["search", "sql", "fhirpath", "view"].map { "/browse/console?kind=\($0)&text=Patient" }
            + BrowserSample.pages(of: "Patient", "1")
        for target in targets { #expect(try await send(door, .get, target).status == 200, "\(target)") }
        #expect(try await send(door, .post, "/browse/Patient/1/edit", "mode=delete&confirm=yes&base=%7B%7D").status == 403)
        #expect(door.store?.configuration.access == .readOnly)
        try await door.store?.close()
        #expect(try bytes(path) == before)
    }

    /// As a file from a phone's backup is.
    @Test(.enabled(if: getuid() != 0, "root may write whatever the mode says")) func aFileThatCannotBeWrittenIsOpenedReadOnly() async throws
    {
        let path = try file()
        let before = try bytes(path)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { do { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) } catch {} }
        var pages = StoreBrowser.Configuration()
        pages.allowsEditing = true
        let door = StoreDoor(file: URL(fileURLWithPath: path), configuration: FHIRStore.Configuration(), pages: pages) {
            FHIRRelease.bundled($0)
        }
        let page = try await send(door, .get, "/browse/Patient/1")
        #expect(page.status == 200 && page.text.contains("Read only") && !page.text.contains("/edit"))
        #expect(try await send(door, .get, "/browse/Patient/1/edit").status == 403)
        #expect(door.store?.configuration.access == .readOnly)
        #expect(try bytes(path) == before)
    }

    /// What an owner of the file does with the store comes before any page; if it fails, there is none.
    @Test func theStoreIsPreparedBeforeItsPages() async throws {
        struct Refusal: Error {}
        let path = try file()
        let calls = Counter()
        let door = StoreDoor(
            file: URL(fileURLWithPath: path),
            prepare: { store in
                #expect(store.configuration.access == .readOnly)
                if calls.next() == 0 { throw Refusal() }
            }
        ) { FHIRRelease.bundled($0) }
        #expect(!door.asksForSession)
        #expect(try await send(door, .get, "/browse").status == 500)
        #expect(door.store == nil)
        #expect(try await send(door, .get, "/browse").status == 200)
        #expect(door.store != nil)
        // It is prepared once.
        #expect(try await send(door, .get, "/browse").status == 200)
        #expect(calls.next() == 2)
    }

    /// `@unchecked Sendable`: the lock guards the number.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var number = -1

        func next() -> Int {
            lock.withLock {
                number += 1
                return number
            }
        }
    }

    @Test(arguments: [0, 1, 9_999]) func otherFormatsAreAnswersAndStayAsTheyAre(_ format: Int) async throws {
        let path = try file()
        try setFormat(path, format)
        let before = try bytes(path)
        let reply = try await send(door(path), .get, "/browse")
        #expect(reply.status == 503)
        let words =
            format > 100 ? ["The file has a newer format", "update"] : ["The file has an older format", "run `firelite info` on the copy"]
        for word in words { #expect(reply.text.contains(word), "\(word)") }
        #expect(try bytes(path) == before)
    }

    @Test func whatIsNoStoreIsAnAnswer() async throws {
        for (name, data) in [("text", Data("no database".utf8)), ("zeros", Data(count: 8_192))] {
            let path = try folder.write(name, data)
            let reply = try await send(door(path), .get, "/browse")
            #expect(reply.status == 503 && reply.text.contains("role=\"alert\""), "\(name): \(reply.status)")
            #expect(try bytes(path) == data)
        }
        #expect(try await send(door(folder.file("absent")), .get, "/browse").text.contains("role=\"alert\""))
        #expect(try folder.names == ["text", "zeros"])
    }

    @Test func aDamagedFileIsAnAnswer() async throws {
        let path = try file()
        var data = try bytes(path)
        for place in 4_096..<data.count { data[place] ^= 0x5A }
        _ = try folder.write("damaged.sqlite", data)
        let reply = try await send(door(folder.file("damaged.sqlite")), .get, "/browse")
        #expect(reply.status == 503 && reply.text.contains("damaged"), "\(reply.text.suffix(400))")
        #expect(try bytes(folder.file("damaged.sqlite")) == data)
    }

    @Test func withASessionNobodyElseSeesTheFilesName() async throws {
        let path = try file()
        try setFormat(path, 1)
        let sessions = BrowserSessions(authorizer: nil)
        let door = door(path) { $0.sessions = sessions }
        for target in ["/browse", "/browse/key", "/browse/Patient"] {
            let reply = try await send(door, .get, target)
            #expect(reply.status == 401 && !reply.text.contains("sqlite") && !reply.text.contains("format"), "\(target)")
        }
        #expect(try await send(door, .post, "/browse/key", "key=x&form=text").status == 401)
        let cookie = try #require(try await send(door, .get, sessions.makeLink()).fields["Set-Cookie"])
        let fields: HTTPFields = ["Cookie": String(cookie.prefix { $0 != ";" })]
        #expect(try await send(door, .get, "/browse", "", fields).text.contains("The file has an older format"))
    }

    // MARK: - Keys

    @Test func keysAreReadInTheirForm() throws {
        func key(_ text: String, _ form: String) -> Secret? {
            DoorKey.read(Address([], items: [.init(name: "key", value: text), .init(name: "form", value: form)]))
        }
        #expect(key("pass phrase", "text") == Secret("pass phrase"))
        #expect(key("00 ff\n10", "hex") == Secret([0x00, 0xFF, 0x10]))
        #expect(key("AP8Q", "base64") == Secret([0x00, 0xFF, 0x10]))
        for (text, form) in [
            ("", "text"), ("0", "hex"), ("xy", "hex"), ("***", "base64"), ("a", "other"), (String(repeating: "a", count: 9_000), "text"),
        ] {
            #expect(key(text, form) == nil, "\(form)")
        }
    }

    #if SQLCipher
        private static let key = Secret("correct horse battery staple")

        @Test func theKeyOpensTheFileAndIsNowhere() async throws {
            let path = try file(Self.key)
            let before = try bytes(path)
            let door = door(path) { $0.searchesFile = URL(fileURLWithPath: folder.file("searches.json")) }
            let asked = try await send(door, .get, "/browse/Patient/1")
            #expect(asked.status == 401 && asked.text.contains("type=\"password\"") && !asked.text.contains("Chalmers"))
            // A key in an address is none.
            #expect(try await send(door, .get, "/browse/key?key=correct%20horse%20battery%20staple&form=text").status == 401)
            let opened = try await send(door, .post, "/browse/key", "key=correct+horse+battery+staple&form=text")
            #expect(opened.status == 303 && opened.fields["Location"] == "/browse")
            let page = try await send(door, .get, "/browse/Patient/1")
            #expect(page.status == 200 && page.text.contains("Chalmers"))
            for target in ["/browse", "/browse/Patient/1", "/browse/searches"] {
                #expect(!(try await send(door, .get, target).text.contains("battery")), "\(target)")
            }
            // Nothing of an encrypted store is written in the clear.
            #expect(try await send(door, .post, "/browse/searches", "mode=save&type=Patient&name=x&query=").status == 303)
            #expect(!FileManager.default.fileExists(atPath: folder.file("searches.json")))
            try await door.store?.close()
            #expect(try bytes(path) == before)
        }

        @Test func aWrongKeyIsNotADamagedFile() async throws {
            let path = try file(Self.key)
            let wrong = try await send(door(path), .post, "/browse/key", "key=wrong&form=text")
            #expect(
                wrong.status == 403 && wrong.text.contains("This is not the key of the file") && wrong.text.contains("type=\"password\""))
            #expect(!wrong.text.contains("value=\"wrong\""))
            // Behind what is read when the file is opened.
            let long = try file(Self.key, named: "long.sqlite", patients: 600)
            var data = try bytes(long)
            for place in data.count * 7 / 8..<data.count { data[place] ^= 0x5A }
            let damaged = door(try folder.write("damaged.sqlite", data))
            let opened = try await send(damaged, .post, "/browse/key", "key=correct+horse+battery+staple&form=text")
            #expect(opened.status == 303)
            let reply = try await send(damaged, .get, "/browse/Patient?_count=1000")
            #expect(reply.status == 503 && reply.text.contains("The file is damaged, or no store") && !reply.text.contains("not the key"))
        }
    #else
        @Test func withoutTheLibraryThePageSaysWhatIsMissing() async throws {
            var random = SeededGenerator(seed: 7)
            let path = try folder.write("encrypted.sqlite", Data((0..<8_192).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
            let asked = try await send(door(path), .get, "/browse")
            #expect(asked.status == 503 && asked.text.contains("The file is encrypted") && asked.text.contains("SQLCipher"))
            let tried = try await send(door(path), .post, "/browse/key", "key=secret-word&form=text")
            #expect(tried.status == 503 && !tried.text.contains("secret-word"))
        }
    #endif

    @Test func thePageOfTheKeyIsWhole() async throws {
        let response = DoorPage.key(
            URL(fileURLWithPath: "/tmp/<script>alert(1)</script>\"'.sqlite"), problem: PageProblem(403, "<b>", "\"x\""))
        let text = String(decoding: try await response.data(), as: UTF8.self)
        #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text))")
        #expect(!text.contains("<script>alert") && text.contains("method=\"post\"") && text.contains("How to get this"))
    }
}
