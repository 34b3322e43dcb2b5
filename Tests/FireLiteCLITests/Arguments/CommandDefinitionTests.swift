import Testing

@testable import FireLiteCLI

struct CommandDefinitionTests {
    private let definition = CommandDefinition(
        name: "test", summary: "", options: [], operands: "", operandCount: 0...0, jsonKeys: [JSONKey("a", "")],
        discussion: """
            One.

              firelite is no example here

            Examples: firelite a b | c
                      firelite d
            """)

    @Test func theDiscussionEndsWithExamples() {
        #expect(definition.explanation == "One.\n\n  firelite is no example here")
        #expect(definition.examples == ["firelite a b | c", "firelite d"])
        #expect(definition.option(named: "json") != nil)
    }

    /// Completions and the manual depend on it.
    @Test func everyValueThatIsAFileSaysSo() {
        for definition in FireLiteTool.definitions {
            for option in definition.options {
                if option.value == "FILE" { #expect(option.kind.isPath, "\(definition.name) --\(option.name)") }
                if option.kind == .file { #expect(option.value?.contains("FILE") == true, "\(definition.name) --\(option.name)") }
                if let words = option.value?.split(separator: "|"), words.count == 2, words[0] == "stop" {
                    #expect(option.kind == .choice(words.map(String.init)))
                }
                // Samples have types of their own.
                if option.name == "type", definition.name != "samples" { #expect(option.kind == .resourceType) }
            }
            #expect(definition.operandKinds.isEmpty == definition.operands.isEmpty, "\(definition.name)")
        }
    }
}
