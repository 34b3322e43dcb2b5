/// Writes what a release's layouts leave out, as text that `FireLiteKnowledge` reads: the bindings of elements, and which are modifiers.
enum KnowledgeWriter {
    /// The beginning of most URLs, abbreviated as `~`.
    private static let prefix = "http://hl7.org/fhir/ValueSet/"

    /// The text of a release: `path strength url`, and `modifier path`.
    static func text(of definition: ReleaseDefinition) -> String {
        let definition = definition.sorted()
        var lines: [String] = []
        for type in definition.types where type.kind != .primitive {
            lines += self.lines(of: type.elements, type.name)
            for backbone in type.backbones { lines += self.lines(of: backbone.elements, backbone.path) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of elements: [ElementDefinition], _ path: String) -> [String] {
        elements.flatMap { element in
            let path = "\(path).\(element.definedName)"
            let binding = element.binding.flatMap { binding in binding.valueSet.map { "\(path) \(binding.strength.rawValue) \(url($0))" } }
            return (binding.map { [$0] } ?? []) + (element.isModifier ? ["modifier \(path)"] : [])
        }
    }

    private static func url(_ url: String) -> String { url.hasPrefix(prefix) ? "~" + url.dropFirst(prefix.count) : url }

    /// A Swift file with the text.
    static func file(of definition: ReleaseDefinition, memberName: String) -> PlannedFile {
        PlannedFile(
            path: "\(definition.release.name).swift",
            content: """
                // FHIR \(definition.release). \(OutputFolder.mark)
                // swift-format-ignore-file

                extension BaseFacts {
                    static let \(memberName) = BaseFacts(version: "\(definition.release.version)", text: ##\"\"\"
                \(text(of: definition))\"\"\"##)
                }

                """)
    }
}
