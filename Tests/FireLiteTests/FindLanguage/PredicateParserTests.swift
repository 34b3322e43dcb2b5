import FireLiteR4
import Testing

@testable import FireLite

/// Conditions and paths that are none are refused as arguments, whatever they are made of.
@Suite(.soundStores) struct PredicateParserTests {
    /// The first ones are findings of the fuzzer: what follows a name was not looked at.
    @Test(arguments: [
        "name.given[=x", "name.given[:in=x", "name.given[0=x", "name.given(0)=x", "name(Patient).given=x", "name.family[0]=x",
        "name[-1].given=x",
        "name[+1].given=x", "name[].given=x", "name[0][0].given=x", "name[99999999999999999999].given=x", "active[0]=true",
        "birthDate(x)=1970",
        "contained.id=1", "contained(Nope).id=1", "contained[0].id=1", "name..given=x", ".name=x", "name.=x", "=x", "", "=",
        "name{family=x", "active{a=1}",
    ])
    func whatIsNoCondition(_ text: String) throws {
        let error = try #require(throws: FHIRStoreError.self) { try PredicateParser(Patient._layout).condition(text) }
        #expect(error.code == .invalidArgument)
    }

    @Test(arguments: [
        "gender=femal", "gender!=femal", "gender:in=male,femal", "contact.gender=femal", "(not gender=femal)", "contact{gender=femal}",
    ])
    func codesThatNoValidResourceHasAreNamed(_ text: String) throws {
        let error = try #require(throws: FHIRStoreError.self) { try PredicateParser(Patient._layout).condition(text) }
        #expect(error.code == .invalidArgument && error.message.contains("'femal' is none of the codes of "))
        #expect(error.message.contains("male, female, other, unknown"))
    }

    /// A pattern, and an element that is bound to no list, can have any text.
    @Test(arguments: ["gender=female", "gender*=femal", "gender^=fem", "language=xx", "gender="])
    func otherTextsAreConditions(_ text: String) throws {
        _ = try PredicateParser(Patient._layout).condition(text)
    }

    /// Would go as deep as the text is long.
    @Test func bracesAndPathsHaveAnEnd() throws {
        let store = try freshStore()
        try store.write { tx in try tx.add(Questionnaire { $0.item = [QuestionnaireItem { $0.linkId = "1" }] }) }
        let parser = PredicateParser(Questionnaire._layout)
        for depth in [1, 20, 21, 100, 20_000] {
            let braces = String(repeating: "item{", count: depth) + "linkId=1" + String(repeating: "}", count: depth)
            let path = String(repeating: "item.", count: depth) + "linkId=1"
            for text in [braces, path] {
                do {
                    var request = QueryRequest(Questionnaire._layout)
                    request.add(try parser.condition(text))
                    #expect(try store.count(request) == (depth == 1 ? 1 : 0))
                } catch let error as FHIRStoreError {
                    #expect(depth >= 20 && error.code == .invalidArgument, "\(depth): \(error)")
                }
            }
        }
    }
}
