import Testing

@testable import FireLiteCLI

extension OutputPath {
    /// An output as a command line would give it.
    static func given(_ path: String, as kind: OutputKind = .lines(.rejects)) throws -> OutputPath {
        let outputs = try outputs(among: [Argument(name: "--output", path: path, kind: .output(kind))])
        return try #require(outputs["--output"])
    }
}
