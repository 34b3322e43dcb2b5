import FireLiteR4
import FireLiteRecords
import FireLiteReleases
@_spi(Testing) import FireLiteSQLiteBridge
import FireLiteSamples
import FireLiteSearch
import FireLiteSync
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// A file that some build has written, as SQLite dumps it: `Fixtures/NAME.sql`, and its resources, one a line: `Fixtures/NAME.ndjson`.
///
/// Each is made by `make` where `FIRELITE_WRITE_FIXTURES` is set, and never again: later builds read what this one wrote. A new form gets a new name.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let releaseName: String
    let make: @Sendable (FHIRStore) async throws -> Void
    /// What the module that wrote it finds in it.
    let verify: @Sendable (FHIRStore) async throws -> Void

    var testDescription: String { name }

    private init(
        _ name: String, release: String = "R4", make: @escaping @Sendable (FHIRStore) async throws -> Void,
        verify: @escaping @Sendable (FHIRStore) async throws -> Void = { _ in }
    ) {
        self.name = name
        releaseName = release
        self.make = make
        self.verify = verify
    }

    /// R4 with its classes, the others as data.
    var release: FHIRRelease { get throws { releaseName == "R4" ? .r4 : try #require(BundledRelease.named(releaseName)).release } }

    // MARK: - Files

    static let folder = PackageFolder.url.appendingPathComponent("Tests/FireLiteFormatTests/Fixtures")
    private func file(_ ending: String) -> URL { Self.folder.appendingPathComponent("\(name).\(ending)") }

    /// The resources that it has.
    var lines: [String] {
        get throws { try String(contentsOf: file("ndjson"), encoding: .utf8).split(separator: "\n").map(String.init) }
    }

    /// Makes the file of the dump.
    func restore(to path: String) throws {
        try Connection(path: path).execute(String(contentsOf: file("sql"), encoding: .utf8))
    }

    private static let dump = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        for name in ["application_id", "user_version"]:
            print("PRAGMA %s=%d;" % (name, database.execute("PRAGMA " + name).fetchone()[0]))
        for line in database.iterdump(): print(line)
        """

    /// Writes the file that `make` fills as a dump.
    func write() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let store = try FHIRStore(path: path, release: release)
        try await make(store)
        try Data(Self.resources(store).map { $0 + "\n" }.joined().utf8).write(to: file("ndjson"))
        try await store.close()
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.dump, path]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try text.write(to: file("sql"))
    }

    /// The lines of all resources of a store, in the order of their types and numbers.
    static func resources(_ store: FHIRStore) throws -> [String] {
        try store.read { tx in
            var lines: [String] = []
            for count in try tx.counts().sorted(by: { $0.typeName < $1.typeName }) {
                try tx.forEach(typeName: count.typeName) { lines.append(FHIRJSON.string($0)) }
            }
            return lines
        }
    }
}

// MARK: - What they have

extension Fixture {
    static let all: [Fixture] =
        BundledRelease.all.map { release in
            Fixture("release-\(release.name)", release: release.name, make: { try $0.write(Self.resources) })
        }
        + [history, outbox, records, samples, trust]

    /// Resources of every release: extensions of primitives, contained resources, choices, decimals with zeros, lists with nulls.
    private static let resources = [
        #"{"resourceType":"Patient","id":"1","contained":[{"resourceType":"Organization","id":"o","name":"Praxis"}],"extension":[{"url":"http://example.org/rank","valueDecimal":1.50}],"active":true,"name":[{"text":"Ada","given":["Ada",null,"K."],"_given":[null,{"id":"g"},null]},{"use":"old","given":["A"]}],"birthDate":"1815-12","_birthDate":{"extension":[{"url":"http://example.org/about","valueBoolean":true}]}}"#,
        #"{"resourceType":"Observation","id":"1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}],"text":"Wéight 😀"},"subject":{"reference":"Patient/1"},"valueQuantity":{"value":70.250,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}"#,
        #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"said"},"valueString":"a\nb\u0009\"c\""}"#,
    ]

    private static func patient(_ text: String) -> String { #"{"resourceType":"Patient","id":"1","name":[{"text":"\#(text)"}]}"# }

    private static let history = Fixture(
        "history",
        make: { store in
            try store.track(.changes)
            try store.track(.history)
            for text in ["one", "two", "three"] { try store.write([patient(text)]) }
            try store.write([resources[1]])
            try store.write { _ = try $0.delete(typeName: "Observation", id: "1") }
        },
        verify: { store in
            #expect(try store.history(typeName: "Patient", id: "1").map(\.version) == [3, 2, 1])
            let observation = try store.history(typeName: "Observation", id: "1")
            #expect(observation.map(\.version) == [1] && observation[0].isDeleted)
            let newest = try store.read { try $0.newestChange() }
            #expect(newest == 6)
        })

    private static let server = "https://example.org/fhir"

    private static let outbox = Fixture(
        "outbox",
        make: { store in
            try store.write(resources)
            let base = try #require(URL(string: server))
            try store.write { tx in
                for id in ["1", "2"] {
                    let observation = try #require(try tx.resource(typeName: "Observation", id: id))
                    _ = try tx.enqueue(FHIRRequest(.put, "Observation/\(id)", body: FHIRJSON.data(observation)), for: base)
                }
            }
        },
        verify: { store in
            let entries = try store.read { try $0.outboxEntries() }
            #expect(entries.map(\.path) == ["Observation/1", "Observation/2"] && entries.allSatisfy { $0.server == server })
        })

    private static let payload = Data((0..<6_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private static let records = Fixture(
        "records",
        make: { store in
            try store.attachments.externalizeNewPayloads()
            let document =
                #"{"resourceType":"DocumentReference","id":"1","status":"current","content":[{"attachment":{"title":"T","data":"\#(payload.base64EncodedString())"}}]}"#
            for json in resources + [document] {
                let resource = try FHIRJSON.resource(from: Data(json.utf8), release: store.release)
                _ = try store.records.create(resource, annotations: ["Fitness", resource.resourceType])
            }
            try store.records.delete("Observation", id: "2")
            _ = try store.appData.put(Data("own".utf8), id: "settings", annotations: ["ui"])
        },
        verify: { store in
            try store.attachments.resume()
            #expect(try store.records.fetch(Patient.self, id: "1")?.annotations == ["fitness", "patient"])
            #expect(try store.records.fetch(Observation.self, id: "2") == nil)
            #expect(try store.appData.get("settings")?.data == Data("own".utf8))
            let document = try #require(try store.resource(typeName: "DocumentReference", id: "1"))
            let attachment = try #require(document.children("content").first?.child("attachment"))
            #expect(try store.attachments.data(of: attachment) == payload)
        })

    private static let moments = (1...6).map { Date(timeIntervalSince1970: 1_767_225_600 + Double($0) * 60) }

    private static let samples = Fixture(
        "samples",
        make: { store in
            let samples = moments.enumerated().map { number, moment in
                Sample(
                    uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number))), type: .heartRate, start: moment,
                    value: .quantity(60, unit: "count/min"))
            }
            try await SampleEngine(
                store: store, source: MemorySampleSource(Array(samples.prefix(3))), destinations: [LocalStore(store)]
            ).run()
        },
        verify: { store in
            let starts = try await store.samples(of: .heartRate).map(\.start)
            #expect(starts == Array(moments.prefix(3)))
        })

    private static let trust = Fixture(
        "trust",
        make: { store in
            let key = try PrivateKey()
            let owner = Identity(name: "Owner", authority: .everything, keys: [.init(key.publicKey, from: moments[0])])
            try store.write { tx in try tx.setIdentity(owner) }
            let signer = SigningIdentity(id: owner.id, key: key)
            _ = try store.startAudit(by: signer)
            try store.write(resources)
            let rule = AccessRule(.permit, to: [owner.id], types: ["Observation"], compartments: ["Patient/1"])
            let permission = AccessPermission(grantor: owner.id, patient: "Patient/1", rule: rule)
            try store.write { tx in _ = try tx.grant(permission, signedBy: signer) }
        },
        verify: { store in
            let entries = try store.read { try $0.auditEntries(about: "Observation", id: "1") }
            #expect(entries.count == 1 && entries.first?.access.action == .create)
            #expect(try store.read { try $0.identities().map(\.name) } == ["Owner"])
        })
}

extension FHIRStore {
    /// Stores resources of JSON.
    fileprivate func write(_ lines: [String]) throws {
        let resources = try lines.map { try FHIRJSON.resource(from: Data($0.utf8), release: release) }
        try write { tx in _ = try tx.upsert(resources) }
    }
}
