import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Synchronizing with sekmet, a FHIR server by others.
@Suite(.serialized, .ownThread, .enabled(if: LocalServers.fhir != nil, Comment(rawValue: LocalServers.hint)))
struct SynchronizerServerTests {
    private let base: URL

    init() throws { base = try #require(LocalServers.fhir) }

    private func synchronizer(
        _ store: FHIRStore, _ scope: SyncScope, _ change: (inout Synchronizer.Configuration) -> Void = { _ in }
    ) throws -> Synchronizer {
        var configuration = Synchronizer.Configuration()
        change(&configuration)
        return Synchronizer(store, try FHIRClient(base: base, release: .r4), scope: scope, configuration: configuration)
    }

    private func contents(_ store: FHIRStore) throws -> [String: String] {
        try store.read { tx in
            var contents: [String: String] = [:]
            for type in try tx.counts() {
                try tx.forEach(typeName: type.typeName) { resource in
                    contents["\(resource.resourceType)/\(resource.id ?? "")"] = ModelServer.plain(FHIRJSON.string(resource))
                }
            }
            return contents
        }
    }

    /// Of a type that no other test has at this server.
    private static func location(_ id: String, _ name: String) -> Location {
        Location {
            $0.id = id
            $0.name = name
            $0.status = .active
        }
    }

    @Test func changesGoBothWays() async throws {
        let prefix = "sync-\(UUID().uuidString.prefix(8).lowercased())-"
        let first = try FHIRStore.inMemory(release: .r4)
        let second = try FHIRStore.inMemory(release: .r4)
        let one = try synchronizer(first, .types("Location"))
        let two = try synchronizer(second, .types("Location"))
        for number in 0..<20 { try await first.write { tx in _ = try tx.upsert(Self.location("\(prefix)\(number)", "New")) } }
        #expect(try await one.sync().created == 20)
        #expect(try await two.sync().pulled >= 20)
        // An edit here, another there, and a deletion.
        try await first.write { tx in _ = try tx.delete(Location.self, id: "\(prefix)0") }
        try await first.write { tx in try tx.resource(Location.self, id: "\(prefix)1")?.name = "One" }
        try await second.write { tx in try tx.resource(Location.self, id: "\(prefix)1")?.description = "Two" }
        try await second.write { tx in _ = try tx.delete(Location.self, id: "\(prefix)2") }
        for synchronizer in [one, two, one, two] { try await synchronizer.sync() }
        let contents = try self.contents(first)
        let merged = contents["Location/\(prefix)1"]
        #expect(merged?.contains("\"One\"") == true && merged?.contains("\"Two\"") == true)
        #expect(try contents == self.contents(second))
        #expect(contents["Location/\(prefix)2"] == nil && contents["Location/\(prefix)0"] == nil && contents.count >= 18)
        #expect(try await one.changes().isEmpty)
        #expect(try await two.changes().isEmpty)
    }

    @Test func staleUpdatesAreMerged() async throws {
        for format in [Synchronizer.Configuration.UpdateFormat.whole, .jsonPatch] { try await mergeStaleUpdate(format) }
    }

    private func mergeStaleUpdate(_ format: Synchronizer.Configuration.UpdateFormat) async throws {
        let id = "sync-\(UUID().uuidString.prefix(8).lowercased())"
        let store = try FHIRStore.inMemory(release: .r4)
        let synchronizer = try synchronizer(store, .nothing) { $0.updateFormat = format }
        try await store.write { tx in _ = try tx.upsert(Self.location(id, "Base")) }
        try await synchronizer.sync()
        let client = synchronizer.client
        let remote = Self.location(id, "Base")
        remote.description = "Remote"
        try await client.update(remote)
        try await store.write { tx in try tx.resource(Location.self, id: id)?.name = "Local" }
        let result = try await synchronizer.sync()
        #expect(result.resolved == 1 && result.updated == 1)
        let merged = try await client.read(Location.self, id: id)
        #expect(merged.name == "Local" && merged.description == "Remote" && merged.meta?.versionId == "3")
        try await store.write { tx in _ = try tx.delete(Location.self, id: id) }
        #expect(try await synchronizer.sync().deleted == 1)
    }

    /// The data set up, and down into an empty store. Without `FIRELITE_NIGHTLY`, only its types of up to 500 resources.
    @Test(
        .enabled(
            if: SyntheticBulk.archive != nil, "the archive synthea-r4-smart-bulk-10.tar.xz is not beside the package, in ../shared/data"))
    func aWholeDataSetGoesUpAndComesDown() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        _ = try await SyntheticBulk.unpacked { try await store.importResources(from: [$0]) }
        if !Effort.isNightly {
            for type in try store.blocking({ try $0.counts() }) where type.count > 500 {
                try await store.write { tx in
                    var resources: [FHIRResource] = []
                    try tx.forEach(typeName: type.typeName) { resources.append($0) }
                    for resource in resources { try tx.delete(resource) }
                }
            }
        }
        let count = try store.blocking { try $0.counts().reduce(0) { $0 + $1.count } }
        let types = try store.blocking { try $0.counts().map(\.typeName) }
        let up = try await synchronizer(store, .nothing).sync()
        #expect(up.created == count && up.parked == 0)
        let other = try FHIRStore.inMemory(release: .r4)
        let down = try await synchronizer(other, .types(types)).sync()
        #expect(down.pulled >= count)
        let (own, pulled) = (try contents(store), try contents(other))
        // The server puts the resource that it finds in the place of a conditional reference, such as `Location?identifier=…`.
        func withoutReferences(_ json: String) -> String { json.replacing(/"reference":"[^"]*"/, with: "") }
        let different = own.filter { key, json in
            guard json.contains(/"reference":"[A-Za-z]+\?/) else { return pulled[key] != json }
            return pulled[key].map(withoutReferences) != withoutReferences(json)
        }
        #expect(
            different.isEmpty, "\(different.count), such as \(different.first.map { "\($0.value) as \(pulled[$0.key] ?? "none")" } ?? "")")
    }

    /// Random edits on three devices in turns, with conflicts: all end equal to the server, and nothing is lost. `FIRELITE_NIGHTLY=1` makes 2,000 edits.
    @Test func threeDevicesEndEqualToTheServer() async throws {
        let edits = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] == "1" ? 2_000 : 60
        let run = String(UUID().uuidString.prefix(8).lowercased())
        var numbers = SeededNumbers(seed: 21)
        let stores = try (0..<3).map { _ in try FHIRStore.inMemory(release: .r4) }
        let devices = try stores.map { try synchronizer($0, .types("Basic")) { $0.conflicts = .merge(preferring: .remote) } }
        var tokens: [String: String] = [:]
        var deleted: Set<String> = []
        for edit in 0..<edits {
            let store = stores[numbers.below(3)]
            let id = "\(run)-\(numbers.below(40))"
            let isDeletion = numbers.below(40) == 0
            if isDeletion {
                deleted.insert(id)
            } else {
                tokens["t\(edit)."] = id
            }
            try await store.write { tx in
                let stored = try tx.resource(Basic.self, id: id)
                guard !isDeletion else {
                    _ = try tx.delete(Basic.self, id: id)
                    return
                }
                let basic = stored ?? Basic { $0.id = id }
                basic.code = CodeableConcept { $0.text = "edited" }
                basic.identifier.append(Identifier { $0.value = "t\(edit)." })
                if stored == nil { _ = try tx.upsert(basic) }
            }
            if numbers.below(5) == 0 { try await devices[numbers.below(3)].sync() }
        }
        for _ in 0..<3 { for device in devices { try await device.sync() } }
        let fresh = try FHIRStore.inMemory(release: .r4)
        try await synchronizer(fresh, .types("Basic")).pull()
        let server = try contents(fresh)
        for store in stores { #expect(try contents(store) == server) }
        for device in devices { #expect(try await device.changes().isEmpty) }
        for (token, id) in tokens where !deleted.contains(id) {
            #expect(server["Basic/\(id)"]?.contains("\"\(token)\"") == true, "\(token) of \(id)")
        }
    }
}

/// The data set `synthea-r4-smart-bulk-10`, which is not part of the package: an archive in `../shared/data`, unpacked on first use.
enum SyntheticBulk {
    static let archive = SharedArchive("synthea-r4-smart-bulk-10.tar.xz")

    /// Calls `body` with a folder that has the files.
    static func unpacked<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        guard let archive else { throw CocoaError(.fileNoSuchFile) }
        return try await archive.unpacked(body)
    }
}
