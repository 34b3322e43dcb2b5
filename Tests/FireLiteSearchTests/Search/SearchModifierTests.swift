import FireLite
import Foundation
import TestSupport
import Testing

@testable import FireLiteSearch

/// Which modifiers apply to which types of parameters.
struct SearchModifierTests {
    /// A parameter of each type, with a value.
    private static let parameters: [(kind: SearchDefinition.Kind, address: String, value: String)] = [
        (.string, "Patient?family", "a"), (.token, "Observation?code", "a"), (.date, "Patient?birthdate", "2020"),
        (.number, "RiskAssessment?probability", "1"), (.quantity, "Observation?value-quantity", "1"),
        (.reference, "Observation?subject", "1"),
        (.uri, "ValueSet?url", "http://a"), (.composite, "Observation?code-value-quantity", "a$1"),
    ]

    /// Values that a modifier needs instead.
    private static let values: [SearchModifier: String] = [.missing: "true", .ofType: "s|c|v"]

    @Test func aModifierAppliesWhereTheTableSaysAndNowhereElse() throws {
        let store = try SearchStore()
        for (kind, address, value) in Self.parameters {
            for rule in SearchModifier.rules {
                for name in rule.names {
                    let error = try store.error("\(address):\(name)=\(Self.values[rule.modifier] ?? value)")
                    guard rule.kinds.contains(kind) else {
                        #expect(
                            error?.code == .notSupported && error?.message.contains(":\(name) does not apply") == true, "\(address):\(name)"
                        )
                        continue
                    }
                    // `:in` and its like need a ValueSet or CodeSystem.
                    let needsTerminology: Set<SearchModifier> = kind == .token ? [.isIn, .notIn, .above, .below] : []
                    #expect(error == nil || needsTerminology.contains(rule.modifier), "\(address):\(name): \(error.map { "\($0)" } ?? "")")
                }
            }
            #expect(try store.error("\(address):unheard=\(value)")?.code == .notSupported, "\(address)")
            #expect(try (store.error("\(address):Patient=\(value)") == nil) == (kind == .reference), "\(address)")
        }
    }

    @Test func anErrorNamesTheModifiersThatApply() throws {
        let error = try SearchStore().error("Patient?family:not=a")
        #expect(error?.message == "the modifier :not does not apply to a string parameter: use :missing, :exact, :contains, :text")
        #expect(try SearchStore().error("Observation?subject:Nobody=1")?.message.hasSuffix(":identifier, a resource type") == true)
    }

    @Test func thePageNamesEveryModifier() throws {
        let page = try #require(try DocumentationPages.pages().first { $0.name == "Searching.md" }).text.split(separator: "\n")
        for kind in SearchDefinition.Kind.allCases where kind != .special && kind != .composite {
            let row = try #require(page.first { $0.hasPrefix("| \(kind.rawValue)") || $0.hasPrefix("| number, \(kind.rawValue)") })
            for name in SearchModifier.names(for: kind) where name != "missing" { #expect(row.contains("`:\(name)`"), "\(kind): \(name)") }
        }
    }
}
