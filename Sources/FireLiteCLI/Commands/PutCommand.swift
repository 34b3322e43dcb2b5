import FireLite
import FireLiteRecords
import FireLiteXML
import Foundation

/// `firelite put`: stores one resource.
struct PutCommand: Command {
    static let definition = CommandDefinition(
        name: "put", summary: "check and store one resource from a JSON or XML file",
        options: DatabaseArgument.options + [KeyringFile.option, ResourceText.version, ResourceText.unchecked],
        operands: "RESOURCE|-", operandCount: 1...1, operandKinds: [.file], ownOperand: .path, jsonKeys: StoredResource.jsonKeys,
        discussion: """
            RESOURCE is a file; with two files, the first is the database. The resource replaces the stored one of its type and
            id, or is added. It needs an id. A text that cannot be read as FHIR is refused, and its mistakes, such as
            elements that do not exist, are listed, up to 20; so are errors by FHIR's definitions in what can be read.
            Nothing is stored then, and the exit status is 1. With --if-version nothing is stored if somebody has changed the
            resource since: read its version with `firelite history` first.

            Example: firelite put --database health.sqlite patient.json
            """)

    private let database: DatabaseArgument
    private let path: String
    private let version: Int?
    private let isUnchecked: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        database = try DatabaseArgument(arguments)
        path = arguments.operands[0]
        version = try arguments.number("if-version", in: 0...Int.max)
        isUnchecked = arguments.has("unchecked")
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let bytes = try FileContents.bytes(of: path, console)
        let resource: FHIRResource
        do { resource = try ResourceText.resource(bytes, database.release) } catch let error as FHIRXMLError {
            throw ToolError.incomplete(error)
        } catch let error as FHIRDecodingError {
            throw ResourceText.refusal(error, bytes, database.release, command: "put", console)
        }
        guard let id = resource.id else { throw ToolError.incomplete("the \(resource.resourceType) in \(path) has no id: give it one") }
        if !isUnchecked { try ResourceText.check(resource, command: "put", console) }
        let store = try database.open()
        let stored = try database.located {
            try store.followRecordsIfKept()
            return try store.write { transaction in
                if let version {
                    let current = try StoredResource.version(of: resource.resourceType, id, transaction) ?? 0
                    guard current == version else {
                        throw ToolError.incomplete(
                            "nothing is stored: \(resource.resourceType)/\(id) has version \(current), not \(version)")
                    }
                }
                return try StoredResource(resource, transaction)
            }
        }
        try console.print(stored.report(), asJSON: isJSON)
        return .done
    }
}
