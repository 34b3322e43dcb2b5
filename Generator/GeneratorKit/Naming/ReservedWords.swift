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

    /// Names the generated code itself uses, and that of the file `Release.swift`: a FHIR type with one of these could not keep it.
    static let runtimeTypes: Set<String> = [
        "Any", "AnyObject", "Self", "Type", "Protocol", "Bool", "Int", "String", "Layout", "TypeGroup", "FHIRObject",
        "FHIRResource", "FHIRRelease", "FHIRCode", "FHIRChoice", "FHIRDecimal", "FHIRDate", "FHIRDateTime", "FHIRInstant",
        "FHIRTime", "Release",
    ]

    /// Names of Swift's that code structs, choices and backbone classes do not hide. FHIR's own types do (`List`, `Range`, `Task`):
    /// there FHIR's name is the one a user looks for.
    static let commonTypes: Set<String> = [
        "Array", "Character", "Codable", "Collection", "Comparable", "Data", "Date", "Decimal", "Dictionary", "Double",
        "Equatable", "Error", "FireLite", "FireLiteCore", "Float", "Hashable", "Identifiable", "Never", "Optional", "Result",
        "Sendable", "Sequence", "Set", "Substring", "URL", "UUID", "Void",
    ]

    /// Members of the runtime's classes.
    static let members: Set<String> = [
        "pk", "copy", "populate", "validate", "isManaged", "isDeleted", "isEmpty", "layout", "upsert", "debugDescription",
        "init", "self", "Type", "Protocol", "ID",
    ]

    /// Members of the runtime's resources besides.
    static let resourceMembers: Set<String> = ["resourceType"]

    /// Static members and enum cases that Swift itself gives a meaning; `none` and `some` because `.none` in the place of an
    /// optional is the optional's.
    static let cases: Set<String> = ["init", "self", "Self", "Type", "Protocol", "none", "some"]
}
