import Foundation
import TestSupport

/// Programs of Python's standard library, which tests run beside themselves.
enum PythonProgram {
    /// Whether there is a Python.
    static let isPresent: Bool = {
        do {
            let process = try start(["-c", "pass"], output: Pipe())
            process.waitUntilExit()
            return process.terminationStatus == 0
        } catch {
            return false
        }
    }()

    static func start(_ arguments: [String], output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = output
        try process.run()
        return process
    }
}
