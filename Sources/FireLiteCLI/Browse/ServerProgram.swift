import Foundation

/// The program `firelite-server` of the package in `Packages/Server`.
struct ServerProgram {
    private let path: String

    /// Finds it: by `FIRELITE_SERVER`, beside this program, or in `PATH`.
    ///
    /// - Throws: `ToolError` with status 3 if it is nowhere.
    init(_ environment: [String: String]) throws {
        let name = "firelite-server"
        var places = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
        if let own = Bundle.main.executableURL?.resolvingSymlinksInPath() {
            places.insert(own.deletingLastPathComponent().appendingPathComponent(name).path, at: 0)
        }
        if let named = environment["FIRELITE_SERVER"], !named.isEmpty { places = [named] }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw ToolError.failed(
                "the program \(name) is not installed: `make server` in the source of FireLite builds it; put it beside firelite or into PATH, or name it in FIRELITE_SERVER"
            )
        }
        path = found
    }

    /// What a server serves.
    struct Pages {
        /// The path of the database.
        let database: String
        /// The file with its key; nil if it is not encrypted, or a page asks for the key.
        let keyPath: String?
        /// Whether a page asks for the key.
        let asksForKey: Bool
        /// The port; 0 for any free one.
        let port: Int
        /// Whether pages may change resources.
        let edits: Bool

        var arguments: [String] {
            ["--database", database, "--port", "\(port)"] + (edits ? ["--editing"] : ["--read-only"])
                + (keyPath.map { ["--key-file", $0] } ?? []) + (asksForKey ? ["--ask-key"] : [])
        }
    }

    /// Serves a database until the server ends.
    ///
    /// - Parameters:
    ///   - pages: what it serves.
    ///   - onReady: called with the address that opens the pages.
    /// - Throws: `ToolError` with status 3 if the server cannot be started, or ends before it has pages.
    func serve(_ pages: Pages, onReady: (String) throws -> Void) throws -> ExitStatus {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = pages.arguments
        let output = Pipe()
        process.standardOutput = output
        do { try process.run() } catch { throw ToolError.failed("\(path) cannot be started: \(error.localizedDescription)") }
        return try Interruption.ending(process) { try awaitEnd(of: process, output, onReady: onReady) }
    }

    /// Waits for the address of the pages, then for the end.
    private func awaitEnd(of process: Process, _ output: Pipe, onReady: (String) throws -> Void) throws -> ExitStatus {
        var text = Data()
        var address: String?
        while address == nil {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            text.append(piece)
            address = Self.address(in: String(decoding: text, as: UTF8.self))
        }
        guard let address else {
            process.waitUntilExit()
            throw ToolError.failed("\(path) ended before it had pages, with status \(process.terminationStatus): see what it says above")
        }
        do { try onReady(address) } catch {
            process.terminate()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ToolError.failed("\(path) ended with status \(process.terminationStatus)")
        }
        return .done
    }

    /// The address in the whole line `Pages: ADDRESS` of what the server prints; nil if it has not been printed yet.
    static func address(in text: String) -> String? {
        guard let end = text.lastIndex(where: \.isNewline) else { return nil }
        return text[..<end].split(whereSeparator: \.isNewline).first { $0.hasPrefix("Pages: ") }.map { String($0.dropFirst(7)) }
    }

    /// Opens an address in the person's browser. Without a desktop nothing happens, and the address has been printed.
    static func open(_ address: String) {
        #if canImport(Darwin)
            let program = "/usr/bin/open"
        #else
            let program = "/usr/bin/xdg-open"
        #endif
        guard FileManager.default.isExecutableFile(atPath: program) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The address has been printed.
        do { try process.run() } catch {}
    }
}
