/// An option of a command: `--name VALUE`, or `--name` alone.
struct OptionDefinition {
    let name: String
    /// The name of the value in the help; nil for an option without a value.
    let value: String?
    /// What the value names.
    let kind: ValueKind
    let isRequired: Bool
    let isRepeatable: Bool
    let help: String

    static func flag(_ name: String, _ help: String) -> OptionDefinition {
        OptionDefinition(name: name, value: nil, kind: .other, isRequired: false, isRepeatable: false, help: help)
    }

    static func option(
        _ name: String, _ value: String, kind: ValueKind = .other, isRequired: Bool = false, isRepeatable: Bool = false, _ help: String
    ) -> OptionDefinition {
        OptionDefinition(name: name, value: value, kind: kind, isRequired: isRequired, isRepeatable: isRepeatable, help: help)
    }

    /// `--name VALUE`, in brackets if it is optional.
    var synopsis: String { (isRequired ? term : "[\(term)]") + (isRepeatable ? "…" : "") }

    /// `--name VALUE`, as in a list of options.
    var term: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}
