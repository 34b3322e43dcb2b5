import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

/// Clients that others wrote, where Python has them; `Clients/clients.py` is what they do.
@Suite(.serialized) struct ClientTests {
    private static let token = "0123456789abcdef"
    private static let skipped: Int32 = 77

    @Test func theDemandsOfUSCoreAreMet() async throws {
        guard let package = ProcessInfo.processInfo.environment["FIRELITE_US_CORE"] else {
            print("skipped: FIRELITE_US_CORE names no folder with the package hl7.fhir.us.core")
            return
        }
        let folder = try TestFolder()
        defer { folder.remove() }
        let server = try ServerProcess(folder.file("a.sqlite"), ["--history"])
        let (status, output) = try await run("us_core.py", [package, server.base, server.tokenText])
        if status == Self.skipped { print("skipped: \(output)") } else { #expect(status == 0, "\(output)") }
    }

    @Test(arguments: ["fhirpy", "fhirclient", "fhir-pyrate", "smart-fetch", "schemathesis"]) func othersAreContent(_ client: String)
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FireLiteServer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try FHIRStore(path: folder.appendingPathComponent("a.sqlite").path, release: try #require(FHIRRelease.bundled("R4")))
        try store.blocking { try $0.track(.history) }
        let port = try FreePort.find()
        var configuration = FHIRService.Configuration()
        configuration.base = "http://127.0.0.1:\(port)/fhir"
        configuration.workFolder = folder.appendingPathComponent("jobs")
        configuration.authorizer = try BearerTokens([Secret(Self.token): ServiceAccess(subject: "test")])
        let service = try FHIRService(store: store, configuration: configuration)
        for number in 0..<5 {
            let request = ServiceRequest(
                .put, "/fhir/Patient/p\(number)", fields: ["Authorization": "Bearer \(Self.token)"],
                body: Data(#"{"resourceType":"Patient","id":"p\#(number)"}"#.utf8))
            #expect(await service.respond(to: request).status == 201)
        }
        var settings = ServerSettings()
        settings.port = port
        let server = HTTPServer(service, settings: settings)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let running = Task { try await server.run(handlesSignals: false) { _ = continuation.yield($0) } }
        _ = await ports.first { _ in true }
        let (status, output) = try await run("clients.py", [client, configuration.base, Self.token])
        running.cancel()
        _ = await running.result
        if status == Self.skipped {
            print("skipped: \(output)")
        } else {
            #expect(status == 0, "\(output)")
        }
    }

    private func run(_ script: String, _ arguments: [String]) async throws -> (Int32, String) {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Clients").appendingPathComponent(script)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", file.path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                continuation.resume(returning: (process.terminationStatus, text))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
