/// Writes aliases of all types of a release inside an enum with its name, for code that also needs types of other modules with the same names.
enum AliasesWriter {
    /// A Swift file with the aliases.
    static func file(of release: NamedRelease) -> PlannedFile {
        let module = "FireLite\(release.release.name)"
        let classes = release.types.flatMap(\.classes).flatMap { [$0.name] + $0.choices.map(\.name) }
        let names = Set(classes + release.sharedChoices.map(\.name) + release.codes.map(\.name)).sorted()
        let lines = names.map { "    public typealias \($0) = \(module).\($0)" }
        return PlannedFile(
            path: "Names.swift",
            content: """
                // FHIR \(release.release). \(OutputFolder.mark)
                // swift-format-ignore-file

                import \(module)

                /// The types of FHIR \(release.release.name), for files that do not import `\(module)`.
                public enum \(release.release.name) {
                \(lines.joined(separator: "\n"))
                }

                """)
    }
}
