import FireLiteCore
import FireLiteFHIRPath
import Foundation
import TestSupport

/// Expressions of the definitions of R4, read from HL7's package.
enum Definitions {
    static var archive: URL? {
        let archive = PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/definitions-R4.tar.xz")
        return FileManager.default.fileExists(atPath: archive.path) ? archive : nil
    }

    private struct Definition: Decodable {
        struct View: Decodable {
            let element: [Element]
        }

        struct Element: Decodable {
            struct Rule: Decodable {
                let key: String
                let severity: String
                let expression: String?
            }

            let path: String
            let constraint: [Rule]?
        }

        let differential: View?
        let derivation: String?
        let expression: String?
    }

    private static let unpacked = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FireLite-definitions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", archive?.path ?? "", "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0, let paths = FileManager.default.enumerator(atPath: folder.path) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        var definitions: [(kind: String, definition: Definition)] = []
        for case let path as String in paths where path.hasSuffix(".json") {
            let file = folder.appendingPathComponent(path)
            let kind = file.deletingLastPathComponent().lastPathComponent
            guard kind == "StructureDefinition" || kind == "SearchParameter" else { continue }
            definitions.append((kind, try JSONDecoder().decode(Definition.self, from: Data(contentsOf: file))))
        }
        return definitions
    }

    /// The constraints of every resource and datatype, where they are stated.
    static func constraints() throws -> [FHIRPathConstraint] {
        var constraints: [FHIRPathConstraint] = []
        for (kind, definition) in try unpacked.get() where kind == "StructureDefinition" && definition.derivation != "constraint" {
            for element in definition.differential?.element ?? [] {
                for rule in element.constraint ?? [] {
                    guard let expression = rule.expression else { continue }
                    constraints.append(
                        FHIRPathConstraint(
                            path: element.path, key: rule.key, severity: rule.severity == "error" ? .error : .warning,
                            expression: expression))
                }
            }
        }
        return constraints
    }

    /// The expressions of every search parameter.
    static func searchParameters() throws -> [String] {
        Array(Set(try unpacked.get().filter { $0.kind == "SearchParameter" }.compactMap(\.definition.expression))).sorted()
    }
}
