/// A class to generate: of a resource, a datatype or a backbone element.
struct NamedClass: Sendable {
    enum Kind: String, Sendable {
        case resource, datatype, backbone
    }

    /// FHIR's name: the type's name or the backbone element's path.
    var path: String
    var name: String
    var kind: Kind
    var isAbstract: Bool
    /// Whether no class derives from it.
    var isFinal: Bool
    /// Name of the class it derives from, generated or the runtime's.
    var baseName: String
    /// The class that is written after the colon: a hand-written one between it and `baseName`, or that itself.
    var superclassName: String
    /// The hand-written subclass that all its instances are of; empty if there is none.
    var replacement = ""
    /// Whether it derives from a class of the runtime.
    var isRoot: Bool
    /// Canonical URL; empty for a backbone element.
    var url: String
    var elements: [NamedElement]
    /// The number of its slots, those of its bases included.
    var slotCount: Int
    /// Enums of its choice elements, those it shares with other classes excepted.
    var choices: [NamedChoice]

    /// The class of its instances.
    var instanceName: String { replacement.isEmpty ? name : replacement }

    /// The variable with its layout.
    var layoutName: String { Self.layoutName(of: name) }

    /// The variable with the layout of a class.
    static func layoutName(of name: String) -> String { variable(name, "Layout") }

    /// A variable's name from a class's, with only the first letter lower so that no two classes meet.
    static func variable(_ name: String, _ suffix: String) -> String {
        name.prefix(1).lowercased() + name.dropFirst() + suffix
    }
}
