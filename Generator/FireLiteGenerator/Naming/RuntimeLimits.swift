/// Checks the runtime's limits, so that a release beyond them is refused here and not when it is used.
enum RuntimeLimits {
    /// The most slots of a class, `FHIRObject.slotCount` is a byte.
    static let mostSlots = 254

    /// Names of the runtime's `PrimitiveType`s.
    static let primitives: Set<String> = [
        "boolean", "integer", "positiveInt", "unsignedInt", "integer64", "decimal", "date", "dateTime", "instant", "time", "string", "code",
        "id", "uri", "url", "canonical", "oid", "uuid", "markdown", "base64Binary", "xhtml",
    ]

    /// - Throws: `GeneratorError` at the definition that goes beyond them.
    static func check(_ release: NamedRelease) throws {
        let classes = release.types.flatMap(\.classes)
        let kinds = Dictionary(classes.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
        let paths = Set(classes.map(\.path))
        for type in release.types {
            for named in type.classes {
                let place = type.definition.backbones.first { $0.path == named.path }?.location ?? type.definition.location
                try check(named, kinds: kinds, at: place)
                for element in named.elements { try check(element, paths) }
            }
        }
    }

    private static func check(_ named: NamedClass, kinds: [String: NamedClass.Kind], at place: SourceLocation) throws {
        guard named.slotCount <= mostSlots else {
            throw GeneratorError(
                "`\(named.path)` has \(named.slotCount) values with those it inherits, a choice one for each type, and \(mostSlots) is the most",
                at: place)
        }
        let baseKind: NamedClass.Kind = named.kind == .resource ? .resource : .datatype
        guard named.isRoot || kinds[named.baseName] == baseKind else {
            throw GeneratorError("`\(named.path)` derives from `\(named.baseName)`, which is not a \(baseKind.rawValue)", at: place)
        }
        guard named.isRoot, named.kind == .resource else { return }
        // The runtime reads the ids of all resources.
        let id = named.elements.first
        guard let id, id.definition.definedName == "id", !id.definition.cardinality.isList,
            [.string, .code].contains(id.members[0].accessor)
        else {
            throw GeneratorError("`\(named.path)` is the root of resources, its first element should be `id` 0..1 of type `id`", at: place)
        }
    }

    private static func check(_ element: NamedElement, _ paths: Set<String>) throws {
        for member in element.members {
            let isKnown = member.accessor == .object ? paths.contains(member.typeName) : primitives.contains(member.typeName)
            guard isKnown else {
                let what = member.accessor == .object ? "has no class" : "is not a primitive of FireLite's"
                throw GeneratorError("`\(element.path)` has the type `\(member.typeName)`, which \(what)", at: element.definition.location)
            }
        }
    }
}
