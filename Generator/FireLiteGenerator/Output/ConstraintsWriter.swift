/// Writes the constraints of a release as text, which `FireLiteFHIRPath` reads for generated classes.
enum ConstraintsWriter {
    /// The constraints of a type and of its elements: path, key, severity and FHIRPath.
    static func lines(_ type: NamedType) -> [String] {
        let own = type.definition.constraints.map { (type.definition.name, $0) }
        let inner = type.classes.flatMap(\.elements).flatMap { element in element.definition.constraints.map { (element.path, $0) } }
        return (own + inner).compactMap { path, constraint in
            let expression = (constraint.rule?.fhirPath ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
            return expression.isEmpty ? nil : "\(path) \(constraint.key) \(constraint.severity.rawValue) \(expression)"
        }
    }

    /// A Swift file with the text; nil for a release whose constraints are not FHIRPath.
    static func file(of release: NamedRelease) -> PlannedFile? {
        let lines = release.types.flatMap(lines)
        guard !lines.isEmpty else { return nil }
        return PlannedFile(
            path: "\(release.release.name).swift",
            content: """
                // FHIR \(release.release). \(OutputFolder.mark)
                // swift-format-ignore-file

                extension ReleaseConstraints {
                    static let \(release.memberName) = ReleaseConstraints(version: "\(release.release.version)", text: ##\"\"\"
                \(lines.joined(separator: "\n"))
                \"\"\"##)
                }

                """)
    }
}
