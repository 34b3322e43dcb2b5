/// A piece of a parsed template.
indirect enum TemplateNode: Sendable {
    case text(String)
    case variable(key: String, SourceLocation)
    case section(key: String, isInverted: Bool, [TemplateNode], SourceLocation)
    /// Another template, each of its lines after the first indented.
    case partial(name: String, indentation: String, SourceLocation)
}
