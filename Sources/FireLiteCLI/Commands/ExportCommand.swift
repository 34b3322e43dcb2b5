import FireLite
import Foundation

/// `firelite export`: the database into NDJSON files.
struct ExportCommand: Command {
    static let definition = CommandDefinition(
        name: "export", summary: "write the resources as NDJSON, one file for each type",
        options: DatabaseArgument.options + [
            .option("type", "T", isRepeatable: true, "a resource type to write; all unless given"),
            .option("output", "DIR|-", isRequired: true, "the folder for the files, or - for standard output"),
        ],
        operands: "", operandCount: 0...0,
        discussion: """
            A folder gets Type.ndjson for each type that is stored or asked for; it is made if it is not there. The files
            appear when all of them are complete. Standard output gets one type after another. Everything written is one
            snapshot of the database.

            Example: firelite export --database health.sqlite --type Patient --output - | wc -l
            """)

    private let database: DatabaseArgument
    private let types: [String]
    private let output: String

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        var types: [String] = []
        for type in arguments.all("type") where !types.contains(type) {
            _ = try database.resourceType(named: type)
            types.append(type)
        }
        self.types = types
        output = arguments["output"] ?? ""
        if output.isEmpty { throw ToolError.usage("--output needs the name of a folder, or -") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let clock = ContinuousClock()
        let start = clock.now
        if output == "-" {
            try database.located { try export(store, to: console.standardOutput) }
            return .done
        }
        let folder = try ExportFolder(path: output)
        let counts = try database.located { try export(store, to: folder) }
        try folder.finish()
        let total = counts.reduce(0, +)
        try console.print("exported \(total), files \(counts.count), seconds \(Figures.seconds(start.duration(to: clock.now)))")
        return .done
    }

    private func export(_ store: FHIRStore, to output: any ByteOutput) throws {
        let buffer = BufferedOutput(output)
        try store.read { transaction in
            for type in try typesToWrite(transaction) { _ = try Self.write(type, transaction, to: buffer) }
        }
        try buffer.flush()
    }

    private func export(_ store: FHIRStore, to folder: ExportFolder) throws -> [Int] {
        try store.read { transaction in
            try typesToWrite(transaction).map { type in
                try folder.write("\(type).ndjson") { try Self.write(type, transaction, to: $0) }
            }
        }
    }

    private func typesToWrite(_ transaction: ReadTransaction) throws -> [String] {
        types.isEmpty ? try transaction.counts().filter { $0.count > 0 }.map(\.typeName) : types
    }

    private static func write(_ type: String, _ transaction: ReadTransaction, to output: any ByteOutput) throws -> Int {
        var count = 0
        try transaction.forEach(typeName: type) { resource in
            try output.write(FHIRJSON.data(resource))
            try output.write("\n")
            count += 1
        }
        return count
    }
}
