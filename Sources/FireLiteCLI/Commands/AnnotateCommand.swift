import FireLite
import FireLiteRecords

/// `firelite annotate`: prints and changes the annotations of a record.
struct AnnotateCommand: Command {
    static let definition = CommandDefinition(
        name: "annotate", summary: "print, add, remove and replace the annotations of a resource",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .flag("remove", "remove these annotations instead of adding them"),
            .flag("replace", "replace all annotations by these; by none without an ANNOTATION"),
        ],
        operands: "Type/id ANNOTATION…", operandCount: CommandDefinition.anyNumber, operandKinds: [.resource, .other],
        jsonKeys: [
            JSONKey("type", "the resource's type"), JSONKey("id", "its id"), JSONKey("annotations", "a list: its annotations, sorted"),
        ],
        list: ListDefinition(key: "annotations"),
        discussion: """
            Without an ANNOTATION it prints them. Annotations are kept in lower case and without white space at their ends.
            `firelite find --annotated` and `firelite records` find resources by them.

            Examples: firelite annotate --database health.sqlite Patient/123 fitness "under review"
                      firelite annotate --database health.sqlite --remove Patient/123 fitness
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let annotations: [String]
    private let isRemoving: Bool
    private let isReplacing: Bool
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        key = try ResourceKey(arguments.operands[0], in: database)
        annotations = Array(arguments.operands.dropFirst())
        isRemoving = arguments.has("remove")
        isReplacing = arguments.has("replace")
        listing = try Listing(arguments, Self.definition)
        if isRemoving, isReplacing { throw ToolError.usage("--remove and --replace are given: choose one") }
        if isRemoving, annotations.isEmpty { throw ToolError.usage("--remove needs an ANNOTATION") }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let isChange = isReplacing || !annotations.isEmpty
        let store = try isChange ? database.open() : database.openForReading()
        let texts = try database.located {
            do {
                guard isChange else {
                    guard let summary = try store.records.summary(key.type, id: key.id), summary.metadata.status != .deleted else {
                        throw missing
                    }
                    return summary.annotations
                }
                return try change(store)
            } catch let error as RecordError {
                throw error.code == .notFound ? missing : ToolError.incomplete(error)
            }
        }
        var report = Report()
        report.addMember("type", .text(key.type))
        report.addMember("id", .text(key.id))
        report.addTexts("annotations", texts)
        if texts.isEmpty { report.addNote("no annotations") }
        try console.print(report, listing)
        return .done
    }

    private var missing: ToolError { ToolError.incomplete("\(key) is not in \(database.path)") }

    private func change(_ store: FHIRStore) throws -> [String] {
        let (isRemoving, isReplacing, given) = (isRemoving, isReplacing, annotations)
        guard isRemoving else { return try store.records.annotate(key.type, id: key.id) { isReplacing ? given : $0 + given } }
        let removed = try RecordAnnotation.normalized(given)
        return try store.records.annotate(key.type, id: key.id) { old in old.filter { !removed.contains($0) } }
    }
}
