import Foundation

@testable import FireLiteCLI

/// Command lines of every command that has options or operands with paths, in a folder with all the files that they name. A word in braces is a file of
/// the folder.
enum CommandLines {
    /// For each command, lines that together have each of its options and operands with a path.
    static let lines: [String: [String]] = [
        "import": ["--database {new.sqlite} --key-file {key} --keyring {keys.json} --rejects {rejects.ndjson} --on-error skip {in.ndjson}"],
        "migrate": [
            "--database {new.sqlite} --key-file {key} --rejects {rejects.ndjson} --report {report.ndjson} {in.ndjson}"
        ],
        "export": [
            "--database {mine.sqlite} --key-file {key} --keyring {keys.json} --output {out}", "{mine.sqlite} --output {out}",
        ],
        "get": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1"],
        "browse": ["--database {mine.sqlite} --key-file {key} --no-open", "--no-open {mine.sqlite}"],
        "find": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient"],
        "search": [
            "--database {mine.sqlite} --key-file {key} --keyring {keys.json} --knowledge {letter.txt} Patient?_id=1",
            "--database {mine.sqlite} --key-file {key} --keyring {keys.json} --server http://127.0.0.1:1 --credentials {server.json} ?_id=1",
        ],
        "sql": ["--database {mine.sqlite} --key-file {key} VALUES(1)"],
        "fhirpath": ["--input {patient.json} --knowledge {letter.txt} id", "--database {mine.sqlite} --key-file {key} Patient/1 id"],
        "view": ["--database {mine.sqlite} --key-file {key} --definition {view.json} --knowledge {letter.txt}"],
        "publish": ["--database {mine.sqlite} --views {view.json} --to {lake}"],
        "delete": ["--database {mine.sqlite} --key-file {key} Patient/1"],
        "index": ["--database {mine.sqlite} --key-file {key} list"],
        "bases": ["--database {mine.sqlite} --key-file {key} list"],
        "track": ["--database {mine.sqlite} --key-file {key} list"],
        "changes": ["--database {mine.sqlite} --key-file {key}", "{mine.sqlite}"],
        "history": ["--database {mine.sqlite} --key-file {key} Patient/1"],
        "restore": ["--database {mine.sqlite} --key-file {key} Patient/1"],
        "prune": ["--database {mine.sqlite} --key-file {key} --keep 0"],
        "put": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} {patient.json}"],
        "patch": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1 gender=male"],
        "edit": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1"],
        "erase": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1 --dry-run"],
        "schema": ["--database {mine.sqlite} --key-file {key} Patient"],
        "diff": [
            "--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1", "{mine.sqlite} {mine.sqlite}",
        ],
        "info": ["--database {mine.sqlite} --key-file {key}", "{mine.sqlite}"],
        "validate": [
            "{in.ndjson}", "--database {mine.sqlite} --key-file {key}", "--package-cache {letter.txt} --package {letter.txt} {in.ndjson}",
            "--knowledge {letter.txt} --supporting {patient.json} --profile {patient.json} {in.ndjson}",
        ],
        "terminology": [
            "--parameters {letter.txt} --resource {patient.json} --knowledge {letter.txt} --database {mine.sqlite} --key-file {key} "
                + "validate-code"
        ],
        "package": ["--knowledge {new.sqlite} add {guide.tgz}", "--database {mine.sqlite} --key-file {key} list"],
        "codes": ["--knowledge {new.sqlite} add {icd10cm_order_2025.txt}"],
        "check": ["--database {mine.sqlite} --key-file {key}", "{mine.sqlite}"],
        "backup": [
            "--database {mine.sqlite} --key-file {key} {copy.sqlite}",
            "--replace --database {mine.sqlite} --new-key-file {key} {copy.sqlite}",
        ],
        "rekey": ["--database {mine.sqlite} --key-file {key} --new-key-file {key2}"],
        "vacuum": ["--database {mine.sqlite} --key-file {key}"],
        "reseal": ["--database {mine.sqlite}"],
        "recover": ["--key-file {key} {mine.sqlite} {recovered.sqlite}"],
        "demo": ["--patients 1 --database {demo.sqlite}"],
        "outbox": ["--database {mine.sqlite} --key-file {key} --server http://127.0.0.1:1 --credentials {server.json} send"],
        "register": [
            "--server http://127.0.0.1:1 --credentials {credentials.json} --token-file {server.json}"
        ],
        "token": ["--server http://127.0.0.1:1 --credentials {server.json}"],
        "sync": ["--database {new.sqlite} --key-file {key} --keyring {keys.json} --server http://127.0.0.1:1 --credentials {server.json}"],
        "pull": ["--database {new.sqlite} --key-file {key} --keyring {keys.json} --server http://127.0.0.1:1 --credentials {server.json}"],
        "push": ["--database {new.sqlite} --key-file {key} --keyring {keys.json} --server http://127.0.0.1:1 --credentials {server.json}"],
        "conflicts": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} --keep {patient.json} resolve Patient/1"],
        "attach": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1 {letter.txt}"],
        "detach": ["--database {mine.sqlite} --key-file {key} Patient/1"],
        "blobs": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} list"],
        "annotate": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} Patient/1"],
        "records": [
            "--database {mine.sqlite} --key-file {key} --keyring {newkeys.json} keyring",
            "--database {mine.sqlite} --keyring {keys.json} rotate",
        ],
        "appdata": ["--database {mine.sqlite} --key-file {key} --keyring {keys.json} --input {letter.txt} put a"],
        "samples": [
            "--database {new.sqlite} --key-file {key} --map {map.json} import {export.xml}",
            "--database {samples.sqlite} --key-file {key} --output {events.ndjson} events",
            "--database {samples.sqlite} --server http://127.0.0.1:1 --credentials {server.json} push",
        ],
        "audit": ["--database {mine.sqlite} --key-file {key} --head {heads} --signed-by {me.pem} verify"],
        "permit": ["--database {mine.sqlite} --key-file {key} --grantor me --signing-key {me.pem}"],
        "revoke": ["--database {mine.sqlite} --key-file {key} --grantor me --signing-key {me.pem} c"],
        "permissions": ["--database {mine.sqlite} --key-file {key}"],
        "sign": ["--database {mine.sqlite} --key-file {key} --signer me --signing-key {me.pem} Patient/1"],
        "verify": ["--database {mine.sqlite} --key-file {key} Patient/1"],
    ]

    /// The paths of a line: its words in braces, with what names them.
    struct Line {
        let command: CommandDefinition
        var words: [String]

        init(_ command: CommandDefinition, _ text: String) {
            self.command = command
            words = text.split(separator: " ").map(String.init)
        }

        /// A place of a path in the line: its word, and how its definition declares it.
        struct Place {
            let word: Int
            let name: String
            let kind: ValueKind

            var isOutput: Bool { if case .output = kind { true } else { false } }
        }

        var places: [Place] {
            var places: [Place] = []
            var operand = 0
            var index = 0
            while index < words.count {
                if words[index].hasPrefix("--"), let option = command.option(named: String(words[index].dropFirst(2))) {
                    if option.value != nil {
                        if option.kind.isPath { places.append(Place(word: index + 1, name: words[index], kind: option.kind)) }
                        index += 1
                    }
                } else {
                    let kinds = command.operandKinds
                    if let kind = operand < kinds.count ? kinds[operand] : kinds.last, kind.isPath {
                        places.append(Place(word: index, name: "operand \(operand + 1)", kind: kind))
                    }
                    operand += 1
                }
                index += 1
            }
            return places
        }

        /// The arguments, with the words in braces as files of the folder, without options that the build cannot use.
        func arguments(in folder: TemporaryFolder, without excluded: Set<Int> = []) -> [String] {
            [command.name]
                + words.indices.filter { !excluded.contains($0) }.map { index in
                    let word = words[index]
                    return word.hasPrefix("{") ? folder.file(String(word.dropFirst().dropLast())) : word
                }
        }
    }

    /// All lines.
    static var all: [Line] {
        FireLiteTool.definitions.flatMap { definition in (lines[definition.name] ?? []).map { Line(definition, $0) } }
    }

    /// The names of the options and operands with a path that a definition declares.
    static func pathNames(_ definition: CommandDefinition) -> Set<String> {
        Set(
            definition.options.filter(\.kind.isPath).map { "--\($0.name)" }
                + definition.operandKinds.enumerated().filter { $1.isPath }.map { "operand \($0.offset + 1)" })
    }
}
