/// A key of the JSON object that a command prints with `--json`.
struct JSONKey {
    let name: String
    let help: String

    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }
}
