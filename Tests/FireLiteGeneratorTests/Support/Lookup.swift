import Testing

@testable import FireLiteGenerator

extension ReleaseDefinition {
    func type(_ name: String) throws -> TypeDefinition { try #require(types.first { $0.name == name }) }

    func backbone(_ path: String) throws -> BackboneDefinition {
        try #require(types.flatMap(\.backbones).first { $0.path == path })
    }

    func valueSet(_ suffix: String) throws -> ValueSetDefinition {
        try #require(valueSets.first { $0.url.hasSuffix("/" + suffix) })
    }

    /// How many types there are of a kind.
    func count(_ kind: TypeDefinition.Kind, isAbstract: Bool) -> Int {
        types.count { $0.kind == kind && $0.isAbstract == isAbstract }
    }
}

extension [ElementDefinition] {
    subscript(_ name: String) -> ElementDefinition {
        get throws { try #require(first { $0.name == name }) }
    }
}

extension ElementDefinition {
    /// Its types with their targets, as a digest has them.
    var typeText: String {
        switch types {
        case .backbone(let path): return path
        case .content(let path): return "@" + path
        case .named(let references):
            return references.map { ([$0.name] + $0.targets).joined(separator: ">") }.joined(separator: "|")
        }
    }
}

extension NamedRelease {
    func namedClass(_ path: String) throws -> NamedClass {
        try #require(types.flatMap(\.classes).first { $0.path == path })
    }

    func namedCodes(_ name: String) throws -> NamedCodes { try #require(codes.first { $0.name == name }) }
}

extension NamedClass {
    func element(_ name: String) throws -> NamedElement {
        try #require(elements.first { $0.definition.name == name })
    }
}

/// The error a piece of work throws, as text.
func message(_ work: () throws -> Void) -> String? {
    do {
        try work()
        return nil
    } catch {
        return "\(error)"
    }
}
