import FireLite
import FireLiteRecords
import Foundation

/// `firelite attach`: adds a file to a resource.
struct AttachCommand: Command {
    static let definition = CommandDefinition(
        name: "attach", summary: "add a file to a resource as an attachment",
        options: DatabaseArgument.options + [
            KeyringFile.option,
            .option("title", "TEXT", "the attachment's title (default: the name of the file)"),
            .option("content-type", "MEDIA", "its media type (default: the one that its first bytes or its name show)"),
        ],
        operands: "Type/id FILE", operandCount: 2...2, operandKinds: [.resource, .file],
        jsonKeys: [
            JSONKey("attached", "the resource"), JSONKey("bytes", "the size of the file"),
            JSONKey("type", "the media type"),
        ],
        discussion: """
            The file goes into the first element that holds attachments, such as Patient.photo or DocumentReference.content,
            with its type, size and SHA-1 hash. A file larger than 20 MiB is refused, unless the database's policy says otherwise,
            and one whose first bytes do not show the stated type. A file of another type than JPEG, PNG, TIFF, PDF and DICOM has
            the type of its name's ending; without a known ending it is text/plain if it is text in UTF-8, and
            application/octet-stream otherwise.

            Example: firelite attach --database health.sqlite Patient/123 letter.pdf
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let file: String
    private let title: String?
    private let type: String?
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        file = arguments.operands[1]
        title = arguments["title"]
        type = arguments["content-type"]
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let title = title ?? URL(fileURLWithPath: file).lastPathComponent
        let bytes = try content(store)
        let type = type ?? FileContentType.of(file, bytes)
        try database.located {
            do {
                try store.attachments.attach(bytes, to: key.type, id: key.id, title: title, contentType: type)
            } catch let error as AttachmentError { throw ToolError.incomplete(error) }
        }
        // As the attachment has it.
        let kind = AttachmentKind(contentType: type) ?? AttachmentKind(beginning: bytes)
        var report = Report()
        report.addLine([
            .init("attached", .text(key.description)), .init("bytes", .bytes(bytes.count), label: "size"),
            .init("type", .text(kind?.contentType ?? type)),
        ])
        try console.print(report, asJSON: isJSON)
        return .done
    }

    /// The file's content, of which no more is read than may be attached.
    private func content(_ store: FHIRStore) throws -> Data {
        let limit = try database.located { try store.attachments.maximumBytes }
        let (bytes, size) = try FileContents.bytes(of: file, upTo: limit)
        if let bytes { return bytes }
        throw ToolError.incomplete(
            "\(file) has \(size.map { "\($0)" } ?? "more than \(limit)") bytes, and the limit is \(limit): raise the policy's limit")
    }
}
