import Foundation

/// Other programs that open what was sealed here.
enum Oracle {
    static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// The Python of Scripts/servers.sh, which has jwcrypto.
    static let python = LocalServers.folder + "/venv/bin/python"
    static let hasJWCrypto: Bool = {
        do { return try run(python, ["-c", "import jwcrypto; print(1)"]) == Data("1\n".utf8) } catch { return false }
    }()

    /// What a program writes.
    static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return data
    }
}
