/// Writes aliases of all types of a release inside an enum with its name, for code that also needs types of other modules with the same names.
enum AliasesWriter {
    /// A Swift file with the aliases.
    ///
    /// - Parameter module: the module with the types.
    /// - Throws: `GeneratorError` if a type has the name of the module, after which `Module.Type` would be a member of that type.
    static func file(of release: NamedRelease, in module: String) throws -> PlannedFile {
        let classes = release.types.flatMap(\.classes).flatMap { [$0.name, $0.instanceName] + $0.choices.map(\.name) }
        let names = Set(classes + release.sharedChoices.map(\.name) + release.codes.map(\.name)).sorted()
        guard !names.contains(module) else {
            throw GeneratorError("the module `\(module)` has a type of that name, so aliases cannot name its types: rename one of them")
        }
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
