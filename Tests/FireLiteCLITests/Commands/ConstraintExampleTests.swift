import Foundation
import TestSupport
import Testing

@testable import FireLiteCLI

/// The constraints of the definitions on every open official example: what breaks one is wrong with the example.
struct ConstraintExampleTests {
    /// Examples that are wrong, with the constraints that they break.
    private static let known: [String: Set<String>] = [
        // Their narratives are nothing but white space.
        "R4": [
            "ActivityDefinition-blood-tubes-supply.json txt-1", "ActivityDefinition-blood-tubes-supply.json txt-2",
            "ActivityDefinition-heart-valve-replacement.json txt-1", "ActivityDefinition-heart-valve-replacement.json txt-2",
            "EventDefinition-example.json txt-1", "EventDefinition-example.json txt-2",
        ],
        "STU3": ["Questionnaire-zika-virus-exposure-assessment.json txt-1", "Questionnaire-zika-virus-exposure-assessment.json txt-2"],
        // A narrower target has no comment; a linkId occurs twice.
        "R4B": ["ConceptMap-cm-administrative-gender-v2.json cmd-1", "Questionnaire-qs1.json que-2"],
        // A linkId occurs twice; there is a base and no derivation.
        "R5": [
            "Questionnaire-qgen-Citation1.json que-2", "Questionnaire-qgen-NutritionOrder1.json que-2",
            "Questionnaire-qgen-RiskAssessment1.json que-2", "Questionnaire-qgen-bmi1.json que-2",
            "Questionnaire-qgen-elementdefinition-de1.json que-2", "Questionnaire-qgen-familymemberhistory-genetic1.json que-2",
            "StructureDefinition-ParticipantContactable.json sdf-27",
        ],
    ]

    @Test(
        .enabled(if: SharedArchive("examples-R5.tar.xz") != nil, "the archives of examples are not beside the package, in ../shared/data"),
        // By day `DefinitionTests` has those of R4, and here are those of R5 alone.
        arguments: Effort.isNightly ? ["STU3", "R4", "R4B", "R5"] : ["R5"])
    func officialExamplesKeepTheConstraints(_ release: String) throws {
        let folder = try TemporaryFolder()
        try SharedArchive("examples-\(release).tar.xz")?.unpack(into: folder.path)
        let all = SharedArchive.files(in: folder.path) { $0.hasSuffix(".json") }
        #expect(all.count > 400)
        // By day those that are known to be wrong, and some of the others.
        let known = Self.known[release] ?? []
        func isKnown(_ file: String) -> Bool { known.contains { file.hasSuffix("/" + $0.prefix { $0 != " " }) } }
        let files = Effort.sample(all.filter { !isKnown($0) }, 200) + all.filter(isKnown)
        let outcome = try JSONContent(try ToolRun(["validate", "--release", release] + files).output)
        var found: Set<String> = []
        for issue in outcome["issue"].elements where issue["code"].text == "invariant" && issue["severity"].text == "error" {
            let text = issue["diagnostics"].text
            let file = text.prefix { $0 != ":" }.split(separator: "/").last ?? ""
            let key = try #require(text.firstMatch(of: /breaks the constraint ([^:]+):/)).1
            found.insert("\(file) \(key)")
        }
        #expect(found == known)
    }
}
