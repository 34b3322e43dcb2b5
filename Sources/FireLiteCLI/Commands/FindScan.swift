import FireLite

/// Answers `firelite find` by looking at every resource of the type.
struct FindScan {
    private let request: FindRequest
    private let conditions: [(path: [String], value: String)]

    /// - Throws: `ToolError` with status 2 for what is no condition on the type.
    init(_ request: FindRequest) throws {
        if !request.sort.isEmpty || !request.values.isEmpty || request.isSQL || request.form != .automatic {
            throw ToolError.usage("--sort, --values, --sql and --csv need a query, which this version does not make")
        }
        self.request = request
        conditions = try request.conditions.map { condition in
            let parts = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ToolError.usage("'\(condition)' is not of the form PATH=VALUE") }
            let path = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try Self.check(path, of: request.type._layout)
            return (path, String(parts[1]))
        }
    }

    private static func check(_ path: [String], of layout: Layout) throws {
        var layout: Layout? = layout
        for (index, name) in path.enumerated() {
            let owner = layout?.name ?? path.prefix(index).joined(separator: ".")
            guard let element = layout?.element(named: name) else { throw ToolError.usage("\(owner) has no element '\(name)'") }
            layout = element.type?._layout
            if index == path.count - 1, element.kind != .primitive {
                throw ToolError.usage("\(path.joined(separator: ".")) is no primitive: name one of its elements")
            }
        }
    }

    func run(_ store: FHIRStore, _ console: Console) throws -> ExitStatus {
        let output = BufferedOutput(console.standardOutput)
        let limit = request.limit ?? Int.max
        var count = 0
        try store.read { transaction in
            try transaction.forEach(typeName: request.type._layout.name) { resource in
                guard count < limit, conditions.allSatisfy({ Self.has(resource, $0.path[...], $0.value) }) else { return }
                count += 1
                if !request.isCount { try output.write(FHIRJSON.string(resource, pretty: console.outputIsTerminal) + "\n") }
            }
        }
        if request.isCount { try output.write("\(count)\n") }
        try output.flush()
        return .done
    }

    /// The resources that are found.
    func resources(_ store: FHIRStore) throws -> [FHIRResource] {
        var found: [FHIRResource] = []
        try store.read { transaction in
            try transaction.forEach(typeName: request.type._layout.name) { resource in
                if conditions.allSatisfy({ Self.has(resource, $0.path[...], $0.value) }) { found.append(resource) }
            }
        }
        return found
    }

    /// Whether some value at the path has this literal.
    private static func has(_ object: FHIRObject, _ path: ArraySlice<String>, _ value: String) -> Bool {
        guard let name = path.first, let element = object.layout.element(named: name), let slot = object.value(element.slot) else {
            return false
        }
        if element.kind != .primitive {
            var isFound = false
            slot.forEachChild { child in isFound = isFound || has(child, path.dropFirst(), value) }
            return isFound
        }
        return literals(slot, element.primitive ?? .string).contains(value)
    }

    private static func literals(_ value: SlotValue, _ type: PrimitiveType) -> [String] {
        switch value {
        case .texts(let texts): texts
        case .annotatedTexts(let list): list.texts.compactMap { $0 }
        case .annotated(let primitive): primitive.value?.literal(type).map { [$0] } ?? []
        default: value.literal(type).map { [$0] } ?? []
        }
    }
}
