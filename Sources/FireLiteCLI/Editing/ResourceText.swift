import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteXML
import Foundation

/// A resource that somebody wrote, before it is stored.
enum ResourceText {
    /// Reads one resource, as JSON or XML.
    ///
    /// - Throws: `FHIRDecodingError`; `FHIRXMLError`.
    static func resource(_ bytes: Data, _ release: FHIRRelease) throws -> FHIRResource {
        isXML(bytes)
            ? try FHIRXML.resource(from: bytes, release: release) : try FHIRJSON.resource(from: bytes, release: release)
    }

    /// The number of mistakes in a text that are listed.
    private static let mostMistakes = 20

    /// Reports all mistakes of a text that was refused for its first one.
    ///
    /// - Returns: the error that ends the command: the mistake itself if it is the only one.
    static func refusal(_ first: FHIRDecodingError, _ bytes: Data, _ release: FHIRRelease, command: String, _ console: Console) -> any Error
    {
        let all = mistakes(bytes, release)
        guard all.count > 1 else { return first }
        for mistake in all.prefix(mostMistakes) { console.report("firelite \(command): \(ToolWords.text(of: mistake))") }
        if all.count > mostMistakes { console.report("firelite \(command): and \(all.count - mostMistakes) more") }
        return ToolError.incomplete("nothing is stored: the text has \(all.count) mistakes")
    }

    /// The mistakes in a text; empty if it is too broken to go on after the first one.
    private static func mistakes(_ bytes: Data, _ release: FHIRRelease) -> [FHIRDecodingError] {
        do {
            return isXML(bytes)
                ? try FHIRXML.lenientResource(from: bytes, release: release).issues
                : try FHIRJSON.lenientResource(from: bytes, release: release).issues
        } catch {
            return []
        }
    }

    private static func isXML(_ bytes: Data) -> Bool { bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "<") }

    /// Reports what does not fit FHIR's definitions.
    ///
    /// - Throws: `ToolError` with status 1 if there is an error.
    static func check(_ resource: FHIRResource, command: String, _ console: Console) throws {
        let issues = resource.validate() + resource.validate(constraints: .defined(by: resource.layout.release))
        let errors = issues.filter { $0.severity == .error }
        if errors.count == 1, let error = errors.first {
            throw ToolError.incomplete("nothing is stored: \(error)\(codes(error, resource)); --unchecked stores it all the same")
        }
        for issue in errors { console.report("firelite \(command): \(issue)") }
        guard errors.isEmpty else {
            throw ToolError.incomplete(
                "nothing is stored: the \(resource.resourceType) has \(errors.count) error\(errors.count == 1 ? "" : "s"); "
                    + "--unchecked stores it all the same")
        }
    }

    /// The codes that the element of an issue takes; empty for other issues and for long lists.
    private static func codes(_ issue: FHIRIssue, _ resource: FHIRResource) -> String {
        guard issue.code == .unknownCode else { return "" }
        var (layout, element): (Layout?, LayoutElement?) = (resource.layout, nil)
        for step in issue.path.split(separator: ".").dropFirst() {
            element = layout?.element(named: String(step.prefix { $0 != "[" }))
            layout = element?.layout
        }
        let codes = element?.binding.flatMap { resource.layout.release.codes(ofBinding: $0) }?.map(String.init) ?? []
        return codes.isEmpty || codes.count > 12 ? "" : " than \(codes.joined(separator: ", "))"
    }

    static let unchecked = OptionDefinition.flag("unchecked", "store it although it does not fit FHIR's definitions")
    static let version = OptionDefinition.option(
        "if-version", "N", "only if the stored resource has this version of `firelite history`; 0: if there is none")
}

/// What became of a resource.
struct StoredResource {
    let key: String
    let counts: UpsertCounts
    let version: Int?

    /// Stores a resource, and reads its version.
    init(_ resource: FHIRResource, _ transaction: WriteTransaction) throws {
        counts = try transaction.store([resource])
        let id = resource.id ?? ""
        key = "\(resource.resourceType)/\(id)"
        version = try Self.version(of: resource.resourceType, id, transaction)
    }

    /// The version of a stored resource; nil if there is none.
    static func version(of type: String, _ id: String, _ transaction: ReadTransaction) throws -> Int? {
        try transaction.resource(typeName: type, id: id).flatMap { Draft($0).baseVersion }
    }

    var outcome: String { counts.added > 0 ? "added" : counts.updated > 0 ? "updated" : "unchanged" }

    static let jsonKeys = [
        JSONKey("resource", "the type and id"), JSONKey("outcome", "added, updated or unchanged"), JSONKey("version", "its version now"),
    ]

    func report() -> Report {
        var report = Report()
        report.addNote("\(outcome) \(key)\(version.map { ", version \($0)" } ?? "")")
        report.addMember("resource", .text(key))
        report.addMember("outcome", .text(outcome))
        report.addMember("version", version.map { .number($0) } ?? .none)
        return report
    }
}
