import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteFHIRPath

/// What is plain of a constraint without evaluating it is what an evaluation says.
@Suite struct PlainTruthTests {
    private static let rounds: UInt64 = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] == nil ? 1_500 : 50_000

    /// Both forms of a constraint, and the layout of its objects.
    private struct Pair {
        let layout: Layout
        let plain: CompiledConstraint
        let evaluated: CompiledConstraint

        init?(_ constraint: FHIRPathConstraint) throws {
            guard let layout = FHIRRelease.r4.layout(named: constraint.path) else { return nil }
            self.layout = layout
            plain = try CompiledConstraint(constraint, on: layout)
            evaluated = try CompiledConstraint(constraint, on: nil)
        }

        /// The result of one form: whether the object breaks the rule, or what could not be evaluated.
        static func result(_ constraint: CompiledConstraint, _ object: FHIRObject, _ requiresTruth: Bool?) -> String {
            do {
                guard let requiresTruth else { return "\(try constraint.isBroken(by: .object(object), FHIRPathContext()))" }
                return "\(try constraint.isBroken(by: .object(object), FHIRPathContext(), requiresTruth: requiresTruth))"
            } catch {
                return "\(error)"
            }
        }
    }

    /// Each constraint of FHIR R4, on random objects of its type, and on ones with elements left out.
    @Test func plainTruthsAreThoseOfEvaluation() throws {
        let constraints = FHIRPathConstraints.list(of: .r4) + Self.more
        let pairs = try constraints.compactMap { try Pair($0) }
        let layouts = FHIRRelease.r4.layouts.filter { $0.kind != .abstract }
        try withEvery(0..<Self.rounds) { seed in
            var random = SeededGenerator(seed: seed)
            var instance = RandomInstance(seed: seed)
            let pair = random.pick(pairs)
            let layout = random.pick(layouts.filter { Self.derives($0, from: pair.layout) })
            let object = instance.object(of: layout)
            for _ in 0..<6 {
                for mode in [nil, false, true] as [Bool?] {
                    let (one, two) = (Pair.result(pair.plain, object, mode), Pair.result(pair.evaluated, object, mode))
                    try #require(one == two, "\(pair.plain.constraint.key) on \(layout.name)")
                }
                Self.leaveOut(object, &random)
            }
        }
    }

    /// Forms that the definitions have seldom.
    private static let more = [
        ("Patient", "name.exists() and gender.exists()"), ("Patient", "name.empty() and gender.exists()"),
        ("Patient", "(name.exists() implies gender.exists()) = (gender.empty() or name.empty())"),
        ("Patient", "gender.empty().not()"), ("Patient", "name.not()"), ("Patient", "name"), ("Patient", "name or gender.exists()"),
        ("Patient", "gender implies name"), ("Patient", "birthDate.hasValue().not()"), ("Patient", "deceased.exists() != name.exists()"),
        ("Patient", "deceasedBoolean.empty()"), ("Patient", "Patient.name.exists()"), ("Patient", "nothing.empty()"),
        ("Patient", "name.where(use = 'official').exists()"), ("Patient", "name.exists(use = 'official') or true"),
        ("Patient", "id.startsWith('a')"), ("Patient", "language.startsWith('') or name.empty()"),
        ("Patient", "name.first().given.empty()"),
        ("Patient", "name.single().empty()"), ("Patient", "name > 1 or true"), ("Patient", "name.empty() xor gender.empty()"),
        ("Resource", "id.empty() or meta.empty()"), ("DomainResource", "text.empty() implies contained.empty()"),
        ("Element", "extension.empty() or id.empty()"),
    ].enumerated().map { FHIRPathConstraint(path: $1.0, key: "m-\($0)", severity: .error, expression: $1.1) }

    private static func derives(_ layout: Layout, from base: Layout) -> Bool {
        var current: Layout? = layout
        while let type = current {
            if type === base { return true }
            current = type.base
        }
        return false
    }

    private static func leaveOut(_ object: FHIRObject, _ random: inout SeededGenerator) {
        let filled = object.slotRun.map { Int($0.index) }
        guard !filled.isEmpty else { return }
        object.store(nil, in: random.pick(filled))
    }

    @Test func mostConstraintsArePlainOfSmallResources() throws {
        let patient = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","active":true}"#.utf8), release: .r4)
        for key in ["dom-2", "dom-3", "dom-4", "dom-5"] {
            let rule = try #require(FHIRPathConstraints.list(of: .r4).first { $0.key == key })
            let layout = try #require(FHIRRelease.r4.layout(named: "DomainResource"))
            let path = try FHIRPath(rule.expression, options: .definitions)
            #expect(PlainTruth(path.syntax, on: layout, .definitions)?.fact(of: patient) == .yes, "\(key)")
        }
    }
}
