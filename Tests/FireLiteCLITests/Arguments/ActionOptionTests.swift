import Testing

@testable import FireLiteCLI

/// The options of commands that do several things: an action refuses those that it does not use.
@Suite struct ActionOptionTests {
    /// The options that all actions of a command use. Any other says in its definition which do, so that none is dropped without a word.
    private static let ofAllActions: [String: Set<String>] = [
        "appdata": ["keyring"], "audit": ["json"], "bases": [], "blobs": ["keyring", "json"], "codes": ["knowledge"], "completions": [],
        "conflicts": ["keyring", "server", "json"], "index": [], "outbox": ["server", "outcomes", "json"], "package": ["knowledge"],
        "records": ["keyring", "json"], "samples": ["json"], "terminology": ["parameters", "resource", "knowledge"], "track": [],
    ]

    private static let ofDatabases: Set = ["database", "release", "key-file"]

    private static var commands: [CommandDefinition] { FireLiteTool.definitions.filter { !$0.actions.isEmpty } }

    @Test func everyOptionIsForAllActionsOrNamesThem() {
        #expect(Self.commands.map(\.name).sorted() == Self.ofAllActions.keys.sorted())
        for command in Self.commands {
            let all = Set(command.options.filter { $0.actions == nil }.map(\.name)).subtracting(Self.ofDatabases)
            #expect(all == Self.ofAllActions[command.name], "\(command.name)")
            for option in command.options {
                guard let actions = option.actions else { continue }
                #expect(!actions.isEmpty && actions.allSatisfy(command.actions.contains), "\(command.name) --\(option.name)")
                // The help says the same.
                let others = command.actions.filter { !actions.contains($0) }
                let says = { (words: [String]) in words.allSatisfy { option.help.contains($0) } }
                #expect(says(actions) && option.help.contains("with ") || says(["not with"] + others), "\(command.name) --\(option.name)")
            }
        }
        for command in FireLiteTool.definitions where command.actions.isEmpty {
            #expect(command.options.allSatisfy { $0.actions == nil }, "\(command.name)")
        }
    }

    @Test func actionsRefuseTheOptionsOfOthers() {
        for command in Self.commands {
            for action in command.actions {
                for option in command.options where option.name != CommandDefinition.database {
                    let problem = problem(command, action, option)
                    let isRefused = problem?.hasPrefix("--\(option.name) needs ") == true
                    #expect(isRefused == !option.isFor(action), "\(command.name) \(action): \(problem ?? "")")
                }
            }
        }
    }

    /// What is wrong with a line that gives one option, those that it needs, and a database.
    private func problem(_ command: CommandDefinition, _ action: String, _ option: OptionDefinition) -> String? {
        var words = [action]
        let names = [option.name, option.needed, CommandDefinition.database]
        for given in command.options where names.contains(given.name) && (given.name == option.name || given.isFor(action)) {
            guard given.value != nil else {
                words.append("--\(given.name)")
                continue
            }
            var value = "x"
            if case .choice(let choices) = given.kind { value = choices[0] }
            words.append("--\(given.name)=\(value)")
        }
        do {
            _ = try ParsedArguments(words, for: command)
            return nil
        } catch {
            return (error as? ToolError)?.message
        }
    }

    @Test(arguments: [
        ("samples stats --database x.sqlite --type heartRate --output f", "--output needs events"),
        ("samples stats --database x.sqlite --type heartRate --server https://example.org", "--server needs push"),
        ("samples stats --database x.sqlite --type heartRate --credentials c", "--credentials needs push"),
        ("audit list --database x.sqlite --head h", "--head needs verify"),
        ("audit list --database x.sqlite --signed-by p", "--signed-by needs verify"),
        ("audit list --database x.sqlite --source s", "--source needs export"),
        ("audit list --database x.sqlite --without-resource", "--without-resource needs proof"),
        ("audit verify --database x.sqlite --after 1", "--after needs list or export"),
        ("index list --database x.sqlite --set codes", "--set needs create or drop"),
        ("index list --database x.sqlite --full-text", "--full-text needs create or drop"),
        ("samples import --database x.sqlite --type heartRate f", "--type needs push, events or stats"),
        ("conflicts --database x.sqlite --keep client", "--keep needs resolve"),
        ("conflicts Patient/1 --database x.sqlite --keep client", "--keep needs resolve"),
        ("outbox list --database x.sqlite --timeout 1", "--timeout needs send"),
        ("track on changes --database x.sqlite --format json", "--format needs list"),
        ("validate --key-file k a.json", "--key-file needs --database"),
        ("validate --type Patient a.json", "--type needs --database"),
        ("terminology lookup --parameters p --key-file k", "--key-file needs --database"),
        ("package list --knowledge g.sqlite --key-file k", "--key-file needs --database"),
        ("package add --knowledge g.sqlite a.tgz --dependencies", "--dependencies needs --registry"),
        ("fhirpath --key-file k 1+1", "--key-file needs --database"),
        ("conflicts resolve Patient/1 --database x.sqlite --keep client --format csv", "--format needs list or show"),
        ("publish --database x.sqlite --to y --plan --format csv", "--plan is printed as JSON: leave out --format"),
    ]) func whatIsNotUsedIsRefused(_ line: String, _ problem: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try ToolRun(words)
        #expect(run.status == .usage && run.error == "firelite \(words[0]): \(problem)\n", "\(run.error)")
    }
}
