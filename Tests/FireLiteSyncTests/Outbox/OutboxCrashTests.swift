import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// A process that is killed while it sends loses no request, and sends none to two effects; nor do two processes at once.
@Suite(.timeLimit(.minutes(30))) struct OutboxCrashTests {
    private static let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
    private static let entries = isNightly ? 500 : 30
    private static let kills = isNightly ? 200 : Effort.count(6)

    /// A store with so many creates, and a folder that is their server.
    private func withQueue(_ count: Int, _ body: (_ path: String, _ server: String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try fill(path, count)
        try body(path, folder.path)
    }

    private func fill(_ path: String, _ count: Int) throws {
        let store = try FHIRStore(path: path, release: .r4)
        try store.write { tx in for number in 1...count { try tx.enqueue(.create(numbered(number)), for: testBase) } }
        try store.close()
    }

    /// The numbers in the last column of a file of the server.
    private func numbers(_ name: String, _ server: String) throws -> [Int] {
        guard let data = FileManager.default.contents(atPath: "\(server)/\(name)") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    }

    private func waiting(_ path: String) throws -> [OutboxEntry] {
        let store = try FHIRStore(path: path, release: .r4)
        #expect(try store.check().isEmpty)
        return try store.read { try $0.outboxEntries() }
    }

    @Test func killsLoseNothingAndSendNothingTwice() throws {
        try withQueue(Self.entries) { path, server in
            var random = SeededGenerator(seed: 21)
            var (kills, begun) = (0, 0)
            for _ in 0..<Self.kills {
                // What is sent between two kills, on the average, is what is left for each of them.
                let left = try waiting(path).count
                if left <= 1 { break }
                try kill(path, server, after: random.int(0...max(1, 4 * Self.entries / Self.kills)), &random)
                kills += 1
                begun += try waiting(path).filter(\.isUncertain).count
            }
            let output = Pipe()
            let child = try OutboxChildProgram.process(["flush", path, server], output: output)
            try child.run()
            _ = output.fileHandleForReading.readDataToEndOfFile()
            child.waitUntilExit()
            #expect(child.terminationStatus == 0)
            #expect(try waiting(path).isEmpty)
            #expect(try numbers("resources", server) == Array(1...Self.entries))
            let requests = try numbers("requests", server).count
            // An entry that was on its way is sent again, and no other.
            #expect(requests >= Self.entries && requests <= Self.entries + begun)
            print("outbox: \(kills) kills in a flush of \(Self.entries), \(begun) with an entry on its way, \(requests) requests")
        }
    }

    /// Runs the child and kills it at a random moment after so many reports.
    private func kill(_ path: String, _ server: String, after count: Int, _ random: inout SeededGenerator) throws {
        let output = Pipe()
        let child = try OutboxChildProgram.process(["flush", path, server], output: output)
        try child.run()
        var received = Data()
        while received.count(where: { $0 == 10 }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            received.append(more)
        }
        let moment = DispatchTime.now() + .microseconds(random.int(0...3_000))
        while DispatchTime.now() < moment {}
        Foundation.kill(child.processIdentifier, SIGKILL)
        _ = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
    }

    @Test func twoProcessesSendEachEntryOnce() throws {
        let count = Self.isNightly ? 500 : 40
        try withQueue(count) { path, server in
            let outputs = [Pipe(), Pipe()]
            let children = try outputs.map { try OutboxChildProgram.process(["flush", path, server], output: $0) }
            for child in children { try child.run() }
            let texts = outputs.map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
            for child in children {
                child.waitUntilExit()
                #expect(child.terminationStatus == 0)
            }
            #expect(try numbers("requests", server) == Array(1...count))
            #expect(try numbers("resources", server) == Array(1...count))
            let sent = texts.compactMap { $0.split(separator: "\n").last?.split(separator: " ").last.flatMap { Int($0) } }
            #expect(sent.count == 2 && sent.reduce(0, +) == count)
            #expect(try waiting(path).isEmpty)
        }
    }

    @Test(.enabled(if: LocalServers.fhir != nil, Comment(rawValue: LocalServers.hint)))
    func killsLoseNothingAtARealServer() async throws {
        let server = try #require(LocalServers.fhir)
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let tag = "crash-" + UUID().uuidString.prefix(8)
        let count = Self.isNightly ? 40 : 12
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try await store.write { tx in
                for number in 1...count {
                    let patient = Patient {
                        $0.name = [HumanName { $0.family = tag }]
                        $0.multipleBirthInteger = number
                    }
                    try tx.enqueue(.create(patient), for: server)
                }
            }
        }
        var random = SeededGenerator(seed: 5)
        let kills = Self.isNightly ? 8 : 2
        for _ in 0..<kills {
            let child = try OutboxChildProgram.process(["post", path, server.absoluteString], output: Pipe())
            try child.run()
            let moment = DispatchTime.now() + .milliseconds(random.int(50...250))
            while DispatchTime.now() < moment {}
            Foundation.kill(child.processIdentifier, SIGKILL)
            child.waitUntilExit()
        }
        let client = try FHIRClient(base: server, release: .r4)
        let outbox = try Outbox(store: FHIRStore(path: path, release: .r4), client: client)
        #expect(try await outbox.flush().ending == "done")
        var numbers: [Int] = []
        for try await patient in client.search(Patient.self, ["family": String(tag), "_count": "100"]).matches {
            if let number = patient.multipleBirthInteger { numbers.append(number) }
        }
        #expect(Set(numbers) == Set(1...count))
        // This server looks for the identifier and creates in two steps, so the request of a killed process, if it is still under way there, may
        // create beside the next one. A server that takes both as one step, as HTTP's conditional requests are meant, gets each entry once (above).
        #expect(numbers.count <= count + kills, "each kill interrupts one request: \(numbers.sorted())")
    }
}
