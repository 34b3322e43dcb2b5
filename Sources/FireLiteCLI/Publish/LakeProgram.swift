import Foundation

/// The program `firelite-lake` of the Python package in `Packages/Lake`.
enum LakeProgram {
    /// The status with which it asks for another plan.
    static let staleStatus: Int32 = 75

    /// What became of one view of one database.
    struct Table: Decodable {
        let store: String
        let table: String
        let mode: String
        let added: Int
        let removed: Int
        let rows: Int
        let version: Int
    }

    struct Result {
        let status: Int32
        let tables: [Table]
        let notes: [String]
        /// Why it ended early; nil if it did not.
        let error: String?
    }

    private struct Output: Decodable {
        let tables: [Table]
        let notes: [String]
        let error: String?
    }

    /// Whether it is installed.
    static var isInstalled: Bool { path != nil }

    /// The path in `FIRELITE_LAKE`, or that of the first program of its name in `PATH`.
    private static var path: String? {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["FIRELITE_LAKE"], !path.isEmpty { return FileManager.default.isExecutableFile(atPath: path) ? path : nil }
        return (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/firelite-lake" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Gives it a plan, and waits until it ends.
    ///
    /// - Throws: `ToolError` with status 3 if it is not installed, or ends without an answer.
    static func run(_ plan: String) throws -> Result {
        guard let path else {
            throw ToolError.failed(
                "the program firelite-lake is not installed: `pipx install Packages/Lake` installs it, and FIRELITE_LAKE may name it")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { throw ToolError.failed("\(path) cannot be started: \(error.localizedDescription)") }
        // A pipe holds less than a plan. If the program ends early, its answer says why.
        let writer = Thread {
            do { try input.fileHandleForWriting.write(contentsOf: Data(plan.utf8)) } catch {}
            do { try input.fileHandleForWriting.close() } catch {}
        }
        writer.start()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let decoded: Output
        do { decoded = try JSONDecoder().decode(Output.self, from: bytes) } catch {
            throw ToolError.failed("\(path) ended without an answer, with status \(process.terminationStatus): run the command again")
        }
        return Result(status: process.terminationStatus, tables: decoded.tables, notes: decoded.notes, error: decoded.error)
    }
}
