/// Words generated names must keep clear of, by the kind of name.
enum ReservedWords {
    /// Keywords that can be used as a name in backticks.
    static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Keywords that need backticks even as an argument's label.
    static let labels: Set<String> = ["inout", "let", "var"]

    /// Names the generated code uses, that of the file `Release.swift`, and the type that every class has inside of it (`ID`):
    /// a FHIR type with one of these could not keep it.
    static let runtimeTypes: Set<String> = [
        "Any", "AnyObject", "Self", "Type", "Protocol", "Bool", "Int", "String", "Layout", "FHIRObject",
        "FHIRResource", "FHIRRelease", "FHIRCode", "FHIRChoice", "FHIRDecimal", "FHIRDate", "FHIRDateTime", "FHIRInstant",
        "FHIRTime", "Release", "ID",
    ]

    /// Names of Swift's that code structs, choices and backbone classes do not hide. FHIR's own types do (`List`, `Range`, `Task`):
    /// there FHIR's name is the one a user looks for.
    static let commonTypes: Set<String> = [
        "Array", "Character", "Codable", "Collection", "Comparable", "Data", "Date", "Decimal", "Dictionary", "Double",
        "Equatable", "Error", "FireLite", "FireLiteCore", "Float", "Hashable", "Identifiable", "Never", "Optional", "Result",
        "Sendable", "Sequence", "Set", "Substring", "URL", "UUID", "Void",
    ]

    /// Members of the runtime's classes that a property would collide with: all that are public, and properties that the package's
    /// own modules see. `RuntimeMembersTests` compares them with the runtime's source.
    static let members: Set<String> = [
        "containerResource", "copy", "differences", "encode", "filledSlotCount", "hasContent", "isEmpty", "isManaged", "layout",
        "layoutTable", "objectExtras", "objectFlags", "ownerObject", "pk", "populate", "rootObject", "rowNode", "slotCapacity", "slotCount",
        "slotRun",
        "slots", "upsert", "validate",
        // A conformance a user may add, Swift's own.
        "debugDescription", "isDeleted", "init", "self", "Type", "Protocol", "ID",
    ]

    /// Members of the runtime's resources besides. `id` is the element itself.
    static let resourceMembers: Set<String> = ["checkCurrent", "containedResources", "isContained", "isCurrent", "refresh", "resourceType"]

    /// Static members and enum cases that Swift itself gives a meaning; `none` and `some` because `.none` for an
    /// optional is the optional's. And `known`, which every struct of codes has.
    static let cases: Set<String> = ["init", "self", "Self", "Type", "Protocol", "none", "some", "known"]
}
