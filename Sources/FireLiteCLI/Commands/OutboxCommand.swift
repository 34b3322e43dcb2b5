import FireLite
import FireLiteSync
import FireLiteTerminal
import Foundation

/// `firelite outbox`: lists, retries, discards and sends the requests that wait in a database.
struct OutboxCommand: Command {
    static let definition = CommandDefinition(
        name: "outbox", summary: "list, retry, discard and send requests that wait for a server",
        options: DatabaseArgument.options + [ServerArgument.server(isRequired: false)]
            + ([CredentialsFile.option, ServerArgument.plainHTTP] + ServerArgument.times).map { $0.only(with: ["send"]) } + [
                .flag("park", "with send: go on after a request that the server refuses").only("send"),
                .flag("outcomes", "print what the server said, which may repeat values of records"),
            ],
        operands: "list|retry|discard|send [N…]", operandCount: CommandDefinition.anyNumber,
        operandKinds: [.choice(Action.allCases.map(\.rawValue)), .other],
        jsonKeys: [
            JSONKey(
                "entries", "a list: number, server, method, path, state, created, attempts, tried, status, error, sealed, bytes, outcome"),
            JSONKey("sent", "the number of requests that the server accepted"),
            JSONKey("refused", "a list: the numbers of requests that the server refused now"),
            JSONKey("stopped", "why sending stopped, if it did"),
        ],
        list: ListDefinition(key: "entries", actions: ["list"], rowKeys: ["number"]),
        discussion: """
            list prints the waiting requests in the order of sending; with --server only those for that server. Objects have
            outcome only with --outcomes. send needs --server and sends to it. It stops at a request that the server refuses,
            until that is retried or discarded: give the numbers N, as list prints them. The exit status is 1 if something is
            refused or postponed, 3 if the server cannot be reached.

            Examples: firelite outbox --database health.sqlite list
                      firelite outbox --database health.sqlite --server https://fhir.example.org/r4 send
            """)

    private enum Action: String, CaseIterable {
        case list, retry, discard, send
    }

    private let database: DatabaseArgument
    private let server: ServerArgument?
    private let action: Action
    private let numbers: [Int64]
    private let parks: Bool
    private let hasOutcomes: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        server = arguments.has("server") ? try ServerArgument(arguments) : nil
        parks = arguments.has("park")
        hasOutcomes = arguments.has("outcomes")
        listing = try Listing(arguments, Self.definition)
        let verb = arguments.operands[0]
        guard let action = Action(rawValue: verb) else { throw ToolError.usage("'\(verb)' is not list, retry, discard or send") }
        self.action = action
        numbers = try arguments.operands.dropFirst().map { text in
            guard let number = Int64(text), number > 0 else { throw ToolError.usage("'\(text)' is not the number of a request") }
            return number
        }
        switch action {
        case .list, .send: if let number = numbers.first { throw ToolError.usage("unexpected argument '\(number)'") }
        case .retry, .discard: if numbers.isEmpty { throw ToolError.usage("\(verb) needs the number of a request: list prints them") }
        }
        if action == .send, server == nil { throw ToolError.usage("send needs --server") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        switch action {
        case .list: return try print(database.openForReading(), nil, console)
        case .retry: return try change(console) { try $0.retryOutboxEntry($1) }
        case .discard: return try change(console) { try $0.discardOutboxEntry($1) }
        case .send: return try send(console)
        }
    }

    private func change(_ console: Console, _ body: (WriteTransaction, Int64) throws -> Void) throws -> ExitStatus {
        let store = try database.open()
        try database.located {
            do {
                try store.write { tx in for number in numbers { try body(tx, number) } }
            } catch let error as OutboxError { throw ToolError.incomplete(error) }
        }
        return try print(store, nil, console)
    }

    private func send(_ console: Console) throws -> ExitStatus {
        guard let server else { return .usage }
        let store = try database.open()
        let outbox = try Outbox(store: store, client: server.client(database.release), refusals: parks ? .park : .stop)
        let result = try awaiting { try await outbox.flush() }
        let status = try print(store, result, console)
        switch result.stop {
        case .failed(_, let failure): throw ToolError.failed(failure.message)
        case .refused, .postponed: return .incomplete
        case nil: return result.refused.isEmpty ? status : .incomplete
        }
    }

    // MARK: - Printing

    private func print(_ store: FHIRStore, _ result: OutboxFlushResult?, _ console: Console) throws -> ExitStatus {
        let entries = try database.located { try store.read { try $0.outboxEntries(for: server?.base) } }
        var report = Report()
        if let result { report.addNote("sent \(Figures.count(result.sent.count))") }
        if let stop = result?.stop { report.addNote("stopped: \(Self.text(stop))") }
        report.addTable("entries", columns, entries.map(row), isShown: !entries.isEmpty)
        report.addMember("sent", .number(result?.sent.count ?? 0))
        report.addMember("refused", .json(JSONText.array((result?.refused ?? []).map { "\($0)" })))
        report.addMember("stopped", FigureValue(result?.stop.map(Self.text)))
        if entries.isEmpty, result == nil { report.addNote("nothing waits") }
        try console.print(report, listing)
        return .done
    }

    private static func text(_ stop: OutboxFlushResult.Stop) -> String {
        switch stop {
        case .failed(let number, let failure): "\(number): \(failure.message)"
        case .refused(let number): "the server refuses \(number): retry or discard it"
        case .postponed(let date): "the server wants no request before \(Figures.moment(date))"
        }
    }

    private var columns: [Report.Column] {
        [
            .init(key: "number", alignment: .right), .init(key: "server"), .init(key: "method"), .init(key: "path", isShown: false),
            .init(key: "state"), .init(key: "created"), .init(key: "attempts", alignment: .right), .init(key: "tried", isShown: false),
            .init(key: "status", alignment: .right), .init(key: "error"), .init(key: "sealed", isShown: false),
            .init(key: "bytes", alignment: .right),
        ] + (hasOutcomes ? [.init(key: "outcome")] : [])
    }

    private func row(_ entry: OutboxEntry) -> [FigureValue] {
        let figures: [FigureValue] = [
            .number(Int(entry.number)), .text(entry.server),
            .shown("\(FHIRRequest(entry.method, entry.path))", .text(entry.method.rawValue)),
            .text(entry.path), .text(entry.state.rawValue), .time(entry.created), .number(entry.attempts),
            entry.lastAttempt.map { .time($0) } ?? .none, entry.status.map { .number($0) } ?? .none, FigureValue(entry.error),
            .flag(entry.isSealed), .bytes(entry.bodyByteCount),
        ]
        guard hasOutcomes else { return figures }
        let texts = entry.issues.compactMap { $0.details ?? $0.diagnostics ?? $0.code }.joined(separator: "; ")
        return figures + [.shown(texts, entry.outcome.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .none)]
    }
}
