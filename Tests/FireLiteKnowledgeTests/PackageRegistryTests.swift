import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteRegistry

/// Packages come from the registry that a program names, and only with the checksums that it gives.
@Suite struct PackageRegistryTests {
    private static let address = "https://packages.example"

    /// A registry in this process: answers by address.
    private final class Registry: HTTPTransport, @unchecked Sendable {
        private let lock = NSLock()
        private var answers: [String: HTTPResponse] = [:]
        private var asked: [String] = []

        var requests: [String] { lock.withLock { asked } }

        func answer(_ url: String, _ status: Int = 200, _ body: Data = Data(), fields: HTTPFields = [:]) {
            lock.withLock { answers[url] = HTTPResponse(status, fields: fields, body: body) }
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            lock.withLock {
                asked.append(request.url.absoluteString)
                return answers[request.url.absoluteString] ?? HTTPResponse(404)
            }
        }

        /// Publishes versions of a package.
        func publish(
            _ name: String, _ versions: [String: Data], address: String = PackageRegistryTests.address, latest: String? = nil,
            dist: (_ version: String, _ archive: Data) -> String = {
                PackageRegistryTests.dist("\(PackageRegistryTests.address)/\($0).tgz", $1)
            }
        ) {
            var list: [String] = []
            for (version, archive) in versions.sorted(by: { $0.key < $1.key }) {
                list.append(#""\#(version)":{"name":"\#(name)","version":"\#(version)","dist":\#(dist("\(name)-\(version)", archive))}"#)
                answer("\(address)/\(name)-\(version).tgz", 200, archive)
            }
            let tags = latest.map { #""dist-tags":{"latest":"\#($0)"},"# } ?? ""
            answer("\(address)/\(name)", 200, Data(#"{"_id":"\#(name)",\#(tags)"versions":{\#(list.joined(separator: ","))}}"#.utf8))
        }
    }

    private static func sha512(_ archive: Data) -> String { "sha512-" + HashAlgorithm.sha512.digest(of: archive).base64EncodedString() }
    private static func sha1(_ archive: Data) -> String { Array(HashAlgorithm.sha1.digest(of: archive)).hexText }

    private static func dist(_ url: String, _ archive: Data) -> String {
        #"{"tarball":"\#(url)","shasum":"\#(sha1(archive))","integrity":"\#(sha512(archive))"}"#
    }

    private static func package(_ name: String, _ version: String, _ dependencies: String = "") -> Data {
        TarArchive.data([
            (
                "package/package.json", "0",
                #"{"name":"\#(name)","version":"\#(version)","dependencies":{\#(dependencies)},"scripts":{"install":"touch /tmp/run"}}"#
            ),
            (
                "package/ValueSet-v.json", "0",
                #"{"resourceType":"ValueSet","url":"http://a.org/\#(name)","version":"\#(version)","status":"active"}"#
            ),
        ])
    }

    private func registry(_ transport: Registry, _ address: String = PackageRegistryTests.address) throws -> PackageRegistry {
        try PackageRegistry(try #require(URL(string: address)), transport: transport)
    }

    /// The error of a download, and its message.
    private func refusal(_ transport: Registry, _ name: String = "a.b", _ version: String? = "1.0.0") async throws -> KnowledgeError {
        let registry = try registry(transport)
        let error = await #expect(throws: KnowledgeError.self) { try await registry.package(named: name, version: version) }
        return try #require(error)
    }

    // MARK: - Packages

    @Test func aPackageIsDownloadedAndVerified() async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")])
        let package = try await registry(transport).package(named: "a.b", version: "1.0.0")
        #expect(package.manifest.key == "a.b#1.0.0" && package.definitionCount == 1 && package.skippedFiles.isEmpty)
        #expect(transport.requests == ["\(Self.address)/a.b", "\(Self.address)/a.b-1.0.0.tgz"])
        let knowledge = Knowledge(release: .r4)
        knowledge.addPackage(package)
        #expect(knowledge.packages.map(\.key) == ["a.b#1.0.0"])
        let folder = try TemporaryFolder()
        let file = try KnowledgeFile(path: folder.file("k.sqlite"))
        try file.addPackage(package)
        #expect(try file.packages().map(\.key) == ["a.b#1.0.0"])
    }

    @Test(
        arguments: [
            (nil, "1.4.0"), ("latest", "1.4.0"), ("1.0.0", "1.0.0"), ("1.0.x", "1.0.3"), ("2.x", "2.0.0-ballot"),
        ] as [(String?, String)])
    func versionsAreThoseOfTheRegistry(_ wanted: String?, _ found: String) async throws {
        let transport = Registry()
        let versions = ["1.0.0", "1.0.3", "1.4.0", "2.0.0-ballot"]
        transport.publish("a.b", Dictionary(uniqueKeysWithValues: versions.map { ($0, Self.package("a.b", $0)) }))
        #expect(try await registry(transport).package(named: "a.b", version: wanted).manifest.version == found)
        // What the registry calls the latest is.
        transport.publish("a.b", Dictionary(uniqueKeysWithValues: versions.map { ($0, Self.package("a.b", $0)) }), latest: "1.0.3")
        #expect(try await registry(transport).package(named: "a.b").manifest.version == "1.0.3")
    }

    @Test func whatIsNotThereIsMissing() async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")])
        #expect(try await refusal(transport, "c.d").code == .missing)
        #expect(try await refusal(transport, "a.b", "2.0.0").code == .missing)
        #expect(try await refusal(transport, "a.b", "current").code == .missing)
    }

    @Test func dependenciesAreFollowedOnWish() async throws {
        let transport = Registry()
        transport.publish(
            "a.b", ["1.0.0": Self.package("a.b", "1.0.0", #""c.d":"2.0.x","v1@npm:c.d":"1.0.0","x.y":"1.0.0","hl7.fhir.r4.core":"4.0.1""#)])
        transport.publish(
            "c.d", ["1.0.0": Self.package("c.d", "1.0.0"), "2.0.1": Self.package("c.d", "2.0.1", #""a.b":"1.0.0","e.f":"1.0.0""#)])
        transport.publish("e.f", ["1.0.0": Self.package("e.f", "1.0.0")])
        let registry = try registry(transport)
        let found = try await registry.packages(named: "a.b", version: "1.0.0").map(\.manifest)
        #expect(found.map(\.key) == ["a.b#1.0.0", "c.d#2.0.1", "c.d#1.0.0", "e.f#1.0.0"])
        #expect(PackageManifest.missingDependencies(of: found) == ["x.y#1.0.0"])
        #expect(!transport.requests.contains("\(Self.address)/hl7.fhir.r4.core"))
        let present = try PackageManifest(Data(#"{"name":"c.d","version":"1.0.0"}"#.utf8), source: "test")
        let rest = try await registry.packages(named: "a.b", version: "1.0.0", present: [present]).map(\.manifest.key)
        #expect(rest == ["a.b#1.0.0"])
    }

    // MARK: - Checksums

    @Test(arguments: [
        (#""shasum":"SHA1""#, true), (#""integrity":"SHA512""#, true), (#""shasum":"SHA1","integrity":"SHA512""#, true),
        (#""integrity":"md5-AAAA SHA512 sha256-OTHER""#, true), (#""integrity":"SHA512?option""#, true),
        (#""shasum":"SHA1","integrity":"md5-AAAA""#, true), (#""integrity":"sha512-OTHER512 SHA512""#, true),
        (#""shasum":"0000000000000000000000000000000000000000""#, false), (#""shasum":"SHA1","integrity":"sha512-OTHER512""#, false),
        (#""shasum":"0000000000000000000000000000000000000000","integrity":"SHA512""#, false), (#""shasum":"12""#, false),
        (#""shasum":"xyz","integrity":"SHA512""#, false), (#""integrity":"md5-AAAA""#, false), (#""integrity":"sha512-AAAA""#, false),
        (#""integrity":"sha512-""#, false), (#""integrity":"""#, false), (#""other":1"#, false),
        (#""shasum":null,"integrity":null"#, false),
    ])
    func onlyArchivesWithTheirChecksumsAreRead(_ checksums: String, _ isSound: Bool) async throws {
        let transport = Registry()
        let archive = Self.package("a.b", "1.0.0")
        let other = HashAlgorithm.sha512.digest(of: Data("other".utf8)).base64EncodedString()
        let text = checksums.replacing("OTHER512", with: other).replacing("SHA512", with: Self.sha512(archive))
            .replacing("SHA1", with: Self.sha1(archive))
        transport.publish("a.b", ["1.0.0": archive]) { name, _ in #"{"tarball":"\#(Self.address)/\#(name).tgz",\#(text)}"# }
        if isSound {
            #expect(try await registry(transport).package(named: "a.b", version: "1.0.0").definitionCount == 1)
        } else {
            let error = try await refusal(transport)
            #expect(error.code == .checksum && error.message.contains("a.b#1.0.0"), "\(error.message)")
        }
    }

    /// Every change of an archive is found before it is read: a changed one would often be no archive.
    @Test func changedArchivesAreRefused() async throws {
        let archive = Self.package("a.b", "1.0.0")
        for seed in UInt64(0)..<40 {
            var random = SeededGenerator(seed: seed)
            var changed = archive
            switch random.int(0...2) {
            case 0: changed[random.int(0...changed.count - 1)] ^= UInt8(1 << random.int(0...7))
            case 1: changed = changed.prefix(random.int(0...changed.count - 1))
            default: changed.append(0)
            }
            let transport = Registry()
            transport.publish("a.b", ["1.0.0": archive])
            transport.answer("\(Self.address)/a.b-1.0.0.tgz", 200, changed)
            let code = try await refusal(transport).code
            try #require(code == .checksum, "seed \(seed)")
        }
    }

    // MARK: - Addresses

    @Test(arguments: [
        "http://packages.example", "ftp://packages.example", "packages.example", "https://a:b@packages.example",
        "https://packages.example?a=b",
    ])
    func otherAddressesAreRefused(_ address: String) throws {
        let error = #expect(throws: KnowledgeError.self) { try PackageRegistry(URL(string: address)!, transport: Registry()) }
        #expect(error?.code == .registry)
    }

    @Test func theMachineItselfNeedsNoHTTPS() throws {
        for address in ["http://localhost:8080", "http://127.0.0.1/packages"] {
            #expect(throws: Never.self) { try PackageRegistry(URL(string: address)!, transport: Registry()) }
        }
    }

    @Test(arguments: [
        ("https://evil.example/a.tgz", "another host, evil.example"), ("http://packages.example/a.tgz", "plain http at packages.example"),
        ("https://packages.example:444/a.tgz", "another host, packages.example:444, and the registry is packages.example:"),
        ("https://packages.example@evil.example/a.tgz", "not one of HTTP"),
        ("file:///etc/passwd", "not one of HTTP"), ("", "no address"),
    ])
    func archivesElsewhereAreRefused(_ url: String, _ reason: String) async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")]) { _, archive in Self.dist(url, archive) }
        let error = try await refusal(transport)
        #expect(error.code == .registry && error.message.contains(reason), "\(error.message)")
        #expect(transport.requests == ["\(Self.address)/a.b"])
    }

    @Test(arguments: [
        ("http://packages.example/b", "plain http at packages.example"), ("https://evil.example/b", "another host, evil.example"),
        ("file:///b", "not one of HTTP"),
    ])
    func redirectsElsewhereAreRefused(_ location: String, _ reason: String) async throws {
        for path in ["a.b", "a.b-1.0.0.tgz"] {
            let transport = Registry()
            transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")])
            transport.answer("\(Self.address)/\(path)", 302, fields: ["Location": location])
            let error = try await refusal(transport)
            #expect(error.code == .registry && error.message.contains(reason), "\(error.message)")
            #expect(!transport.requests.contains(location))
        }
    }

    @Test func redirectsWithinTheRegistryAreFollowed() async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")])
        transport.answer("\(Self.address)/moved.tgz", 200, Self.package("a.b", "1.0.0"))
        transport.answer("\(Self.address)/a.b-1.0.0.tgz", 307, fields: ["Location": "/moved.tgz"])
        #expect(try await registry(transport).package(named: "a.b").definitionCount == 1)
        transport.answer("\(Self.address)/moved.tgz", 301, fields: ["Location": "/moved.tgz"])
        #expect(try await refusal(transport).message.contains("more than 5 times"))
        transport.answer("\(Self.address)/moved.tgz", 301)
        #expect(try await refusal(transport).message.contains("no address"))
    }

    // MARK: - Answers

    @Test(arguments: [
        ("", "not JSON"), ("<html>", "not JSON"), ("[]", "no versions"), (#"{"versions":3}"#, "no address"),
        (#"{"versions":{}}"#, "no version"),
        (#"{"versions":{"1.0.0":{}}}"#, "no address"), (#"{"versions":{"1.0.0":{"dist":{"tarball":7}}}}"#, "no address"),
    ])
    func otherAnswersAreRefused(_ text: String, _ reason: String) async throws {
        let transport = Registry()
        transport.answer("\(Self.address)/a.b", 200, Data(text.utf8))
        let error = try await refusal(transport)
        #expect([.registry, .missing].contains(error.code), "\(error.message)")
        #expect(error.message.contains(reason) || error.code == .missing, "\(error.message)")
    }

    @Test func otherStatusesAreRefused() async throws {
        for status in [201, 304, 401, 403, 500, 503] {
            let transport = Registry()
            transport.answer("\(Self.address)/a.b", status)
            #expect(try await refusal(transport).message.contains("\(status)"))
        }
    }

    @Test func answersThatAreTooLargeAreRefused() async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.0")])
        transport.answer(
            "\(Self.address)/a.b-1.0.0.tgz", 200, fields: ["Content-Length": "\(PackageRegistry.maximumArchive + 1)"])
        let error = try await refusal(transport)
        #expect(error.code == .limit && error.message.contains("a.b#1.0.0"))
        transport.answer("\(Self.address)/a.b", 200, Data(count: PackageRegistry.maximumList + 1))
        #expect(try await refusal(transport).code == .limit)
    }

    @Test func anotherPackageIsRefused() async throws {
        let transport = Registry()
        transport.publish("a.b", ["1.0.0": Self.package("a.b", "1.0.1")])
        let error = try await refusal(transport)
        #expect(error.code == .registry && error.message.contains("a.b#1.0.1"))
    }

    @Test(arguments: ["../a", "a/b", "a b", "", "a..b", "@scope/a", "a%2Fb"])
    func otherNamesAreNotAskedFor(_ name: String) async throws {
        let transport = Registry()
        #expect(try await refusal(transport, name).code == .manifest)
        #expect(transport.requests.isEmpty)
    }
}
