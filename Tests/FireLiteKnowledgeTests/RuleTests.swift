import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

/// Each rule of FHIR's pages has a resource that keeps it or breaks it, in `Fixtures/*.ndjson`.
@Suite struct RuleTests {
    /// A line of the fixtures.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isValid: Bool
        let release: String
        let text: String
        let supporting: [String]
        let profiles: [String]

        init(_ json: JSONItem) {
            name = json["name"]?.text ?? ""
            isValid = json["valid"]?.json == "true"
            release = json["release"]?.text ?? "R4"
            text = json["text"]?.text ?? json["resource"]?.json ?? ""
            supporting = json["supporting"]?.items.map(\.json) ?? []
            profiles = json["profile"].flatMap { $0.text.map { [$0] } } ?? []
        }

        var testDescription: String { name }
    }

    private static func cases(_ file: String) throws -> [Case] {
        try PackageFolder.text(of: "Tests/FireLiteKnowledgeTests/Fixtures/\(file).ndjson").split(separator: "\n").map {
            Case(try JSONItemReader.read(Data($0.utf8)))
        }
    }

    @Test(arguments: ["primitives", "structure", "profiles", "bundles", "questionnaires", "definitions", "releases"])
    func everyRuleHolds(_ file: String) throws {
        let cases = try Self.cases(file)
        #expect(!cases.isEmpty)
        for item in cases {
            let errors = try errors(item)
            #expect(errors.isEmpty == item.isValid, "\(item.name): \(errors.prefix(3))")
        }
    }

    /// What is wrong with a resource; a text that is no FHIR is one error.
    private func errors(_ item: Case) throws -> [String] {
        let release = try #require(item.release == "R4" ? .r4 : FHIRRelease.bundled(item.release))
        let knowledge = Knowledge(release: release)
        knowledge.useReleases { FHIRRelease.bundled($0) }
        for text in item.supporting { try knowledge.add(Data(text.utf8), source: item.name) }
        let resource: FHIRResource
        do {
            resource = try FHIRJSON.resource(from: Data(item.text.utf8), release: release)
        } catch {
            return ["\(error)"]
        }
        return try FHIRValidator(knowledge: knowledge).validate(resource, against: item.profiles).filter { $0.severity == .error }.map {
            "\($0.messageID) \($0.path)"
        }
    }
}
