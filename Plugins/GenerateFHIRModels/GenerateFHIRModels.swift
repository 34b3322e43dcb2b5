import Foundation
import PackagePlugin

/// `swift package generate-fhir-models --target NAME [--names-target NAME] …`: runs the Generator for a target of the package it is called in.
///
/// Everything else that follows is the Generator's own, which does the work and reports mistakes.
@main struct GenerateFHIRModels: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        var rest: [String] = ["--package", try fireLite(context.package).path, "--extensions"]
        let targets = arguments.extractOption(named: "target")
        let namesTargets = arguments.extractOption(named: "names-target")
        let isHelp = arguments.remainingArguments.contains { ["--help", "-h"].contains($0) }
        if isHelp {
            print("usage: swift package generate-fhir-models --target NAME [--names-target NAME] [options]\n")
            print("Writes the code into the folder Generated of the target; --output names another. With --names-target, aliases of the")
            print("types, such as R4.Task, go into the folder Generated of that target. The options are the Generator's:\n")
        } else if !arguments.remainingArguments.contains("--output") {
            guard targets.count == 1 else {
                throw PluginError("name the one target that gets the code: --target MyModels, or a folder: --output DIR")
            }
            rest += ["--output", generated(try target(targets[0], in: context.package))]
        }
        if !isHelp, let name = namesTargets.first {
            guard namesTargets.count == 1, targets.count == 1, !arguments.remainingArguments.contains("--output"),
                let module = try target(targets[0], in: context.package) as? any SourceModuleTarget
            else {
                throw PluginError("--names-target is one target, and needs --target, the target whose types it names")
            }
            rest += ["--names", generated(try target(name, in: context.package)), "--module", module.moduleName]
        }
        try run(context.tool(named: "FireLiteModelsCommand").url, rest + arguments.remainingArguments)
    }

    private func target(_ name: String, in package: Package) throws -> any Target {
        guard let target = package.targets.first(where: { $0.name == name }) else {
            let names = package.targets.map(\.name).sorted().joined(separator: ", ")
            throw PluginError("no target \(name) in this package; its targets are \(names)")
        }
        return target
    }

    /// The folder of a target's generated code.
    private func generated(_ target: any Target) -> String { target.directoryURL.appendingPathComponent("Generated").path }

    /// The checkout of FireLite, which has the digests and the templates: this package or one that it depends on.
    private func fireLite(_ package: Package) throws -> URL {
        var pending = [package]
        var seen: Set<String> = []
        while let next = pending.popLast() {
            guard seen.insert(next.id).inserted else { continue }
            let isThere = ["Templates/class.swift.tmpl", "Generator/Definitions"].allSatisfy { path in
                FileManager.default.fileExists(atPath: next.directoryURL.appendingPathComponent(path).path)
            }
            if isThere { return next.directoryURL }
            pending += next.dependencies.map(\.package)
        }
        throw PluginError("no checkout of FireLite among this package's dependencies")
    }

    /// Runs the Generator; what it prints goes where the plugin's own output goes.
    private func run(_ tool: URL, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PluginError("the Generator ended with status \(process.terminationStatus)")
        }
    }
}

/// A mistake in the plugin's arguments.
private struct PluginError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
