/// The value of a template's key.
indirect enum TemplateValue: Sendable {
    /// Text to insert; as a section, true unless empty.
    case text(String)
    /// A condition.
    case flag(Bool)
    /// Keys of their own; as a section, rendered once.
    case context(TemplateContext)
    /// Rendered once for each item, which also has the keys `isFirst` and `isLast`.
    case list([TemplateContext])
}

/// Values by key.
typealias TemplateContext = [String: TemplateValue]

extension TemplateValue {
    static func number(_ value: Int) -> TemplateValue { .text(String(value)) }

    /// What a section over this value is called in messages.
    var kindName: String {
        switch self {
        case .text: return "a text"
        case .flag: return "a condition"
        case .context: return "a group of keys"
        case .list: return "a list"
        }
    }
}
