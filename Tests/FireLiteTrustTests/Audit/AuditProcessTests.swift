import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

/// Processes that append at once make one tree, and one that is killed leaves a whole one.
@Suite(.timeLimit(.minutes(30))) struct AuditProcessTests {
    private static let kills = Effort.isNightly ? 200 : Effort.count(4)
    private static let commits = Effort.isNightly ? 500 : 60

    /// A store with a trail, and the file of its key.
    private func withTrail(_ body: (_ path: String, _ key: String, _ keys: [PublicKey]) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let key = try PrivateKey()
        let file = try folder.write("key.pem", key.pem().value)
        let path = folder.file("store.sqlite")
        let store = try FHIRStore(path: path, release: .r4)
        try store.startAudit(by: SigningIdentity(id: "device", key: key))
        try store.close()
        try body(path, file, [key.publicKey])
    }

    private func child(_ arguments: [String], _ output: Pipe) throws -> Process {
        let child = Process()
        let beside = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL].flatMap { url in
            (0..<4).map { levels in (0..<levels).reduce(url) { url, _ in url.deletingLastPathComponent() } }
        }
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map { $0.bundleURL.deletingLastPathComponent() }
        let found = (beside + bundles).first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("AuditChild").path)
        }
        guard let found else { throw CocoaError(.fileNoSuchFile) }
        child.executableURL = found.appendingPathComponent("AuditChild")
        child.arguments = arguments
        child.standardOutput = output
        return child
    }

    private func lines(_ data: Data) -> Int { data.count { $0 == UInt8(ascii: "\n") } }

    @Test func twoProcessesAppendToOneTree() throws {
        try withTrail { path, key, keys in
            let outputs = [Pipe(), Pipe(), Pipe()]
            let children = try outputs.enumerated().map { number, output in
                try child([path, key, "app\(number)", "\(Self.commits)"], output)
            }
            for child in children { try child.run() }
            for output in outputs { #expect(lines(output.fileHandleForReading.readDataToEndOfFile()) == Self.commits + 1) }
            for child in children {
                child.waitUntilExit()
                #expect(child.terminationStatus == 0)
            }
            let store = try FHIRStore(path: path, release: .r4)
            let result = try store.verifyAudit(from: nil, signedBy: keys)
            #expect(result.isIntact, "\(String(describing: result.finding))")
            #expect(result.headCount == Int64(1 + 3 * Self.commits) && result.size == Int64(3 * Self.commits / 2 * 3))
            let entries = try store.read { try $0.auditEntries() }
            for number in 0..<3 { #expect(entries.count { $0.party.actor == "app\(number)" } == Self.commits / 2 * 3) }
            #expect(try store.check().isEmpty)
        }
    }

    @Test func aKillLeavesNoGap() throws {
        try withTrail { path, key, keys in
            var random = SeededGenerator(seed: 31)
            var kept: [AuditHead] = []
            var rows: Int64 = 0
            for kill in 0..<Self.kills {
                let output = Pipe()
                let child = try child([path, key, "app\(kill)", "100000"], output)
                try child.run()
                let wanted = 1 + random.int(0...20)
                var data = Data()
                while lines(data) < wanted {
                    let more = output.fileHandleForReading.availableData
                    if more.isEmpty { break }
                    data += more
                }
                // At a random moment of the next commit.
                usleep(UInt32(random.int(0...3_000)))
                Foundation.kill(child.processIdentifier, SIGKILL)
                data += output.fileHandleForReading.readDataToEndOfFile()
                child.waitUntilExit()
                let store = try FHIRStore(path: path, release: .r4)
                let result = try store.verifyAudit(from: kept.last, signedBy: keys)
                #expect(result.isIntact, "\(String(describing: result.finding))")
                // What was reported is there: a row for a write, two for reads.
                let reported = max(lines(data) - 1, 0)
                #expect(result.size >= rows + Int64((reported + 1) / 2 + reported / 2 * 2))
                let patients = try store.count(Patient.self)
                #expect(try store.read { try $0.auditEntries() }.count { $0.access.action == .create } == patients)
                rows = result.size
                kept.append(try result.head.unwrapped())
                try store.close()
            }
            let store = try FHIRStore(path: path, release: .r4)
            #expect(try store.read { try $0.verifyAudit(from: kept, signedBy: keys) }.isIntact)
            print("audit: \(Self.kills) kills, \(rows) rows, each trail whole")
        }
    }
}
