import FireLite

/// What `import` and `migrate` read, and where they report it.
struct InputArguments {
    static let rejects = OptionDefinition.option(
        "rejects", "FILE", kind: .output(.lines(.rejects)),
        "the file for rejected texts (default: FILE-rejects.ndjson next to the database)")
    static let quiet = OptionDefinition.flag("quiet", "print neither progress nor summary")

    /// The keys of the summary.
    static func jsonKeys(added: String = "the number of new resources") -> [JSONKey] {
        [
            JSONKey("added", added),
            JSONKey("updated", "the number of resources that replaced a stored one"),
            JSONKey("unchanged", "the number of resources that were stored already"),
            JSONKey("superseded", "the number of resources that a later one replaced"),
            JSONKey("outcomes", "the number of OperationOutcomes about a search"),
            JSONKey("rejected", "the number of unreadable texts"),
            JSONKey("seconds", "the duration"),
        ]
    }

    let sources: [String]
    let rejects: OutputPath?
    let isQuiet: Bool
    let isJSON: Bool

    /// - Throws: `ToolError` with status 2.
    init(_ arguments: ParsedArguments) throws {
        sources = arguments.operands
        rejects = arguments.output("--rejects")
        isQuiet = arguments.has("quiet")
        isJSON = arguments.has("json")
        if isQuiet, isJSON { throw ToolError.usage("--quiet and --json are given: choose one") }
        try ImportSource.checkOperands(sources)
    }
}
