import FireLiteR4
import Testing

@testable import FireLite

/// Values in quotation marks: what is between them counts, whatever it is.
@Suite(.soundStores) struct QuotedTextTests {
    /// What a condition means, as text.
    private func meaning(_ text: String) throws -> String { "\(try PredicateParser(HumanName._layout).condition(text))" }

    @Test func listsMayBeQuoted() throws {
        func family(_ values: [String]) -> String {
            "\(ElementPath<HumanName>(QueryPath()).family.in(values).predicate)"
        }
        #expect(try meaning(#"family:in=a,b"#) == family(["a", "b"]))
        #expect(try meaning(#"family:in="a,b",c,"","d\"e\\""#) == family(["a,b", "c", "", #"d"e\"#]))
        #expect(try meaning(#"family:in=a"b,c"d"#) == family([#"a"b"#, #"c"d"#]))
        let inBraces = ElementPath<HumanName>(QueryPath()).period.any { _ in
            QueryCondition(
                .and([
                    ElementPath<Period>(QueryPath()).id.in(["1", "2,3"]).predicate,
                    (ElementPath<Period>(QueryPath()).id == "x,}y").predicate,
                    ElementPath<Period>(QueryPath()).extension.any { _ in
                        QueryCondition(.and([(ElementPath<Extension>(QueryPath()).url == "{").predicate]))
                    }.predicate,
                ]))
        }
        #expect(try meaning(#"period{id:in="1","2,3",id="x,}y",extension{url="{"}}"#) == "\(inBraces.predicate)")
    }

    @Test(arguments: [#""a"#, #""a"b"#, #""a\n""#, #"""#, #""a\"#, #"x,"a"#])
    func whatIsNoQuotedValue(_ value: String) throws {
        for text in ["name.family:in=\(value)", "name{family:in=\(value)}", "name.given:in=\(value),b"] {
            let error = try #require(throws: FHIRStoreError.self, "\(text)") { try PredicateParser(Patient._layout).condition(text) }
            #expect(error.code == .invalidArgument)
        }
    }

    /// Every text can be asked for.
    @Test(arguments: ["Miller, A.", "\"", "\\", "a\"b", "}", "{", "a,b}", "\"\u{301}", ",\u{301}", "=", "\\\"", " ", ""])
    func everyTextIsFound(_ family: String) throws {
        let store = try freshStore()
        try store.write { transaction in
            try transaction.add(
                Patient {
                    $0.id = "a";
                    $0.name = [
                        HumanName {
                            $0.family = family; $0.given = ["x"]
                        }
                    ]
                })
            try transaction.add(
                Patient {
                    $0.id = "b";
                    $0.name = [
                        HumanName {
                            $0.family = "other"; $0.given = ["x"]
                        }
                    ]
                })
        }
        let escaped = family.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        for text in [
            "name.family=\"\(escaped)\"", "name{family=\"\(escaped)\",given=x}", "name{given=x,family:in=\"\(escaped)\",\"y\"}",
            "name.family:in=y,\"\(escaped)\"",
        ] {
            var request = QueryRequest(Patient._layout)
            request.add(try PredicateParser(Patient._layout).condition(text))
            let roots = try store.read { try $0.roots(request) }
            #expect(roots == [1], "\(text)")
        }
    }

    /// `Timing.repeat` has an element that is named like the number of elements.
    @Test func anElementNamedCount() throws {
        let store = try freshStore()
        try store.write { transaction in
            try transaction.add(
                MedicationRequest { $0.dosageInstruction = [Dosage { $0.timing = Timing { $0.repeat = TimingRepeat { $0.count = 3 } } }] })
        }
        let parser = PredicateParser(MedicationRequest._layout)
        for (text, count) in [
            ("dosageInstruction.timing.repeat.count=3", 1), ("dosageInstruction.timing.repeat.count=1", 0),
            ("dosageInstruction.count=1", 1),
        ] {
            var request = QueryRequest(MedicationRequest._layout)
            request.add(try parser.condition(text))
            #expect(try store.count(request) == count, "\(text)")
        }
    }
}
