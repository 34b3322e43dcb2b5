import FireLite
import FireLiteCore
import FireLiteRecords
import Foundation

/// `firelite patch`: changes elements of a stored resource.
struct PatchCommand: Command {
    static let definition = CommandDefinition(
        name: "patch", summary: "change elements of a stored resource",
        options: DatabaseArgument.options + [KeyringFile.option, ResourceText.version, ResourceText.unchecked],
        operands: "Type/id PATH=VALUE…", operandCount: 2...Int.max, operandKinds: [.resource, .other], ownOperand: .resource,
        jsonKeys: StoredResource.jsonKeys,
        discussion: """
            PATH names an element by its FHIR name; brackets say which of a list, and the position after the last one adds one.
            PATH=VALUE sets a primitive, or with a JSON object a whole element; PATH= removes the element. All changes are made
            together, in their order, or none: errors by FHIR's definitions are listed by their places, with exit status 1.

            Examples: firelite patch health.sqlite Patient/123 gender=female 'name[0].given[1]=Ann'
                      firelite patch health.sqlite Patient/123 'telecom={"system":"phone","value":"+49 30 1234"}'
                      firelite patch health.sqlite Patient/123 telecom=
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let patches: [ElementPatch]
    private let version: Int?
    private let isUnchecked: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        patches = try arguments.operands.dropFirst().map { try ElementPatch($0) }
        version = try arguments.number("if-version", in: 0...Int.max)
        isUnchecked = arguments.has("unchecked")
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let stored = try database.located {
            try store.followRecordsIfKept()
            return try store.write { transaction in try patch(store, transaction, console) }
        }
        try console.print(stored.report(), asJSON: isJSON)
        return .done
    }

    private func patch(_ store: FHIRStore, _ transaction: WriteTransaction, _ console: Console) throws -> StoredResource {
        guard let found = try transaction.resource(typeName: key.type, id: key.id) else {
            throw ToolError.incomplete("\(key) is not in \(database.path)")
        }
        if let version, let current = Draft(found).baseVersion, current != version {
            throw ToolError.incomplete("nothing is stored: \(key) has version \(current), not \(version)")
        }
        let whole = try store.attachments.resolvingPayloads(in: found)
        let item = try JSONItemReader.read(FHIRJSON.data(whole))
        let resource: FHIRResource
        do { resource = try patched(item, whole.layout, patches) } catch let error as FHIRDecodingError {
            throw ToolError.incomplete("nothing is stored: \(try culprit(item, whole.layout).path)=…: \(error.shortPath): \(error.message)")
        }
        guard resource.resourceType == key.type, resource.id == key.id else {
            throw ToolError.usage("a resource keeps its id: `firelite put` stores it under another one")
        }
        if !isUnchecked { try ResourceText.check(resource, command: "patch", console) }
        return try StoredResource(resource, transaction)
    }

    private func patched(_ resource: JSONItem, _ layout: Layout, _ patches: some Sequence<ElementPatch>) throws -> FHIRResource {
        let item = try patches.reduce(resource) { try $1.applied(to: $0, layout) }
        return try FHIRJSON.resource(from: Data(item.json.utf8), release: database.release)
    }

    /// The change since which the resource cannot be read: an earlier mistake may be mended by a later change.
    private func culprit(_ resource: JSONItem, _ layout: Layout) throws -> ElementPatch {
        for count in (1..<patches.count).reversed() {
            do { _ = try patched(resource, layout, patches[..<count]) } catch is FHIRDecodingError { continue }
            return patches[count]
        }
        return patches[0]
    }
}
