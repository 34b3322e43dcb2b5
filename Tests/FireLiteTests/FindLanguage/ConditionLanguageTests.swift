import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// The language of `firelite find` means what the typed conditions mean, and says where a mistake is.
@Suite(.soundStores) struct ConditionLanguageTests {
    private let patient = ElementPath<Patient>(QueryPath())
    private let observation = ElementPath<Observation>(QueryPath())

    private func meaning(_ arguments: [String], _ layout: Layout = Patient._layout) throws -> String {
        "\(try PredicateParser(layout).conditions(arguments))"
    }

    private func text(_ condition: QueryCondition) -> String { "\(condition.predicate)" }

    private func all(_ conditions: QueryCondition...) -> QueryCondition { QueryCondition(.and(conditions.map(\.predicate))) }
    private func any(_ conditions: QueryCondition...) -> QueryCondition { QueryCondition(.or(conditions.map(\.predicate))) }

    @Test func andBindsTighterThanOr() throws {
        let (a, b, c) = (patient.active == true, patient.name.given == "Ada", patient.birthDate < "1970")
        let expected = text(any(a, all(b, c)))
        for arguments in [
            ["active=true", "or", "name.given=Ada", "birthDate<1970"], ["active=true", "OR", "name.given=Ada", "and", "birthDate<1970"],
            ["(active=true or name.given=Ada and birthDate<1970)"], ["((active=true) or (name.given=Ada and birthDate<1970))"],
            ["(", "active=true", "or", "name.given=\"Ada\"", "birthDate<1970", ")"],
        ] { #expect(try meaning(arguments) == expected, "\(arguments)") }
        #expect(try meaning(["(active=true or name.given=Ada)", "birthDate<1970"]) == text(all(any(a, b), c)))
        #expect(try meaning(["(", "active=true", "or", "name.given=Ada", ")", "birthDate<1970"]) == text(all(any(a, b), c)))
        #expect(try meaning(["active=true", "name.given=Ada", "birthDate<1970"]) == text(all(a, b, c)))
        #expect(try meaning([]) == "\(Predicate.constant(true))")
    }

    @Test func notTurnsOneConditionRound() throws {
        let (a, b) = (patient.active == true, patient.name.given == "Ada")
        for arguments in [
            ["not", "active=true", "name.given=Ada"], ["not active=true", "name.given=Ada"], ["(not active=true and name.given=Ada)"],
        ] {
            #expect(try meaning(arguments) == text(all(!a, b)), "\(arguments)")
        }
        #expect(try meaning(["not (active=true or name.given=Ada)"]) == text(!any(a, b)))
        #expect(try meaning(["not(active=true or name.given=Ada)"]) == text(!any(a, b)))
        #expect(try meaning(["not", "not", "active=true"]) == text(!(!a)))
    }

    @Test func bracesTakeExpressions() throws {
        let coding = ElementPath<Coding>(QueryPath())
        let inner = all(any(coding.code == "a", coding.code == "b,c"), coding.system == "s", !(coding.display == "d"))
        let expected = text(observation.code.coding.any { _ in inner })
        for argument in [
            #"code.coding{(code=a or code="b,c"),system=s,not display=d}"#,
            #"code.coding{(code=a or code="b,c"),system=s,not (display=d)}"#,
            #"(code.coding{(code=a or code="b,c"),system=s,not display=d})"#,
        ] { #expect(try meaning([argument], Observation._layout) == expected, "\(argument)") }
    }

    /// What a value is made of never becomes another condition.
    @Test(arguments: [
        "Ada or active=true", "Ada and active=true", "van der Berg", "(Ada)", "a) or (active=true", "not x", "Ada)", "or", "a}b{c",
    ])
    func aPlainArgumentIsOneCondition(_ value: String) throws {
        #expect(try meaning(["name.given=\(value)"]) == text(patient.name.given == value))
        let quoted = try meaning(["(name.given=\"\(value)\" or active=true)"])
        #expect(quoted == text(any(patient.name.given == value, patient.active == true)))
    }

    @Test func parenthesesOfTypesBelongToPaths() throws {
        let medication = observation.contained.of(Medication.self).code.text == "Aspirin"
        #expect(
            try meaning(["(contained(Medication).code.text=Aspirin or status=final)"], Observation._layout)
                == text(any(medication, observation.status == .final)))
    }

    // MARK: - References

    @Test func referencesAreComparedAsWholes() throws {
        let is1 = observation.subject.refers(to: Patient.self, id: "1")
        #expect(try meaning(["subject=Patient/1"], Observation._layout) == text(is1))
        #expect(try meaning(["subject!=Patient/1"], Observation._layout) == text(!is1))
        #expect(
            try meaning(["subject:in=Patient/1,Patient/2"], Observation._layout)
                == "\(Predicate.refers(observation.subject.path, ["Patient/1", "urn:uuid:1", "Patient/2", "urn:uuid:2"]))")
        #expect(try meaning(["subject=urn:uuid:1"], Observation._layout) == "\(Predicate.refers(observation.subject.path, ["urn:uuid:1"]))")
        #expect(try meaning(["subject="], Observation._layout) == text(observation.subject == nil))
    }

    @Test func targetsFulfilConditions() throws {
        let born = observation.subject.target(Patient.self).any { $0.birthDate < "1970" }
        #expect(try meaning(["subject(Patient).birthDate<1970"], Observation._layout) == text(born))
        let both = observation.subject.target(Patient.self).any { all($0.birthDate < "1970", $0.gender == .male) }
        #expect(try meaning(["subject(Patient){birthDate<1970,gender=male}"], Observation._layout) == text(both))
        let notMale = !observation.subject.target(Patient.self).any { $0.gender == .male }
        #expect(try meaning(["subject(Patient).gender!=male"], Observation._layout) == text(notMale))
        let chain = observation.subject.target(Patient.self).any {
            $0.generalPractitioner[0].target(Practitioner.self).any { $0.name.family == "A" }
        }
        #expect(try meaning(["subject(Patient).generalPractitioner[0](Practitioner).name.family=A"], Observation._layout) == text(chain))
        #expect(try meaning(["subject(Patient)!="], Observation._layout) == text(observation.subject.target(Patient.self).exists))
    }

    @Test func whatRefersHere() throws {
        let final = patient.isReferred(from: Observation.self, by: { $0.subject }) { all($0.status == .final) }
        #expect(try meaning(["has(Observation.subject){status=final}"]) == text(final))
        #expect(try meaning(["has(Observation.subject)"]) == text(patient.isReferred(from: Observation.self, by: { $0.subject })))
        #expect(try meaning(["(not has(Observation.subject){status=final} or active=true)"]) == text(any(!final, patient.active == true)))
        let deep = observation.subject.target(Patient.self).any { _ in all(final) }
        #expect(try meaning(["subject(Patient){has(Observation.subject){status=final}}"], Observation._layout) == text(deep))
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ("nmae.given=x", "Patient has no element 'nmae': did you mean 'name'? (character 1 of 'nmae.given=x')"),
        ("name.gievn=x", "HumanName has no element 'gievn': did you mean 'given'? (character 6 of 'name.gievn=x')"),
        ("brithDate =1970", "Patient has no element 'brithDate': did you mean 'birthDate'? (character 1 of 'brithDate =1970')"),
        ("birthDate =1970", "leave out the spaces beside 'birthDate': write PATH=VALUE (character 1 of 'birthDate =1970')"),
        ("active=yes", "'yes' is not a value of the type boolean, which active has (character 8 of 'active=yes')"),
        ("birthDate<yesterday", "'yesterday' is not a date or time, which birthDate is (character 11 of 'birthDate<yesterday')"),
        (
            "name{family=a,use:in=\"b}",
            "a quoted value has no closing quotation mark: put \\ before quotation marks inside it (character 22 of 'name{family=a,use:in=\"b}')"
        ),
        (
            "(active=true or",
            "'' is not a condition: write PATH=VALUE, or another of = != < <= > >= ~ ^= $= *= :in= (character 16 of '(active=true or')"
        ),
        ("(active=true", "a parenthesis is not closed (character 13 of '(active=true')"),
        ("(active=true))", "a closing parenthesis has no opening one (character 14 of '(active=true))')"),
        (
            "(name.family=van Berg)",
            "expected 'and', 'or' or the end: put a value with spaces or parentheses in quotation marks (character 18 of '(name.family=van Berg)')"
        ),
        (
            "generalPractitioner=Bob",
            "'Bob' is not a reference: write Type/id, or an absolute URL (character 21 of 'generalPractitioner=Bob')"
        ),
        (
            "name(Patient).family=x",
            "name(Patient): only a Reference or an element that contains resources can have a resource type in parentheses (character 5 of 'name(Patient).family=x')"
        ),
        (
            "generalPractitioner(Human).id=1",
            "'Human' is not a resource type of FHIR R4 (character 21 of 'generalPractitioner(Human).id=1')"
        ),
        ("has(Observation.code)", "'code' is not a Reference (character 17 of 'has(Observation.code)')"),
        (
            "contact{has(Observation.subject)}",
            "has(…) applies to a resource as a whole: write it outside of the braces (character 9 of 'contact{has(Observation.subject)}')"
        ),
    ])
    func mistakesHaveAPlace(_ text: String, _ message: String) throws {
        let error = try #require(throws: FHIRStoreError.self) { try PredicateParser(Patient._layout).condition(text) }
        #expect(error.message == message)
    }

    @Test(arguments: [
        ["or"], ["active=true", "or"], ["not"], ["("], ["(", ")"], ["active=true", ")"], ["(", "active=true"], ["and", "active=true"],
    ])
    func wordsNeedConditions(_ arguments: [String]) throws {
        #expect(throws: FHIRStoreError.self) { try PredicateParser(Patient._layout).conditions(arguments) }
    }

    @Test func nestingHasAnEnd() throws {
        for depth in [1, 10, 30, 50_000] {
            let parentheses = String(repeating: "(", count: depth) + "active=true" + String(repeating: ")", count: depth)
            let nots = String(repeating: "not ", count: depth) + "active=true"
            let words = Array(repeating: "(", count: depth) + ["active=true"] + Array(repeating: ")", count: depth)
            for arguments in [[parentheses], [nots], words] {
                if depth <= 10 { _ = try meaning(arguments) } else { #expect(throws: FHIRStoreError.self) { try meaning(arguments) } }
            }
        }
    }

    /// The forms find the same resources.
    @Test func expressionsFindResources() throws {
        let store = try freshStore()
        try store.write { tx in
            for (id, gender) in [("1", AdministrativeGender.male), ("2", .female), ("3", .other)] {
                try tx.add(
                    Patient {
                        $0.id = id; $0.gender = gender
                    })
            }
            try tx.add(
                Observation {
                    $0.id = "a"; $0.status = .final; $0.subject = Reference { $0.reference = "Patient/1" }
                })
            try tx.add(
                Observation {
                    $0.id = "b"; $0.status = .preliminary; $0.subject = Reference { $0.reference = "Patient/2" }
                })
        }
        func ids(_ type: FHIRResource.Type, _ arguments: String...) throws -> [String] {
            var request = QueryRequest(type._layout)
            request.add(try PredicateParser(type._layout).conditions(arguments))
            var ids: [String] = []
            try store.forEach(request) { ids.append($0.id ?? "") }
            return ids
        }
        #expect(try ids(Patient.self, "gender=male", "or", "gender=other") == ["1", "3"])
        #expect(try ids(Patient.self, "not (gender=male or gender=other)") == ["2"])
        #expect(try ids(Patient.self, "has(Observation.subject)") == ["1", "2"])
        #expect(try ids(Patient.self, "(has(Observation.subject){status=final} or gender=other)") == ["1", "3"])
        #expect(try ids(Observation.self, "subject(Patient).gender=female") == ["b"])
        #expect(try ids(Observation.self, "subject=Patient/1") == ["a"])
        #expect(try ids(Observation.self, "subject!=Patient/1") == ["b"])
        #expect(try ids(Observation.self, "subject:in=Patient/1,Patient/2,Patient/3") == ["a", "b"])
    }

    // MARK: - Random expressions

    private indirect enum Node {
        case leaf(Int)
        case not(Node)
        case and([Node])
        case or([Node])
    }

    private static let leaves = [
        "active=true", "name.given=\"a ) or b\"", "birthDate<1970", "name{family=x,use=official}", "gender:in=male,female",
        "contained(Medication).code.text~y", "has(Observation.subject){status=final}", "generalPractitioner(Practitioner).name.count>=1",
        "maritalStatus.text=", "name[0].family!=z",
    ]

    private func random(_ generator: inout SeededGenerator, depth: Int) -> Node {
        let isLeaf = depth == 0 || generator.percent(30)
        if isLeaf { return .leaf(generator.int(0...Self.leaves.count - 1)) }
        if generator.percent(25) { return .not(random(&generator, depth: depth - 1)) }
        let parts = (0..<generator.int(2...3)).map { _ in random(&generator, depth: depth - 1) }
        return generator.percent(50) ? .and(parts) : .or(parts)
    }

    private func predicate(_ node: Node) throws -> Predicate {
        switch node {
        case .leaf(let index): try PredicateParser(Patient._layout).condition(Self.leaves[index])
        case .not(let inner): .not(try predicate(inner))
        case .and(let parts): .and(try parts.map(predicate))
        case .or(let parts): .or(try parts.map(predicate))
        }
    }

    /// The words of an expression, with no more parentheses than it needs.
    private func words(_ node: Node, in outer: Node? = nil) -> [String] {
        var words: [String]
        switch node {
        case .leaf(let index): return [Self.leaves[index]]
        case .not(let inner): return ["not"] + self.words(inner, in: node)
        case .and(let parts): words = Array(parts.map { self.words($0, in: node) }.joined(separator: ["and"]))
        case .or(let parts): words = Array(parts.map { self.words($0, in: node) }.joined(separator: ["or"]))
        }
        switch (outer, node) {
        case (nil, _), (.or, .and): break
        default: words = ["("] + words + [")"]
        }
        return words
    }

    @Test func randomExpressionsMeanWhatTheyAreMadeOf() throws {
        for seed in 1...500 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let node = random(&generator, depth: 4)
            let words = words(node)
            let expected = "\(try predicate(node))"
            #expect(try meaning(words) == expected, "seed \(seed)")
            #expect(try meaning(["(" + words.joined(separator: " ") + ")"]) == expected, "seed \(seed)")
            // Beside each other conditions mean the same as with "and".
            #expect(try meaning(words.filter { $0 != "and" }) == expected, "seed \(seed)")
        }
    }

    /// Whatever a text is made of, it is a condition that runs or an error.
    @Test func randomTextsAreConditionsOrErrors() throws {
        let pieces = [
            "name", "given", ".", "[0]", "(", ")", "{", "}", "=", "!=", ":in=", "<", "~", "\"", "\\", ",", " ", "or", "and", "not", "has(",
            "Patient",
            "Observation", "subject", "count", "1", "é", "\u{301}", "true", "active",
        ]
        let store = try freshStore()
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "1"; $0.active = true; $0.name = [HumanName { $0.given = ["name"] }]
                })
            try tx.add(Observation { $0.subject = Reference { $0.reference = "Patient/1" } })
        }
        var generator = SeededGenerator(seed: 7)
        var conditions = 0
        for _ in 0..<20_000 {
            let text = (0..<generator.int(1...12)).map { _ in pieces[generator.int(0...pieces.count - 1)] }.joined()
            do {
                var request = QueryRequest(Patient._layout)
                request.add(try PredicateParser(Patient._layout).conditions([text]))
                _ = try store.count(request)
                conditions += 1
            } catch let error as FHIRStoreError {
                #expect(error.code == .invalidArgument, "\(text)")
            }
        }
        #expect(conditions > 0)
    }
}
