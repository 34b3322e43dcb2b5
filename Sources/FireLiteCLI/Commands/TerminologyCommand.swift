import FireLite
import FireLiteKnowledge
import FireLiteTerminal
import Foundation

/// `firelite terminology`: answers questions about codes.
struct TerminologyCommand: Command {
    static let definition = CommandDefinition(
        name: "terminology", summary: "expand value sets, and check, look up and translate codes",
        options: [
            .option("parameters", "FILE", kind: .file, isRequired: true, "the operation's Parameters in JSON; - is standard input"),
            .option(
                "resource", "FILE", kind: .file, isRepeatable: true,
                "a CodeSystem, ValueSet or ConceptMap in JSON, or a Bundle with some"),
            CodesArgument.option,
            .option("database", "FILE", kind: .database, "use the definitions in this SQLite file and in its packages, too"),
            .option("language", "TAG", "the languages of names, as in Accept-Language: 'de, en; q=0.5'; not with closure").only(answered),
            .option("limit", "N", "with expand: the maximum number of codes without count (default: 1000)").only("expand"),
            .option("repeat", "N", "answer N times, and print the mean and the median time on standard error; not with closure")
                .only(answered),
            DatabaseArgument.release,
            KeyFile.option.needing(CommandDefinition.database),
        ],
        operands: "OPERATION", operandCount: 1...1, operandKinds: [.choice(operations)],
        discussion: """
            OPERATION is one of FHIR's, and --parameters has what a server would be sent:

              expand            the codes of a value set
              validate-code     whether a code is in a value set
              cs-validate-code  whether a code is in a code system
              lookup            what is known of a code
              subsumes          how two codes relate
              translate         what concept maps make of a code
              batch-validate    several validations at once
              closure           which of a client's codes are below which: a request a line, which follow each other

            Definitions are those of --resource, --database, --knowledge and parameters named tx-resource. UCUM, languages,
            media types, countries and currencies are known without.

            Output is the resource that a server would answer with: Parameters, a ValueSet, or an OperationOutcome if there is no
            answer; then the exit status is 1. Each line of closure is answered.

            Examples: firelite terminology validate-code --resource colors.json --parameters request.json
                      firelite terminology expand --database health.sqlite --parameters request.json --language de
            """)

    private static let closure = "closure"
    private static let answered = TerminologyOperation.allCases.map(\.rawValue)
    private static let operations = answered + [closure]

    /// Nil for `closure`, whose requests change what it is about.
    private let operation: TerminologyOperation?
    private let parameters: String
    private let resources: [String]
    private let knowledge: CodesArgument
    private let database: DatabaseArgument?
    private let release: FHIRRelease
    private let language: String?
    private let limit: Int?
    private let repetitions: Int

    init(_ arguments: ParsedArguments) throws {
        let name = arguments.operands[0]
        guard Self.operations.contains(name) else {
            throw ToolError.usage("unknown operation '\(name)': choose one of \(Self.operations.joined(separator: ", "))")
        }
        operation = TerminologyOperation(rawValue: name)
        parameters = arguments["parameters"] ?? "-"
        resources = arguments.all("resource")
        knowledge = CodesArgument(arguments)
        let argument = try DatabaseArgument(arguments, path: "-")
        release = argument.release
        database = arguments.has("database") ? argument : nil
        language = arguments["language"]
        limit = try arguments.number("limit", in: 1...Int.max)
        repetitions = try arguments.number("repeat", in: 1...1_000_000) ?? 0
    }

    func run(_ console: Console) throws -> ExitStatus {
        var terminology = Terminology(release: release)
        if let limit { terminology.maximumExpansion = limit }
        for path in resources {
            let json = try FileContents.bytes(of: path)
            do {
                try terminology.add(contentsOf: json)
            } catch let error as TerminologyError {
                throw ToolError.incomplete("\(path): \(error.message)")
            }
        }
        let request = try FileContents.bytes(of: parameters, console)
        guard let database else {
            try knowledge.add(to: &terminology)
            return try run(terminology, request, console)
        }
        let store = try database.openForReading()
        return try database.located {
            try knowledge.add(to: &terminology, of: store)
            return try run(terminology, request, console)
        }
    }

    /// Performs `$closure` for each request, one a line, or for one that has several lines. The tables last as long as the command; a request without an
    /// answer leaves them as they are.
    private func close(_ terminology: Terminology, _ request: Data, _ console: Console) throws -> ExitStatus {
        let lines = request.split(separator: UInt8(ascii: "\n")).filter { line in !line.allSatisfy { $0 <= 0x20 } }
        let isList = lines.count > 1 && (try? JSONSerialization.jsonObject(with: lines[0])) != nil
        var tables = ClosureTables()
        var status = ExitStatus.done
        for one in isList ? lines : [request] {
            let answer: Data
            do {
                answer = try tables.perform(parameters: one, using: terminology)
            } catch let error as TerminologyError {
                answer = error.operationOutcome
                status = .incomplete
            }
            try console.print(String(decoding: answer, as: UTF8.self))
        }
        return status
    }

    /// Answers again and again; the first answer, which reads what it needs, does not count.
    private func measure(_ operation: TerminologyOperation, _ terminology: Terminology, _ request: Data, _ console: Console) throws {
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<repetitions {
            let start = clock.now
            _ = try terminology.perform(operation, parameters: request, language: language)
            times.append(start.duration(to: clock.now))
        }
        let mean = times.reduce(.zero, +) / repetitions
        // Other programs that use the processor make the mean larger.
        let median = times.sorted()[repetitions / 2]
        func text(_ time: Duration) -> String { time.formatted(.units(allowed: [.microseconds], fractionalPart: .show(length: 1))) }
        console.report("\(Figures.count(repetitions, "answer")), \(text(mean)) each, median \(text(median))")
    }

    private func run(_ terminology: Terminology, _ request: Data, _ console: Console) throws -> ExitStatus {
        do {
            guard let operation else { return try close(terminology, request, console) }
            let answer = try terminology.perform(operation, parameters: request, language: language)
            try console.print(String(decoding: answer, as: UTF8.self))
            if repetitions > 0 { try measure(operation, terminology, request, console) }
            return .done
        } catch let error as TerminologyError {
            try console.print(String(decoding: error.operationOutcome, as: UTF8.self))
            return .incomplete
        }
    }
}
