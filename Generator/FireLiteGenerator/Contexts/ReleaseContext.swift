/// Keys every template has, and those of the release's own file.
enum ReleaseContext {
    /// Arrays of code structs are split, since a long literal is slow to type-check.
    static let codesPerArray = 64

    /// The keys of every template.
    ///
    /// - Parameter template: File name of the template.
    static func common(_ release: NamedRelease, template: String, settings: Settings) -> TemplateContext {
        [
            "release": .context([
                "name": .text(release.release.name), "version": .text(release.release.version),
                "member": .text(release.memberName), "module": .text("FireLite" + release.release.name),
            ]),
            "template": .text(template),
            "upsertMethods": .flag(settings.hasUpsertMethods),
        ]
    }

    /// Datatypes with a protocol of shorthands, and the elements that it needs.
    private static let shorthands: [String: (protocol: String, elements: Set<String>)] = [
        "Coding": ("FHIRCoding", ["system", "version", "code", "display"]),
        "CodeableConcept": ("FHIRCodeableConcept", ["coding", "text"]),
        "Quantity": ("FHIRQuantity", ["value", "unit", "system", "code"]),
        "HumanName": ("FHIRHumanName", ["text", "family", "given", "prefix", "suffix"]),
    ]

    /// The protocol of a type's shorthands; empty if it has none, or a profile has taken away one of the elements.
    private static func shorthands(of type: NamedType) -> String {
        guard let known = shorthands[type.definition.name] else { return "" }
        return known.elements.isSubset(of: type.definition.elements.map(\.name)) ? known.protocol : ""
    }

    static func context(_ release: NamedRelease) -> TemplateContext {
        let chunks = stride(from: 0, to: release.codes.count, by: codesPerArray).enumerated().map { number, start in
            let codes = release.codes[start..<min(start + codesPerArray, release.codes.count)]
            return ["name": .text("codes\(number)"), "codes": .list(codes.map { ["name": .text($0.name)] })] as TemplateContext
        }
        return [
            "types": .list(
                release.types.map {
                    [
                        "name": .text($0.name), "group": .text($0.groupName), "type": .text($0.definition.name),
                        "isResource": .flag($0.definition.kind == .resource), "isReference": .flag($0.definition.name == "Reference"),
                        "shorthands": .text(shorthands(of: $0)),
                    ]
                }),
            "codeArrays": .list(chunks),
            "searchParameters": .list(release.searchParameters.map(FactContext.searchParameter)),
        ]
    }
}
