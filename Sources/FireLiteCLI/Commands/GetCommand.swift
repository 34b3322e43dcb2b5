import FireLite
import FireLiteRecords
import FireLiteXML

/// `firelite get`: prints one resource, or an earlier version of it.
struct GetCommand: Command {
    static let definition = CommandDefinition(
        name: "get", summary: "print one resource as JSON or XML",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("pk", "PK", "the resource's local key, instead of Type/id"),
            .option("version", "N", "the version with this number, as `firelite history` prints it"),
            .option("format", "json|xml", kind: .choice(["json", "xml"]), "how to print it (default: json)"),
        ],
        operands: "Type/id", operandCount: 0...1, operandKinds: [.resource],
        ownOperand: .resource,
        discussion: """
            The JSON or XML is indented on a terminal and one line otherwise.

            Examples: firelite get health.sqlite Patient/123
                      firelite get --database health.sqlite --version 1 Patient/123
            """)

    private enum Key {
        case resource(ResourceKey)
        case version(ResourceKey, Int64)
        case pk(String)
    }

    private let database: DatabaseArgument
    private let key: Key
    private let isXML: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        let format = arguments["format"] ?? "json"
        guard format == "json" || format == "xml" else { throw ToolError.usage("--format is '\(format)', neither json nor xml") }
        isXML = format == "xml"
        let version = try arguments.number("version", in: 1...Int.max)
        switch (arguments.operands.first, arguments["pk"]) {
        case (let text?, nil):
            let resource = try ResourceKey(text, in: database)
            key = version.map { .version(resource, Int64($0)) } ?? .resource(resource)
        case (nil, _?) where version != nil: throw ToolError.usage("--version needs Type/id")
        case (nil, let pk?): key = .pk(pk)
        default: throw ToolError.usage("give either Type/id or --pk")
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let resource = try database.located {
            switch key {
            case .resource(let key): try store.resource(typeName: key.type, id: key.id)
            case .version(let key, let version): try store.resource(typeName: key.type, id: key.id, version: version)
            case .pk(let pk): try store.read { try $0.resource(pk: pk) }
            }
        }
        guard let resource else {
            let off = try database.located { try historyIsOff(store) }.map { ": \($0)" } ?? ""
            throw ToolError.incomplete("\(name) is not in \(database.path)\(off)")
        }
        do {
            let whole = try database.located { try store.attachments.resolvingPayloads(in: resource) }
            try console.print(isXML ? FHIRXML.string(whole, pretty: console.outputIsTerminal) : console.json(whole))
        } catch let error as AttachmentError {
            throw ToolError.incomplete(error)
        } catch let error as FHIRXMLError {
            throw ToolError.failed(error)
        }
        return .done
    }

    /// Why a version may be missing; nil for whatever else is read.
    private func historyIsOff(_ store: FHIRStore) throws -> String? {
        guard case .version(let key, _) = key else { return nil }
        return try TrackedState.historyIsOff(store, of: key.type)
    }

    private var name: String {
        switch key {
        case .resource(let key): key.description
        case .version(let key, let version): "version \(version) of \(key)"
        case .pk(let pk): "pk \(pk)"
        }
    }
}
