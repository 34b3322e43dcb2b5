import FireLite
import FireLiteDemonstration
import FireLiteSynthetic
import Foundation

/// `firelite demo`: a tour of the store in a minute, with synthetic data.
struct DemoCommand: Command {
    private static let defaultPath = "firelite-demo.sqlite"

    static let definition = CommandDefinition(
        name: "demo", summary: "store synthetic resources, show them as tables, find and change them",
        options: [
            .option("database", "FILE", kind: .output(.database), "the file to create (default: \(defaultPath), which is replaced)"),
            .option("patients", "N", "the number of patients (default: 100)"),
            .option("seed", "N", "the seed of the data (default: 1)"),
        ],
        operands: "", operandCount: 0...0,
        discussion: """
            The same seed gives the same resources. The file is kept; you can open it with any SQLite client.

            Examples: firelite demo
                      firelite demo --database clinic.sqlite --patients 500 --seed 7
            """)

    private let database: DatabaseArgument
    private let isDefaultPath: Bool
    private let patients: SyntheticPatients

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments, path: Self.defaultPath, makesDefault: true, release: .r4)
        isDefaultPath = !arguments.has("database")
        patients = SyntheticPatients(
            count: try arguments.number("patients", in: 1...1_000_000) ?? 100,
            seed: UInt64(try arguments.number("seed", in: 0...Int.max) ?? 1))
    }

    func run(_ console: Console) throws -> ExitStatus {
        try makeRoom()
        let store = try database.create()
        try database.located {
            try Demonstration(store: store, path: database.path, patients: patients, width: console.width, print: console.print).run()
        }
        return .done
    }

    /// Replaces the demo's own file, and no other.
    private func makeRoom() throws {
        guard FileManager.default.fileExists(atPath: database.path) else { return }
        var status = stat()
        let isEmpty = stat(database.path, &status) == 0 && status.st_size == 0
        guard isDefaultPath, isEmpty || ImportSource.isDatabase(database.path) else { throw OutputPath.exists(database.path) }
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(database.path + suffix) }
    }
}
