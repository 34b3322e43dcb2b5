/// Checks that a release's definitions fit together, so that later steps find every name.
struct DefinitionValidator {
    /// FHIR's longest line of types has six.
    private static let longestLine = 32

    private let types: [String: TypeDefinition]
    private let backbones: Set<String>

    /// - Throws: `GeneratorError` at the definition that does not fit.
    static func validate(_ release: ReleaseDefinition) throws {
        var types: [String: TypeDefinition] = [:]
        var backbones: Set<String> = []
        for type in release.types {
            guard types.updateValue(type, forKey: type.name) == nil else {
                throw GeneratorError("type `\(type.name)` is defined twice", at: type.location)
            }
            for backbone in type.backbones where !backbones.insert(backbone.path).inserted {
                throw GeneratorError("backbone element `\(backbone.path)` is defined twice", at: backbone.location)
            }
        }
        var valueSets: Set<String> = []
        for valueSet in release.valueSets where !valueSets.insert(valueSet.url).inserted {
            throw GeneratorError("value set `\(valueSet.url)` is defined twice", at: valueSet.location)
        }
        let validator = DefinitionValidator(types: types, backbones: backbones)
        for type in release.types { try validator.validate(type) }
    }

    private func validate(_ type: TypeDefinition) throws {
        try validateBases(of: type)
        try validate(type.elements, of: type.name)
        for backbone in type.backbones {
            guard types[backbone.base]?.kind == .datatype else {
                throw GeneratorError("no datatype `\(backbone.base)` to derive `\(backbone.path)` from", at: backbone.location)
            }
            try validate(backbone.elements, of: backbone.path)
        }
    }

    private func validateBases(of type: TypeDefinition) throws {
        var seen: Set<String> = [type.name]
        var current = type
        while let name = current.base {
            guard let base = types[name] else {
                throw GeneratorError("no type `\(name)` to derive `\(current.name)` from", at: current.location)
            }
            guard seen.insert(name).inserted else {
                throw GeneratorError("type `\(type.name)` derives from itself", at: type.location)
            }
            guard seen.count <= Self.longestLine else {
                throw GeneratorError("`\(type.name)` derives through more than \(Self.longestLine) types", at: type.location)
            }
            current = base
        }
    }

    private func validate(_ elements: [ElementDefinition], of owner: String) throws {
        var names: Set<String> = []
        for element in elements {
            let path = owner + "." + element.definedName
            guard names.insert(element.name).inserted else {
                throw GeneratorError("element `\(path)` is defined twice", at: element.location)
            }
            switch element.types {
            case .backbone(let target), .content(let target):
                guard backbones.contains(target) else {
                    throw GeneratorError("no backbone element `\(target)` for `\(path)`", at: element.location)
                }
            case .named(let references):
                if let unknown = references.first(where: { types[$0.name] == nil }) {
                    throw GeneratorError("no type `\(unknown.name)` for `\(path)`", at: element.location)
                }
                if references.count > 1, !element.isChoice {
                    throw GeneratorError("`\(path)` has several types but no `[x]`", at: element.location)
                }
                if element.isChoice, element.cardinality.isList {
                    throw GeneratorError("choice element `\(path)` repeats", at: element.location)
                }
            }
        }
    }
}
