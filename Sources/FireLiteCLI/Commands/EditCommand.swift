import FireLite
import FireLiteRecords
import Foundation

/// `firelite edit`: opens a stored resource in the user's editor.
struct EditCommand: Command {
    static let definition = CommandDefinition(
        name: "edit", summary: "change a stored resource in your editor",
        options: DatabaseArgument.options + [KeyringFile.option, ResourceText.unchecked],
        operands: "Type/id", operandCount: 1...1, operandKinds: [.resource], ownOperand: .resource,
        jsonKeys: StoredResource.jsonKeys + [
            JSONKey("clashes", "if nothing is stored, as others have changed the same elements, a list: path, base, yours, stored")
        ],
        discussion: """
            The editor is the one in VISUAL or EDITOR, or vi. It gets the resource as JSON, in a file that only you can read. What
            you save is checked by FHIR's definitions, merged with what others have stored meanwhile, and stored. An unchanged
            text stores nothing.

            If the text is not valid, or others have changed the same elements, nothing is stored, the exit status is 1, and the
            message names the file with your text, which stays there.

            Example: firelite edit health.sqlite Patient/123
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey
    private let isUnchecked: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try ResourceKey(arguments.operands[0], in: database)
        isUnchecked = arguments.has("unchecked")
        isJSON = arguments.has("json")
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.open()
        let base = try database.located { try whole(store) }
        let draft = try Editor.Draft(FHIRJSON.string(base, pretty: true) + "\n", named: "\(key.type)-\(key.id).json")
        do { try Editor(console).edit(draft, console.environment) } catch {
            draft.discard()
            throw error
        }
        do { return try storeText(of: draft, base, store, console) } catch let error as ToolError {
            throw kept(draft, error)
        } catch let error as FHIRDecodingError {
            throw kept(draft, .incomplete("nothing is stored: \(ToolWords.text(of: error))"))
        }
    }

    private func storeText(of draft: Editor.Draft, _ base: FHIRResource, _ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let edited = try resource(draft, console)
        if edited == base {
            draft.discard()
            let version = try database.located { try store.read { try StoredResource.version(of: key.type, key.id, $0) } }
            return try print(nil, version: version, note: "unchanged \(key)", console)
        }
        let (stored, clashes) = try database.located { try save(edited, base, store) }
        guard clashes.isEmpty else {
            _ = try print(nil, clashes: clashes, note: "others have changed the same elements of \(key)", console)
            throw ToolError.incomplete("nothing is stored")
        }
        draft.discard()
        return try print(stored, console)
    }

    /// The error, with the place of the text, which nobody must lose.
    private func kept(_ draft: Editor.Draft, _ error: ToolError) -> ToolError {
        ToolError(
            status: error.status,
            message: "\(error.message); your text is in \(draft.path): correct it, and store it with `firelite put`")
    }

    private func resource(_ draft: Editor.Draft, _ console: Console) throws -> FHIRResource {
        let edited = try ResourceText.resource(draft.text(), database.release)
        guard edited.resourceType == key.type, edited.id == key.id else {
            throw ToolError.incomplete("nothing is stored: the text has another type or id")
        }
        if !isUnchecked { try ResourceText.check(edited, command: "edit", console) }
        return edited
    }

    /// The resource with its payloads, as a copy.
    private func whole(_ store: FHIRStore) throws -> FHIRResource {
        guard let found = try store.resource(typeName: key.type, id: key.id) else {
            throw ToolError.incomplete("\(key) is not in \(database.path)")
        }
        return try store.attachments.resolvingPayloads(in: found).copy()
    }

    private func save(
        _ edited: FHIRResource, _ base: FHIRResource, _ store: FHIRStore
    ) throws -> (stored: StoredResource?, clashes: [ElementClash]) {
        try store.followRecordsIfKept()
        return try store.write { transaction in
            guard let found = try transaction.resource(typeName: key.type, id: key.id) else {
                throw ToolError.incomplete("nothing is stored: \(key) was deleted meanwhile")
            }
            let stored = try store.attachments.resolvingPayloads(in: found)
            let merge = ThreeWayMerge(base: base, local: edited, remote: stored)
            guard merge.clashes.isEmpty else { return (nil, merge.clashes) }
            return (try StoredResource(stored == base ? edited : merge.resource, transaction), [])
        }
    }

    private func print(
        _ stored: StoredResource?, version: Int? = nil, clashes: [ElementClash] = [], note: String? = nil, _ console: Console
    ) throws -> ExitStatus {
        var report = stored?.report() ?? Report()
        if stored == nil {
            report.addMember("resource", .text(key.description))
            report.addMember("outcome", clashes.isEmpty ? .text("unchanged") : .none)
            report.addMember("version", version.map { .number($0) } ?? .none)
        }
        if let note { report.addNote(note) }
        let cell = { (json: String?) -> FigureValue in json.map { .shown($0, .json($0)) } ?? .none }
        report.addTable(
            "clashes", ["path", "base", "yours", "stored"].map { .init(key: $0) },
            clashes.map { [.text($0.path), cell($0.base), cell($0.local), cell($0.remote)] }, isShown: !clashes.isEmpty)
        try console.print(report, asJSON: isJSON)
        return .done
    }
}
