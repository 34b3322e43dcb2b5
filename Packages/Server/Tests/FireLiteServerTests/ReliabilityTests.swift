import FireLiteRecords
import FireLiteReleases
import FireLiteService
import Foundation
import Testing

/// What holds when processes end, disks are full, and others use the file.
@Suite(.serialized) struct ReliabilityTests {
    private static let rounds = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] == nil ? 3 : 100

    private actor Acknowledged {
        private(set) var ids: Set<String> = []
        func add(_ id: String) { ids.insert(id) }
    }

    private func patient(_ id: String) -> String { #"{"resourceType":"Patient","id":"\#(id)","active":true}"# }

    /// Writes from several clients until the server is gone; `body` gets the number of each acknowledged write.
    private func write(_ server: ServerProcess, _ round: Int, _ body: @escaping @Sendable (Int) -> Void) async -> Set<String> {
        let acknowledged = Acknowledged()
        let (base, authorization) = (server.base, server.authorization)
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<8 {
                group.addTask {
                    for number in 0..<100_000 {
                        let id = "r\(round)-c\(client)-\(number)"
                        guard let url = URL(string: base + "/Patient/\(id)") else { return }
                        let request = HTTPRequest(
                            .put, url, fields: ["Authorization": authorization, "Content-Type": "application/fhir+json"],
                            body: Data(patient(id).utf8))
                        guard let answer = try? await StandardTransport.shared.send(request), answer.status == 201 else { return }
                        await acknowledged.add(id)
                        body(await acknowledged.ids.count)
                    }
                }
            }
        }
        return await acknowledged.ids
    }

    /// The patients with these ids that a file has, which must be sound.
    private func stored(_ ids: Set<String>, _ database: String) throws -> Set<String> {
        let store = try FHIRStore(path: database, release: try #require(FHIRRelease.bundled("R4")))
        defer { try? store.close() }
        #expect(try store.check().isEmpty)
        return try store.read { transaction in try ids.filter { try transaction.resource(typeName: "Patient", id: $0) != nil } }
    }

    @Test func killsLoseNoAcknowledgedWrite() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let database = folder.file("a.sqlite")
        var all: Set<String> = []
        for round in 0..<Self.rounds {
            let server = try ServerProcess(database)
            let process = server.process.processIdentifier
            let limit = 20 + round * 37 % 150
            all.formUnion(await write(server, round) { count in if count >= limit { kill(process, SIGKILL) } })
            server.process.waitUntilExit()
            #expect(all.count >= limit)
            let found = try stored(all, database)
            #expect(found == all, "round \(round): \(all.subtracting(found).count) acknowledged writes are lost")
        }
    }

    @Test func whatHasBegunIsAnsweredBeforeTheEnd() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder.file("a.sqlite"))
        let body = patient("slow")
        let connection = try RawConnection(port: server.port)
        connection.write(
            "PUT /fhir/Patient/slow HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAuthorization: \(server.authorization)\r\n"
                + "Content-Type: application/fhir+json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body.prefix(20))
        // An answer on another connection shows that the server has read what came before.
        #expect(try await server.send(.get, "/metadata").status == 200)
        kill(server.process.processIdentifier, SIGTERM)
        // It listens no more.
        while (try? RawConnection(port: server.port)) != nil { await Task.yield() }
        connection.write(String(body.dropFirst(20)))
        #expect(connection.rest().hasPrefix("HTTP/1.1 201"))
        server.process.waitUntilExit()
        #expect(server.process.terminationReason == .exit && server.process.terminationStatus == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.sqlite"])
        #expect(try stored(["slow"], folder.file("a.sqlite")) == ["slow"])
    }

    /// Writes a patient as an app does, on the file itself.
    private func put(_ id: String, _ store: FHIRStore) throws {
        let release = store.release
        let content = Data(patient(id).utf8)
        try store.write { transaction in try transaction.upsert(FHIRJSON.resource(from: content, release: release)) }
    }

    private func count(_ store: FHIRStore) throws -> SQLValue? {
        try store.sql("SELECT count(*) FROM Patient WHERE _parent IS NULL").first?[0]
    }

    @Test func anAppAndTwoServersUseOneFile() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let database = folder.file("a.sqlite")
        let first = try ServerProcess(database)
        let second = try ServerProcess(database)
        let store = try FHIRStore(path: database, release: try #require(FHIRRelease.bundled("R4")))
        for number in 0..<30 {
            async let one = first.send(.put, "/Patient/one-\(number)", body: patient("one-\(number)"))
            async let two = second.send(.put, "/Patient/two-\(number)", body: patient("two-\(number)"))
            try put("app-\(number)", store)
            #expect(try await one.status == 201)
            #expect(try await two.status == 201)
        }
        for server in [first, second] {
            let found = try await server.send(.get, "/Patient?_summary=count")
            #expect(String(decoding: found.body, as: UTF8.self).contains(#""total":90"#))
        }
        #expect(try count(store) == .integer(90))
    }

    /// A reference to a payload never passes for its content, and what a request stores is kept apart like what the app stores.
    @Test func payloadsThatAreKeptApartAreServedAndStored() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let database = folder.file("a.sqlite")
        let release = try #require(FHIRRelease.bundled("R4"))
        let data = Data(String(repeating: "payload ", count: 2_000).utf8).base64EncodedString()
        func document(_ id: String) -> String {
            #"{"resourceType":"DocumentReference","id":"\#(id)","status":"current","content":[{"attachment":{"data":"\#(data)"}}]}"#
        }
        do {
            let store = try FHIRStore(path: database, release: release)
            try await store.attachments.externalizeNewPayloads(AttachmentPolicy())
            let resource = try FHIRJSON.resource(from: Data(document("app").utf8), release: release)
            try await store.write { tx in _ = try tx.upsert(resource) }
        }
        let server = try ServerProcess(database)
        #expect(try await server.send(.put, "/DocumentReference/request", body: document("request")).status == 201)
        for id in ["app", "request"] {
            let answer = String(decoding: try await server.send(.get, "/DocumentReference/\(id)").body, as: UTF8.self)
            #expect(answer.contains(data) && !answer.contains("blob:"))
        }
        server.end(SIGTERM)
        let store = try FHIRStore(path: database, release: release)
        let rows = try await store.sql("SELECT count(DISTINCT root) FROM _blob_reference")
        #expect(rows.first?[0].integer == 2)
    }

    @Test func aFullDiskIsAStatusAndTheServerGoesOn() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let disk = folder.file("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard getuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else {
            print("skipped: only root can mount a small disk")
            return
        }
        let server: ServerProcess
        do {
            server = try ServerProcess(disk + "/a.sqlite", shell: "mount -t tmpfs -o size=6m tmpfs '\(disk)' || exit 9")
        } catch {
            print("skipped: this machine mounts no small disk")
            return
        }
        let text = String(repeating: "x", count: 200_000)
        var statuses: [Int] = []
        for number in 0..<60 {
            let body = #"{"resourceType":"Patient","id":"p\#(number)","name":[{"family":"\#(text)"}]}"#
            statuses.append(try await server.send(.put, "/Patient/p\(number)", body: body).status)
            if statuses.last != 201 { break }
        }
        #expect(statuses.first == 201 && statuses.last == 507, "\(statuses)")
        #expect(try await server.send(.get, "/Patient/p0").status == 200)
        // What is deleted makes room again.
        for number in 0..<statuses.count - 1 { _ = try await server.send(.delete, "/Patient/p\(number)") }
        #expect(try await server.send(.get, "/Patient?_summary=count").status == 200)
    }
}
