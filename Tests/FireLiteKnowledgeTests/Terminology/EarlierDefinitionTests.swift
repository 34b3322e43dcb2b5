import FireLiteCore
import FireLiteReleases
import Foundation
import Testing

@testable import FireLiteKnowledge

/// Definitions of DSTU2 and STU3 answer as those of later releases do.
@Suite struct EarlierDefinitionTests {
    private static let colors = """
        {"resourceType":"ValueSet","url":"http://example.org/vs","name":"Colors","status":"active","codeSystem":{"system":"http://example.org/old",
         "version":"2","caseSensitive":true,"concept":[{"code":"color","abstract":true,"display":"Color","concept":[
          {"code":"red","display":"Red","designation":[{"language":"de","value":"Rot"}]},{"code":"blue","display":"Blue"}]}]}}
        """
    private static let other = """
        {"resourceType":"ValueSet","url":"http://example.org/other","status":"active","compose":{"import":["http://example.org/vs"],
         "include":[{"system":"\(TerminologyExamples.colors)","concept":[{"code":"mauve"}]}],
         "exclude":[{"system":"http://example.org/old","concept":[{"code":"blue"}]}]}}
        """
    private static let map = """
        {"resourceType":"ConceptMap","url":"http://example.org/map","status":"active","sourceReference":{"reference":"http://example.org/vs"},
         "targetUri":"http://example.org/other","element":[
          {"codeSystem":"http://example.org/old","code":"red","target":[
           {"codeSystem":"http://example.org/a","code":"1","equivalence":"wider","dependsOn":[{"element":"size","codeSystem":"s","code":"big"}]},
           {"codeSystem":"http://example.org/b","code":"2","equivalence":"equal","comments":"as it is"}]},
          {"codeSystem":"http://example.org/old","code":"blue"}]}
        """

    private static func terminology(_ release: String, _ definitions: String...) throws -> Terminology {
        var terminology = Terminology(release: try #require(FHIRRelease.bundled(release)))
        for text in [TerminologyExamples.system] + definitions { try terminology.add(contentsOf: Data(text.utf8)) }
        return terminology
    }

    private static func code(_ code: String, _ display: String? = nil) -> TerminologyCode {
        TerminologyCode(code, system: "http://example.org/old", display: display)
    }

    @Test func aValueSetOfDSTU2DefinesItsCodeSystem() throws {
        let terminology = try Self.terminology("DSTU2", Self.colors, Self.other)
        #expect(try TerminologyExamples.codes(terminology, "vs") == ["color", "red", "blue"])
        #expect(try Set(TerminologyExamples.codes(terminology, "other")) == ["color", "red", "mauve"])
        #expect(try terminology.expand("http://example.org/vs").codes.map(\.isAbstract) == [true, false, false])
        let lookup = try terminology.lookup(Self.code("red"), language: "de")
        #expect(lookup.display == "Rot" && lookup.version == "2" && lookup.parents == ["color"])
        #expect(try terminology.relation(of: "color", to: "red", in: "http://example.org/old") == .subsumes)
        #expect(try terminology.validate(Self.code("red", "Red"), in: "http://example.org/other").isValid)
        #expect(try !terminology.validate(Self.code("blue"), in: "http://example.org/other").isValid)
        #expect(try !terminology.validate(Self.code("green"), in: "http://example.org/vs").isValid)
    }

    /// The request of DSTU2 calls the URL `identifier`.
    @Test func requestsOfDSTU2NameTheValueSetByIdentifier() throws {
        let terminology = try Self.terminology("DSTU2", Self.colors)
        let request = """
            {"resourceType":"Parameters","parameter":[{"name":"identifier","valueUri":"http://example.org/vs"},{"name":"code","valueCode":"red"},
             {"name":"system","valueUri":"http://example.org/old"}]}
            """
        let answer = String(decoding: try terminology.perform(.validateCode, parameters: Data(request.utf8)), as: UTF8.self)
        #expect(answer.contains(#"{"name":"result","valueBoolean":true}"#), "\(answer)")
        let bare = try Self.terminology("DSTU2")
        let given = #"{"resourceType":"Parameters","parameter":[{"name":"valueSet","resource":\#(Self.colors)}]}"#
        let expansion = String(decoding: try bare.perform(.expand, parameters: Data(given.utf8)), as: UTF8.self)
        #expect(expansion.contains(#""code":"red","display":"Red""#), "\(expansion)")
    }

    @Test func aSourceOfDSTU2IsAskedForTheValueSetWithTheCodeSystem() throws {
        struct Source: TerminologySource {
            func definitions(ofType type: String, url: String) -> [Data] {
                type == "ValueSet" && url == "http://example.org/vs" ? [Data(EarlierDefinitionTests.colors.utf8)] : []
            }
        }
        var terminology = Terminology(release: try #require(FHIRRelease.bundled("DSTU2")))
        terminology.add(Source())
        // Nobody knows where the code system is defined until the value set is read.
        #expect(throws: TerminologyError.self) { try terminology.lookup(Self.code("red")) }
        #expect(try terminology.validate(Self.code("red"), in: "http://example.org/vs").isValid)
        #expect(try terminology.lookup(Self.code("red")).display == "Red")
    }

    @Test func conceptMapsOfDSTU2TranslateByCodeSystem() throws {
        let terminology = try Self.terminology("DSTU2", Self.map)
        let found = try terminology.translate(Self.code("red"), by: "http://example.org/map")
        #expect(found.map(\.target.code) == ["2"] && found.map(\.target.system) == ["http://example.org/b"])
        #expect(found.map(\.relationship) == ["equivalent"])
        let request = """
            {"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://example.org/map"},{"name":"code","valueCode":"red"},
             {"name":"system","valueUri":"http://example.org/old"},
             {"name":"dependency","part":[{"name":"element","valueUri":"size"},{"name":"concept","valueString":"big"}]}]}
            """
        let answer = String(decoding: try terminology.perform(.translate, parameters: Data(request.utf8)), as: UTF8.self)
        #expect(answer.contains(#"{"name":"equivalence","valueCode":"wider"}"#) && answer.contains(#""code":"1""#), "\(answer)")
    }

    @Test func conceptMapsOfSTU3ReferToTheirValueSets() throws {
        let map = """
            {"resourceType":"ConceptMap","url":"http://example.org/map","status":"active","sourceReference":{"reference":"http://example.org/vs"},
             "targetReference":{"reference":"http://example.org/other"},"group":[{"source":"http://example.org/old","target":"http://example.org/b",
              "element":[{"code":"red","target":[{"code":"2","equivalence":"narrower","dependsOn":[{"property":"size","code":"big"}]},
               {"code":"3","equivalence":"equivalent"}]}],"unmapped":{"mode":"fixed","code":"9"}}]}
            """
        let terminology = try Self.terminology("STU3", map)
        func answer(_ more: String) throws -> String {
            let request = """
                {"resourceType":"Parameters","parameter":[{"name":"source","valueUri":"http://example.org/vs"},{"name":"code","valueCode":"red"},
                 {"name":"system","valueUri":"http://example.org/old"}\(more)]}
                """
            return String(decoding: try terminology.perform(.translate, parameters: Data(request.utf8)), as: UTF8.self)
        }
        #expect(try answer("").contains(#""code":"3""#) && !answer("").contains(#""code":"2""#))
        let dependency = #",{"name":"dependency","part":[{"name":"element","valueUri":"size"},{"name":"concept","valueString":"big"}]}"#
        #expect(try answer(dependency).contains(#"{"name":"equivalence","valueCode":"narrower"}"#))
        #expect(try terminology.translate(Self.code("blue")).map(\.target.code) == ["9"])
    }
}
