import FireLite
import FireLiteRecords

/// `firelite detach`: removes an attachment from a resource.
struct DetachCommand: Command {
    static let definition = CommandDefinition(
        name: "detach", summary: "remove an attachment from a resource",
        options: DatabaseArgument.options,
        operands: "Type/id [N]", operandCount: 1...2, operandKinds: [.resource, .other],
        jsonKeys: [JSONKey("detached", "the resource"), JSONKey("left", "the number of attachments that it still has")],
        discussion: """
            N is the place of the attachment in the resource, from 1; it can be left out if there is only one. The payload is
            deleted with the last resource that has it.

            Example: firelite detach --database health.sqlite Patient/124
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let number: Int?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        isJSON = arguments.has("json")
        number = try arguments.operands.dropFirst().first.map { text in
            guard let number = Int(text), number > 0 else { throw ToolError.usage("'\(text)' is not the number of an attachment") }
            return number
        }
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let left = try database.located {
            guard let resource = try store.resource(typeName: key.type, id: key.id) else {
                throw ToolError.incomplete("\(key) is not in \(database.path)")
            }
            let count = store.attachments.attachments(in: resource).count
            if count == 0 { throw ToolError.incomplete("\(key) has no attachments") }
            guard let number = number ?? (count == 1 ? 1 : nil) else {
                throw ToolError.incomplete("\(key) has \(count) attachments: which one?")
            }
            do {
                try store.attachments.detach(number - 1, from: key.type, id: key.id)
            } catch let error as AttachmentError { throw ToolError.incomplete(error) }
            return count - 1
        }
        var report = Report()
        report.addLine([.init("detached", .text(key.description)), .init("left", .number(left))])
        try console.print(report, asJSON: isJSON)
        return .done
    }
}
