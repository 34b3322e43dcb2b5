import Foundation
import TestSupport
import Testing

/// The workflows of continuous integration run what the Makefile has, with no more rights than they need.
struct WorkflowTests {
    private static let folder = ".github/workflows"

    private static func workflows() throws -> [(name: String, text: String)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: PackageFolder.url.appendingPathComponent(folder).path)
        return try names.filter { $0.hasSuffix(".yml") }.sorted().map { ($0, try PackageFolder.text(of: "\(folder)/\($0)")) }
    }

    /// The targets of `make` in the commands of a text, and in the matrix of a workflow that runs `make ${{ matrix.target }}`.
    private static func targets(in text: String) -> Set<String> {
        let commands = text.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("#") }
        var targets: Set<String> = []
        for line in commands {
            for match in line.matches(of: /\bmake ((?:[a-z][a-z-]*(?: |$))+)/) {
                targets.formUnion(match.output.1.split(separator: " ").map(String.init))
            }
            if text.contains("make ${{ matrix.target }}"), let match = line.firstMatch(of: /target: \[(.+)\]/) {
                targets.formUnion(match.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        return targets
    }

    private static func prerequisites(of target: String, in makefile: String) throws -> Set<String> {
        let line = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("\(target):") })
        return Set(line.dropFirst(target.count + 1).split(separator: " ").map(String.init))
    }

    @Test func everyMakeTargetOfTheWorkflowsExists() throws {
        let makefile = try PackageFolder.text(of: "Makefile")
        let workflows = try Self.workflows()
        #expect(workflows.map(\.name) == ["ci.yml", "nightly.yml"])
        for workflow in workflows {
            let targets = Self.targets(in: workflow.text)
            #expect(targets.count >= 4, "\(workflow.name)")
            for target in targets { #expect(makefile.contains("\n\(target):"), "\(workflow.name): make \(target)") }
        }
    }

    /// A part that is added to `make nightly` is added to the workflow.
    @Test func theNightlyWorkflowRunsEveryPartOfTheNightlyTests() throws {
        let parts = try Self.prerequisites(of: "nightly", in: PackageFolder.text(of: "Makefile"))
        let workflow = try #require(try Self.workflows().first { $0.name == "nightly.yml" })
        #expect(parts.count >= 4)
        #expect(parts.isSubset(of: Self.targets(in: workflow.text)))
    }

    /// What runs before a change lands by hand also runs on the host.
    @Test func theWorkflowRunsWhatTheScriptRuns() throws {
        let workflow = try #require(try Self.workflows().first { $0.name == "ci.yml" })
        let script = Self.targets(in: try PackageFolder.text(of: ".ci/run"))
        #expect(script.count >= 4)
        #expect(script.isSubset(of: Self.targets(in: workflow.text)))
    }

    @Test func noWorkflowCanWriteToTheRepository() throws {
        for workflow in try Self.workflows() {
            #expect(workflow.text.contains("\npermissions:\n  contents: read\n"), "\(workflow.name)")
            #expect(!workflow.text.contains(": write"), "\(workflow.name)")
            #expect(!workflow.text.contains("pull_request_target"), "\(workflow.name)")
            #expect(!workflow.text.contains("secrets."), "\(workflow.name)")
        }
    }

    /// A job without a limit runs for six hours if it hangs.
    @Test func everyJobHasATimeLimit() throws {
        for workflow in try Self.workflows() {
            let jobs = workflow.text.matches(of: #/\n    runs-on: /#).count
            #expect(jobs >= 1 && workflow.text.matches(of: #/\n    timeout-minutes: /#).count == jobs, "\(workflow.name)")
            #expect(workflow.text.contains("\nconcurrency:\n"), "\(workflow.name)")
        }
    }

    /// A major version, so that fixes arrive, and no branch.
    @Test func actionsHaveAMajorVersion() throws {
        for workflow in try Self.workflows() {
            let actions = workflow.text.matches(of: /uses: (\S+)/).map { String($0.output.1) }
            #expect(!actions.isEmpty)
            for action in actions { #expect(action.wholeMatch(of: /[a-z-]+\/[a-z-]+@v\d+/) != nil, "\(workflow.name): \(action)") }
        }
    }

    @Test func targetsAreFound() {
        let text = """
            # make nothing
            run: make lint check-generated
            run: make test SWIFT_FLAGS="x"
            target: [a, b-c]
            run: make ${{ matrix.target }}
            """
        #expect(Self.targets(in: text) == ["lint", "check-generated", "test", "a", "b-c"])
    }
}
