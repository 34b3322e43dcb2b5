import Testing

@testable import FireLiteCLI

struct HelpTests {
    @Test func everyCommandIsInOneOfFiveGroups() throws {
        #expect(CommandGroup.all.count == 5)
        let names = CommandGroup.all.flatMap(\.commands).map { $0.definition.name }
        #expect(Set(names).count == names.count)
        let overview = try ToolRun("--help").output
        for group in CommandGroup.all { #expect(overview.contains("\n\(group.title)\n")) }
        for task in HelpTask.all { #expect(overview.contains("\n  \(task.name) ")) }
        #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 140 })
    }

    @Test func topicsAreNoCommands() {
        let commands = Set(FireLiteTool.definitions.map(\.name))
        #expect(commands.isDisjoint(with: HelpText.topics) && Set(HelpText.topics).count == HelpText.topics.count)
    }

    @Test func helpExplainsGroupsAndTasks() throws {
        let group = try ToolRun("help", "asking")
        #expect(group.status == .done && group.output.hasPrefix("Finding and asking\n  find ") && !group.output.contains("  import "))
        let task = try ToolRun("help", "undo")
        #expect(task.status == .done && task.output.contains("  firelite restore --database health.sqlite Patient/123"))
        let person = try ToolRun("help", "person")
        #expect(person.status == .done && person.output.contains("  firelite erase health.sqlite Patient/123 --dry-run"))
        for task in HelpTask.all { #expect(try ToolRun("help", task.name).output.split(separator: "\n").allSatisfy { $0.count <= 120 }) }
    }

    @Test func everyCommandHasAShortPage() throws {
        for definition in FireLiteTool.definitions {
            let page = try ToolRun("manual", definition.name)
            #expect(page.status == .done && page.output.contains(".TH FIRELITE\\-\(definition.name.uppercased()) 1"))
            for option in definition.options { #expect(page.output.contains("\n\(Roff.bold(option.term))\n")) }
        }
        #expect(try ToolRun("manual", "fnid").error.contains("did you mean 'find'?"))
    }
}
