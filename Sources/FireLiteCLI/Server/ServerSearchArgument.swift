import FireLite
import FireLiteSearch
import FireLiteSync
import Foundation

/// The server that `firelite search --server` asks too, and when.
struct ServerSearchArgument {
    static let options =
        [
            OptionDefinition.option("server", "URL", "also search the FHIR server with this base address"),
            .option(
                "ask", "WHEN", kind: .choice(["missing", "always", "only"]),
                "missing: if the database lacks it (default); always; only: not the database"),
            CredentialsFile.option, ServerArgument.plainHTTP,
        ] + ServerArgument.times

    static let discussion = """
        With --server the server is asked if the search finds nothing in the database, or if its type was never pulled
        completely; with --ask always it is asked first. Its matches are stored; `firelite pull` and `firelite sync` keep
        them up to date. If it cannot be reached, the database's matches are printed, and standard error says so; with --ask
        only that is an error. If the server ignores a parameter of the search, its answer does not count.
        """

    private let server: ServerArgument
    private let policy: SearchPolicy

    /// - Returns: nil without `--server`.
    /// - Throws: `ToolError` with status 2.
    init?(_ arguments: ParsedArguments) throws {
        guard arguments.has("server") else {
            let other = ["ask", "credentials", "plain-http", "timeout", "deadline"].first { arguments.has($0) }
            if let other { throw ToolError.usage("--\(other) needs --server URL") }
            return nil
        }
        server = try ServerArgument(arguments)
        switch arguments["ask"] ?? "missing" {
        case "missing": policy = .storeThenServer
        case "always": policy = .serverThenStore
        case "only": policy = .server
        case let word: throw ToolError.usage("--ask is '\(word)', not missing, always or only")
        }
    }

    /// Searches in the database and at the server, and reports where the matches come from if they may not be all.
    func search(_ store: FHIRStore, request: SearchRequest, options: SearchOptions, console: Console) throws -> SearchResult {
        let synchronizer = Synchronizer(store, try server.client(store.release), scope: .nothing)
        let policy = policy
        let answer: SyncSearchResult
        do {
            answer = try server.explaining {
                try awaiting { HandedOver(try await synchronizer.search(request, policy, options: options)) }.value
            }
        } catch let error as SyncError where error.code == .invalidArgument { throw ToolError.usage(error) }
        for name in answer.ignored { console.report("ignored by the server: \(name)") }
        if let failure = answer.failure {
            console.report("firelite search: \(ToolWords.text(of: failure)); these are the database's matches")
        } else if answer.source == .server, !answer.isComplete {
            console.report("firelite search: the server has more matches than these")
        }
        return answer.result
    }
}

/// A value that goes from a task to the thread that waits for it.
///
/// `@unchecked Sendable`: the task has ended, and nothing else has the value.
private struct HandedOver<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: sending Value) { self.value = value }
}
