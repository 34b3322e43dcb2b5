import FireLite
import Foundation

/// `firelite history`: prints the versions of resources.
struct HistoryCommand: Command {
    static let definition = CommandDefinition(
        name: "history", summary: "print the versions of a resource, or of all",
        options: DatabaseArgument.options + [
            .option("since", "TIME", "only versions stored, replaced or deleted since then, such as 2026-05-01T09:00Z"),
            .option("type", "Type", kind: .resourceType, "only versions of this type"),
        ],
        operands: "Type/id", operandCount: 0...1, operandKinds: [.resource],
        ownOperand: .resource,
        jsonKeys: [
            JSONKey("versions", "a list, the newest first: type, id, pk, version, stored and replaced (null if unknown), deleted, current")
        ],
        list: ListDefinition(key: "versions", rowKeys: ["type", "id", "version"]),
        discussion: """
            Without Type/id, versions of all resources that have changed while the history was kept. Times are in UTC by the
            clock of the device that wrote them; stored is empty for what was there before the history was on (`firelite
            track`). With Type/id, --after takes the number of a version, too. The version that was deleted is marked;
            `firelite get --version` prints the content of a version.

            Examples: firelite track --database health.sqlite on history
                      firelite history health.sqlite Patient/123
                      firelite history --database health.sqlite --type Patient --since 2026-05-01
                      firelite get --database health.sqlite --version 1 Patient/123
            """)

    private let database: DatabaseArgument
    private let key: ResourceKey?
    private let type: String?
    private let since: Date
    private let listing: Listing

    init(_ arguments: ParsedArguments) throws {
        let database = try DatabaseArgument(arguments)
        self.database = database
        key = try arguments.operands.first.map { try ResourceKey($0, in: database) }
        type = try arguments["type"].map { try database.resourceLayout(named: $0).name }
        if key != nil, type != nil { throw ToolError.usage("Type/id and --type are given: choose one") }
        since = try arguments["since"].map { try Self.date($0, option: "since") } ?? .distantPast
        let listing = try Listing(arguments, Self.definition)
        // Of one resource, a version says enough.
        let isOfOne = key != nil && listing.after?.contains("/") == false
        self.listing = isOfOne ? listing.of(listing.key, rowKeys: ["version"]) : listing
    }

    /// - Throws: `ToolError` with status 2 if the option's value is not a time.
    static func date(_ text: String, option: String) throws -> Date {
        guard let date = FHIRDateTime(text)?.date else {
            throw ToolError.usage("--\(option) is '\(text)', not a FHIR dateTime such as 2026-05-01 or 2026-05-01T09:00:00Z")
        }
        return date
    }

    func run(_ console: Console) throws -> ExitStatus {
        let store = try database.openForReading()
        let (found, off) = try database.located {
            (try versions(store), try TrackedState.historyIsOff(store, of: key?.type ?? type))
        }
        if let key, found.isEmpty, since == .distantPast {
            throw ToolError.incomplete("\(key) is not in \(database.path), and no version of it is kept\(off.map { ": \($0)" } ?? "")")
        }
        var report = Report()
        if found.isEmpty, let off { report.addNote(off) }
        report.addTable("versions", Self.columns, found.map(Self.row))
        try console.print(report, listing)
        return .done
    }

    private static let columns: [Report.Column] = [
        .init(key: "type"), .init(key: "id"), .init(key: "pk", isShown: false), .init(key: "version", alignment: .right),
        .init(key: "stored"), .init(key: "replaced"), .init(key: "deleted"), .init(key: "current", isShown: false),
    ]

    private static func row(_ version: ResourceVersion) -> [FigureValue] {
        let stored: FigureValue = version.storedAt.map { .time($0) } ?? .none
        let replaced: FigureValue = version.replacedAt.map { .time($0) } ?? .none
        let deleted: FigureValue = .shown(version.isDeleted ? "deleted" : "", .flag(version.isDeleted))
        return [
            .text(version.typeName), FigureValue(version.id), .text(version.pk), .number(Int(version.version)), stored, replaced, deleted,
            .flag(version.isCurrent),
        ]
    }

    private func versions(_ store: FHIRStore) throws -> [ResourceVersion] {
        guard let key else { return try store.history(typeName: type, since: since, limit: listing.most) }
        return try store.history(typeName: key.type, id: key.id)
            .filter { since == .distantPast || ($0.replacedAt ?? $0.storedAt ?? .distantPast) >= since }
    }
}
