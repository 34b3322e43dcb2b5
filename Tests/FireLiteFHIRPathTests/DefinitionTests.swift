import FireLiteCore
import FireLiteFHIRPath
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// The expressions of FHIR's own definitions, which are not part of the package: without them nothing is tested.
@Suite(
    .enabled(
        if: Definitions.archive != nil && OfficialExamples.archive != nil, "the archives are not beside the package, in ../shared/data"))
struct DefinitionTests {
    /// Every constraint of R4 on every official example: what breaks one is wrong with the example.
    @Test(arguments: ["from the definitions", "of the module"]) func officialExamplesKeepTheConstraintsOfR4(_ origin: String) throws {
        let isOwn = origin == "of the module"
        let constraints =
            isOwn ? FHIRPathConstraints.defined(by: .r4) : FHIRPathConstraints(try Definitions.constraints(), release: .r4)
        #expect(constraints.unusable.map { "\($0.constraint.key): \($0.error)" } == [])
        var found: Set<String> = []
        var undecided: Set<String> = []
        // By day all of them by the constraints of the module, and some by those of the archive.
        let all = try OfficialExamples.files()
        func isKnown(_ name: String) -> Bool { Self.known.contains { $0.hasPrefix(name + " ") } }
        let files = isOwn ? all : Effort.sample(all.filter { !isKnown($0.name) }, 100) + all.filter { isKnown($0.name) }
        for (name, json) in files {
            let resource = try FHIRJSON.resource(from: json, release: .r4)
            undecided.formUnion(resource.undecided(constraints: constraints))
            for issue in resource.validate(constraints: constraints) where issue.severity == .error {
                found.insert("\(name) \(issue.key ?? "")")
            }
        }
        let unexpected = found.subtracting(Self.known).sorted().joined(separator: "\n")
        #expect(unexpected.isEmpty, "\(unexpected)")
        #expect(Self.known.subtracting(found) == [])
        #expect(undecided.filter { !Self.needTerminology($0) } == [])
    }

    /// Examples that are wrong, with the constraint that they break: their narratives are nothing but white space (txt-2).
    private static let known: Set<String> = [
        "ActivityDefinition-blood-tubes-supply.json txt-1", "ActivityDefinition-blood-tubes-supply.json txt-2",
        "ActivityDefinition-heart-valve-replacement.json txt-1", "ActivityDefinition-heart-valve-replacement.json txt-2",
        "EventDefinition-example.json txt-1", "EventDefinition-example.json txt-2",
    ]

    /// Constraints that ask a terminology, which nobody gave.
    private static func needTerminology(_ text: String) -> Bool { text.contains("'memberOf' needs a terminology") }

    @Test func everySearchParameterOfR4CanBeEvaluated() throws {
        let expressions = try Definitions.searchParameters()
        #expect(expressions.count > 1_000)
        let patient = try Sample.patient()
        let observation = try Sample.observation()
        for expression in expressions {
            let path = try FHIRPath(expression, options: .definitions)
            var context = FHIRPathContext()
            context.resolve = { _ in nil }
            _ = try path.evaluate(on: patient, context: context)
            _ = try path.evaluate(on: observation, context: context)
        }
    }
}
