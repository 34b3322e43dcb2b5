import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

/// Responses are checked by their Questionnaires.
@Suite struct ResponseTests {
    private static let questionnaire = """
        {"resourceType":"Questionnaire","url":"http://a.org/q","status":"active","item":[
        {"linkId":"1","type":"integer","required":true,"extension":[
        {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueInteger":1},{"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":5}]},
        {"linkId":"2","type":"group","repeats":true,"item":[{"linkId":"2.1","type":"string","required":true}]},
        {"linkId":"3","type":"choice","answerOption":[{"valueCoding":{"system":"http://a.org/c","code":"a"}}]},
        {"linkId":"4","type":"boolean","enableWhen":[{"question":"1","operator":">","answerInteger":3}]}]}
        """

    private func errors(_ items: String, status: String = "completed") throws -> [String] {
        let knowledge = Knowledge(release: .r4)
        try knowledge.add(Data(Self.questionnaire.utf8), source: "test")
        let json = #"{"resourceType":"QuestionnaireResponse","questionnaire":"http://a.org/q","status":"\#(status)","item":[\#(items)]}"#
        let resource = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        return try FHIRValidator(knowledge: knowledge).validate(resource).filter { $0.severity == .error }.map(\.messageID.rawValue)
    }

    @Test(arguments: [
        (#"{"linkId":"1","answer":[{"valueInteger":2}]}"#, []),
        (#"{"linkId":"1","answer":[{"valueInteger":6}]}"#, ["response-answer"]),
        (#"{"linkId":"1","answer":[{"valueInteger":0}]}"#, ["response-answer"]),
        (#"{"linkId":"1","answer":[{"valueString":"2"}]}"#, ["response-answer"]),
        (#"{"linkId":"1","answer":[{"valueInteger":2},{"valueInteger":3}]}"#, ["response-answer"]),
        (#"{"linkId":"2","item":[{"linkId":"2.1","answer":[{"valueString":"a"}]}]}"#, ["response-required"]),
        (#"{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"2"}"#, ["element-empty", "response-required"]),
        (#"{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"2.1","answer":[{"valueString":"a"}]}"#, ["response-item"]),
        (#"{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"9","answer":[{"valueString":"a"}]}"#, ["response-item"]),
        (
            #"{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"3","answer":[{"valueCoding":{"system":"http://a.org/c","code":"b"}}]}"#,
            ["response-answer"]
        ),
        (#"{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"4","answer":[{"valueBoolean":true}]}"#, ["response-not-enabled"]),
        (#"{"linkId":"1","answer":[{"valueInteger":4}]},{"linkId":"4","answer":[{"valueBoolean":true}]}"#, []),
        (
            #"{"linkId":"3","answer":[{"valueCoding":{"system":"http://a.org/c","code":"a"}}]},{"linkId":"1","answer":[{"valueInteger":2}]}"#,
            ["response-item"]
        ),
    ])
    func answersFollowTheQuestionnaire(_ items: String, _ expected: [String]) throws {
        #expect(try errors(items).filter { $0 != "element-empty" } == expected.filter { $0 != "element-empty" })
    }

    @Test func answersMayBeMissingWhileAResponseIsInProgress() throws {
        let item = #"{"linkId":"3","answer":[{"valueCoding":{"system":"http://a.org/c","code":"a"}}]}"#
        #expect(try errors(item, status: "in-progress").isEmpty)
        #expect(try errors(item) == ["response-required"])
    }
}
