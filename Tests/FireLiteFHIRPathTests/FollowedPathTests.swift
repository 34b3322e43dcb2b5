import FireLiteCore
import FireLiteFHIRPath
import FireLiteR4
import TestSupport
import Testing

/// A path that is followed object by object gives what its steps give one after the other.
@Suite struct FollowedPathTests {
    /// `select($this)` is a function, so steps around it are not followed together.
    private func expectSame(_ steps: [String], on object: FHIRObject, _ note: String = "") throws {
        let followed = steps.joined(separator: ".")
        let apart = steps.joined(separator: ".select($this).")
        var options = FHIRPathOptions()
        options.checksModel = false
        let answers = [followed, apart].map { Sample.answer($0, on: object, options: options) }
        #expect(answers[0] == answers[1], "\(followed) \(note)")
        let found = try [followed, apart].map {
            try FHIRPath($0, options: options).evaluate(on: object).map { "\($0.type) \($0.string ?? "")" }
        }
        #expect(found[0] == found[1], "\(followed) \(note)")
    }

    @Test func stepsOfKnownPatients() throws {
        let patient = try Sample.patient()
        for steps in [
            ["name", "where(use = 'official')", "given"], ["name", "where(use = 'official')", "given", "first()"],
            ["name", "given", "where(value = 'Ann')"], ["Patient", "name", "where(use = 'none')", "given", "first()"],
            ["name", "where(given = 'Annie')", "use"], ["name", "where(period = 'x')"], ["birthDate", "extension", "value"],
            ["birthDate", "first()"], ["contained", "name"], ["name", "first()"], ["name", "where(use = 'usual')", "first()"],
            ["name", "first()", "given"], ["telecom", "where(rank = '1')", "value"],
            ["extension", "where(url = 'http://example.org/age')", "value", "unit"],
            ["name", "where(Patient = 'x')"], ["text", "div"],
            ["identifier", "where(system = 'http://example.org/ids')", "value", "first()"],
        ] {
            try expectSame(steps, on: patient)
        }
        Sample.expect(
            [
                ("name.where(use = 'official').given", "Ann, Marie"), ("name.where(use = 'official').given.first()", "Ann"),
                ("name.given.first()", "Ann"), ("name.where(use = 'maiden').given.where(value = 'Marie')", "Marie"),
                ("name.where(use = 'x').given", ""),
            ], on: patient)
    }

    @Test(arguments: Effort.seeds(40)) func stepsOfRandomObjects(_ seed: UInt64) throws {
        var random = RandomInstance(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let object = random.resource(of: .r4)
        for _ in 0..<20 {
            var steps: [String] = []
            var current: FHIRObject? = object
            while let known = current, steps.count < 6 {
                let layout = known.layout
                let element = layout.elements[generator.int(0...layout.elements.count - 1)]
                if generator.int(0...3) == 0, element.choice == nil, let text = try FHIRPath(element.name).strings(on: known).first,
                    !text.contains(where: { "'\\".contains($0) })
                {
                    steps.append("where(\(element.name) = '\(text)')")
                    continue
                }
                steps.append(element.choice == nil ? element.name : "value")
                current = try? FHIRPath(element.name).evaluate(on: known).lazy.compactMap(\.object).first
            }
            if steps.isEmpty || steps[0].hasPrefix("where") { steps.insert("children()", at: 0) }
            if generator.int(0...2) == 0 { steps.append("first()") }
            try expectSame(steps, on: object, "seed \(seed)")
        }
    }

    @Test func theLimitOfStepsHolds() throws {
        let patient = Patient { $0.name = (0..<1_000).map { number in HumanName { $0.given = ["\(number)"] } } }
        var options = FHIRPathOptions()
        options.maximumSteps = 500
        #expect { try FHIRPath("name.given", options: options).evaluate(on: patient) } throws: { ($0 as? FHIRPathError)?.code == .limit }
    }
}
