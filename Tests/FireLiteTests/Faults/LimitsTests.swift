import FireLite
import FireLiteR4
import Foundation
import Testing

/// Permissions and memory, which a program of its own has to do without.
@Suite struct LimitsTests {
    private func withStoreOfMode(
        file: Int, folder folderMode: Int, holdsStore: Bool = true, _ body: (_ output: String, _ path: String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            if holdsStore {
                do {
                    let store = try FHIRStore(path: path, release: .r4)
                    try store.write { tx in try tx.add(faultPatient("1")) }
                }
                try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: path)
            }
            try FileManager.default.setAttributes([.posixPermissions: folderMode], ofItemAtPath: folder)
            defer {
                // Lets the folder be deleted by who is not root.
                #expect(throws: Never.self) { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
            }
            let (output, status) = try ChildProgram.run(["nobody", path])
            #expect(status == 0)
            try body(output, path)
        }
    }

    private func expectRefusal(_ output: String, _ path: String, _ codes: [String]) {
        #expect(codes.contains { output.hasPrefix($0 + " ") }, "\(output)")
        #expect(output.contains(path) && output.contains("check") && !output.contains("\n"), "\(output)")
    }

    @Test func aReadOnlyFileIsAnErrorThatSaysSo() throws {
        try withStoreOfMode(file: 0o444, folder: 0o777) { expectRefusal($0, $1, ["readOnly"]) }
    }

    @Test func aReadOnlyFolderIsAnErrorThatSaysSo() throws {
        try withStoreOfMode(file: 0o666, folder: 0o555) { expectRefusal($0, $1, ["readOnly", "cannotOpen"]) }
    }

    @Test func aFileWithoutPermissionIsAnErrorThatSaysSo() throws {
        try withStoreOfMode(file: 0o000, folder: 0o777) { expectRefusal($0, $1, ["cannotOpen"]) }
    }

    @Test func aNewFileInAReadOnlyFolderIsAnErrorThatSaysSo() throws {
        try withStoreOfMode(file: 0, folder: 0o555, holdsStore: false) { expectRefusal($0, $1, ["cannotOpen"]) }
    }

    /// `FIRELITE_MEMORY_ROUNDS` sets the number of limits; default: 40.
    @Test(.enabled(if: Library.hasMemoryLimit, "needs SQLite 3.31 or newer")) func noMemoryLimitDamagesTheStore() throws {
        let rounds = ProcessInfo.processInfo.environment["FIRELITE_MEMORY_ROUNDS"] ?? "40"
        try withTemporaryFolder { folder in
            let (output, status) = try ChildProgram.run(["memory", folder, rounds])
            #expect(status == 0)
            #expect(output.hasPrefix("memory: ") && !output.contains("memory: 0 rounds") && !output.contains(", 0 did"), "\(output)")
            print(output)
        }
    }
}
