/// Writes the layouts and codes of a release as text, which `FHIRRelease(layouts:)` of the runtime reads.
enum LayoutsWriter {
    static let firstLine = "FireLite layouts 1"

    /// The text of a release; the same types as its generated classes, with the same names.
    static func text(of release: NamedRelease) -> String {
        var lines = [firstLine, "release \(release.release.name) \(release.release.version)"]
        let classes = release.types.flatMap(\.classes)
        let paths = Dictionary(classes.map { ($0.name, $0.path) }, uniquingKeysWith: { first, _ in first })
        for named in classes {
            let base = named.isRoot ? "-" : paths[named.baseName] ?? "-"
            lines.append("\(named.isAbstract ? "abstract " : "")\(named.kind.rawValue) \(named.path) \(base)")
            lines += named.elements.map { "  " + ElementContext.layoutLine($0) }
        }
        lines += release.types.flatMap(ConstraintsWriter.lines).map { "constraint " + $0 }
        for codes in release.codes {
            let list = codes.valueSet.codes
            if list.contains(where: { $0.contains(" ") }) {
                lines.append("codes \(codes.name)")
                lines += list.map { "  " + $0 }
            } else {
                lines.append((["codes", codes.name] + list).joined(separator: " "))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A Swift file with the text, for a program that knows several releases without their classes.
    static func file(of release: NamedRelease) -> PlannedFile {
        PlannedFile(
            path: "\(release.release.name).swift",
            content: """
                // FHIR \(release.release). \(OutputFolder.mark)
                // swift-format-ignore-file

                extension BundledRelease {
                    static let \(release.memberName) = BundledRelease(name: "\(release.release.name)", layouts: ##\"\"\"
                \(text(of: release))\"\"\"##)
                }

                """)
    }
}
