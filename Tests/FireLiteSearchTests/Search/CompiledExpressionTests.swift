import FireLite
import FireLiteReleases
import Testing

@testable import FireLiteSearch

@Suite struct CompiledExpressionTests {
    /// Every parameter of every release leads to elements of its type, or is known not to.
    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B", "R5"]) func everyParameterCompiles(release name: String) throws {
        let release = try #require(BundledRelease.named(name)).release
        let definitions = try #require(SearchDefinitions.of(release))
        var failures: [String] = []
        var count = 0
        for type in release.resourceTypeNames {
            let layout = try #require(release.resourceLayout(named: type))
            for definition in definitions.parameters(of: layout) where definition.expression != nil && definition.kind != .special {
                count += 1
                do {
                    let compiled = try SearchPathCompiler.compile(definition.expression ?? "", on: layout)
                    if compiled.paths.isEmpty, compiled.conditions.isEmpty { failures.append("\(type).\(definition.code): nothing") }
                } catch {
                    failures.append("\(type).\(definition.code): \(error)")
                }
            }
        }
        print("\(name): \(count) parameters, \(failures.count) without a path")
        for failure in failures { print("  " + failure) }
        #expect(failures.count <= (Self.knownFailures[name] ?? 0), "\(failures)")
        #expect(count > 900)
    }

    /// How many lead nowhere: elements that the release's own definitions do not have.
    private static let knownFailures: [String: Int] = [:]
}
