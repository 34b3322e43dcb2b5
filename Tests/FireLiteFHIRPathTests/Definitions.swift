import FireLiteCore
import FireLiteFHIRPath
import Foundation
import TestSupport

/// Expressions of the definitions of R4, read from HL7's package.
enum Definitions {
    static let archive = SharedArchive("definitions-R4.tar.xz")

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
        guard let archive else { throw CocoaError(.fileNoSuchFile) }
        return try archive.withFiles { files in
            try files.compactMap { file -> (kind: String, definition: Definition)? in
                let kind = file.deletingLastPathComponent().lastPathComponent
                guard kind == "StructureDefinition" || kind == "SearchParameter" else { return nil }
                return (kind, try JSONDecoder().decode(Definition.self, from: Data(contentsOf: file)))
            }
        }
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
