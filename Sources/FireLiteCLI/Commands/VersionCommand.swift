import FireLite

/// `firelite version`, also `firelite --version`: prints the versions of the tool and its parts.
struct VersionCommand: Command {
    static let definition = CommandDefinition(
        name: "version", summary: "print the version, as does firelite --version",
        options: [], operands: "", operandCount: 0...0,
        jsonKeys: [
            JSONKey("version", "the version of the tool"),
            JSONKey("library", "the linked library with its version"),
            JSONKey("fileFormat", "the number of the file format"),
            JSONKey("releases", "a list of the FHIR releases that --release accepts"),
        ],
        discussion: """
            Prints the versions of the tool, of the linked library and of the file format, and the FHIR releases of this build.

            Examples: firelite --version
                      firelite version --json
            """)

    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws { isJSON = arguments.has("json") }

    func run(_ console: Console) throws -> ExitStatus {
        let (version, library, format) = (FireLiteBuild.version, try FireLiteBuild.library, FireLiteBuild.fileFormat)
        let releases = FireLiteTool.releases.map(\.release)
        var report = Report()
        report.addValue("version", .shown("firelite \(version)", .text(version)))
        report.addValue("library", .text(library))
        report.addValue("fileFormat", .shown("file format \(format)", .number(format)))
        let list = releases.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        report.addValue("releases", .shown("FHIR \(list)", .texts(releases.map(\.name))))
        try console.print(report, asJSON: isJSON)
        return .done
    }
}
