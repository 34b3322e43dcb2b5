import FireLiteCore
import FireLiteFHIRPath
import Foundation

#if RELEASE_TESTS
    import ReleaseTestSupport
#else
    import TestSupport
#endif

/// The open half of the FHIRPath suite of HL7 for one release. It is not part of the package: without it nothing is tested.
struct ConformanceSuite {
    struct Case: Decodable {
        struct Output: Decodable {
            let type: String?
            let value: String?
        }

        let group: String
        let name: String
        let input: String?
        let predicate: Bool?
        let mode: String?
        let invalid: String?
        let expression: String
        let outputs: [Output]
    }

    let cases: [Case]
    private let inputs: [String: FHIRResource]

    static var archive: SharedArchive? { .suites }

    init(_ release: FHIRRelease) throws {
        guard let archive = Self.archive else { throw CocoaError(.fileNoSuchFile) }
        var cases: [Case] = []
        var inputs: [String: FHIRResource] = [:]
        try archive.withFiles(ending: "json") { files in
            for file in files {
                if file.path.hasSuffix("fhirpath/\(release.name).ndjson") {
                    cases = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
                        try JSONDecoder().decode(Case.self, from: $0)
                    }
                } else if file.path.contains("fhirpath/inputs-\(release.name)/"), file.pathExtension == "json" {
                    inputs[file.lastPathComponent] = try FHIRJSON.resource(from: Data(contentsOf: file), release: release)
                }
            }
        }
        self.cases = cases
        self.inputs = inputs
    }

    /// What is wrong with the answer to a case; nil if nothing is.
    func failure(_ test: Case) -> String? {
        var options = FHIRPathOptions()
        options.isStrict = test.mode == "strict"
        options.allowsChoiceNames = test.mode == "lenient/polymorphics"
        do {
            let path = try FHIRPath(test.expression, options: options)
            var values: [FHIRPathValue]
            if let name = test.input {
                guard let input = inputs[name] else { return "no input \(name)" }
                values = try path.evaluate(on: input)
            } else {
                values = try path.evaluate()
            }
            if test.predicate == true { values = [FHIRPathValue(!values.isEmpty)] }
            if let invalid = test.invalid { return "expected an error (\(invalid)), found \(values.map { $0.literal ?? $0.description })" }
            let found = values.map { Self.answer($0) }
            guard found.count == test.outputs.count else { return "expected \(test.outputs.count) values, found \(found)" }
            for (output, value) in zip(test.outputs, found) {
                if let type = output.type, type != value.type { return "expected the type \(type), found \(value)" }
                if let text = output.value, text != value.text { return "expected \(text), found \(value)" }
            }
            return nil
        } catch {
            if test.invalid != nil { return error is FHIRPathError ? nil : "\(error)" }
            return "\(error)"
        }
    }

    /// The suite names types in FHIR's way, and writes dates as FHIRPath does but without the `T` of a dateTime that is a date.
    private static func answer(_ value: FHIRPathValue) -> (type: String, text: String) {
        var type = value.type
        if value.namespace == "System", type != "Quantity" { type = type.prefix(1).lowercased() + type.dropFirst() }
        var text = value.literal ?? ""
        if text.hasPrefix("@"), text.hasSuffix("T") { text.removeLast() }
        return (type, text)
    }
}
