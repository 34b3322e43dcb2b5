import Foundation

/// The Generator as a command: arguments in, files, an exit status and messages out.
public struct GeneratorCommand {
    /// How a run ended.
    public struct Outcome: Equatable, Sendable {
        /// 0 success; 1 `--check` found differences; 2 an argument, a definition or a template is wrong.
        public var status: Int32
        /// For standard output, without a line feed at the end.
        public var output: String
        /// One line for standard error; empty on success.
        public var error: String
    }

    private let options: Options
    private let settings: Settings
    private let layout: PackageLayout
    private let source: (any ProfileSource)?

    /// Runs the Generator.
    ///
    /// - Parameters:
    ///   - arguments: What follows the command's name.
    ///   - folder: A folder of the package. Paths in arguments are relative to the current folder.
    public static func run(_ arguments: [String], in folder: String = ".") -> Outcome { run(arguments, in: folder, profiles: nil) }

    /// Runs the Generator.
    ///
    /// - Parameter profiles: What reads the packages of the setting `guides`; without it that setting is an error.
    package static func run(_ arguments: [String], in folder: String = ".", profiles: (any ProfileSource)?) -> Outcome {
        do {
            let options = try Options.parse(arguments)
            if options.isHelp { return Outcome(status: 0, output: Options.help, error: "") }
            let settings = try options.settings.map { try SettingsReader.read(SourceFile(path: $0)) } ?? Settings()
            let layout = try PackageLayout.find(from: options.package ?? folder)
            return try GeneratorCommand(options: options.filled(from: settings), settings: settings, layout: layout, source: profiles).run()
        } catch let error as GeneratorError {
            return Outcome(status: 2, output: "", error: "Generator: \(error)")
        } catch {
            return Outcome(status: 2, output: "", error: "Generator: \(GeneratorError("\(error)"))")
        }
    }

    // MARK: - One run

    /// Everything is rendered before anything is written.
    private func run() throws -> Outcome {
        let templates = try TemplateLibrary(folder: options.templates ?? layout.templates, defaults: layout.templates)
        var differences: [OutputFolder.Differences] = []
        var summaries: [String] = []
        let releases = try definitions()
        var bundled: [PlannedFile] = []
        var searches: [PlannedFile] = []
        var constraints: [PlannedFile] = []
        var knowledge: [PlannedFile] = []
        var notes = releases.flatMap { release in release.notes.map { "FHIR \(release.definition.release): \($0)" } }
        var aliases: [(folder: String, file: PlannedFile)] = []
        for definition in releases.map(\.definition) {
            let named = try name(definition)
            bundled.append(LayoutsWriter.file(of: named))
            searches.append(SearchWriter.file(of: definition, memberName: named.memberName))
            knowledge.append(KnowledgeWriter.file(of: definition, memberName: named.memberName))
            if let file = ConstraintsWriter.file(of: named) { constraints.append(file) }
            if let folder = layout.aliases(of: named.release.name) {
                aliases.append((folder, try AliasesWriter.file(of: named, in: "FireLite\(named.release.name)")))
            }
            if let path = options.layouts {
                differences.append(try layoutsDifferences(named, path))
                summaries.append("FHIR \(definition.release): layouts in \(path)")
                if options.output == nil { continue }
            }
            let planned = try plan(named, of: definition, templates: templates, notes: &notes)
            let output = OutputFolder(
                path: options.output ?? layout.output(for: definition.release.name), handwritten: FilePlanner.handwrittenPaths(of: named))
            differences.append(try output.differences(from: planned))
            summaries.append("FHIR \(definition.release): \(planned.count) files in \(output.path)")
            if let folder = options.names, let module = options.module {
                let file = try AliasesWriter.file(of: named, in: module)
                differences.append(try OutputFolder(path: folder).differences(from: [file]))
                summaries.append("FHIR \(definition.release): names of \(module) in \(folder)/\(file.path)")
            }
            if options.updatesDigest { differences.append(try digestDifferences(definition)) }
        }
        if options.layouts == nil, options.output == nil, options.release == nil, options.definitions == nil {
            differences.append(try OutputFolder(path: layout.bundledLayouts).differences(from: bundled))
            summaries.append("layouts: \(bundled.count) files in \(layout.bundledLayouts)")
            differences.append(try OutputFolder(path: layout.searchParameters).differences(from: searches))
            summaries.append("search parameters: \(searches.count) files in \(layout.searchParameters)")
            differences.append(try OutputFolder(path: layout.constraints).differences(from: constraints))
            summaries.append("constraints: \(constraints.count) files in \(layout.constraints)")
            differences.append(try OutputFolder(path: layout.knowledge).differences(from: knowledge))
            summaries.append("bindings: \(knowledge.count) files in \(layout.knowledge)")
            for (folder, file) in aliases {
                differences.append(try OutputFolder(path: folder).differences(from: [file]))
                summaries.append("names: \(folder)/\(file.path)")
            }
        }
        var outcome = options.isCheck ? check(differences, summaries) : try write(differences, summaries)
        outcome.output = (notes + [outcome.output]).joined(separator: "\n")
        return outcome
    }

    /// The files of a module: its classes, and the views of guides. Views over the classes of another module come without classes.
    private func plan(
        _ named: NamedRelease, of definition: ReleaseDefinition, templates: TemplateLibrary, notes: inout [String]
    ) throws -> [PlannedFile] {
        let isOfOtherModule = !settings.guides.isEmpty && options.resources.isEmpty
        if let models = settings.models, !isOfOtherModule {
            throw GeneratorError(
                "`models` names the module with the classes, so it excludes `resources`, and needs `guides`", at: models.location)
        }
        if isOfOtherModule, options.names != nil {
            throw GeneratorError("--names needs the classes of the module, and this one has views over the classes of another")
        }
        var files: [PlannedFile] = []
        if !isOfOtherModule {
            files = try FilePlanner.plan(
                named, templates: templates, descriptions: try descriptions(of: definition), settings: settings,
                hasExtensions: options.hasExtensions || !options.resources.isEmpty)
        }
        guard let guide = settings.guides.first else { return files }
        guard let source else {
            throw GeneratorError("`guides` needs `swift package generate-fhir-models`, which reads packages", at: guide.location)
        }
        let models = isOfOtherModule ? settings.models?.text ?? "FireLite\(named.release.name)" : ""
        let views = try GuideViews.files(for: settings.guides, of: named, models: models, source: source)
        notes += views.notes
        return files + views.files
    }

    private func name(_ definition: ReleaseDefinition) throws -> NamedRelease {
        let checker = SettingsChecker(settings, definition)
        try checker.check()
        let named = NamingPass.name(definition, settings: settings)
        try checker.check(named)
        try RuntimeLimits.check(named)
        if options.resources.isEmpty, settings.skipped.isEmpty { return named }
        var types = Set(definition.types.map(\.name))
        if !options.resources.isEmpty {
            let models = definition.types.filter { settings.logicalModels[$0.url] != nil }.map(\.name)
            types = try TypeClosure.types(for: options.resources, in: definition, with: models)
        }
        return named.limited(to: try checker.remaining(of: types))
    }

    /// FHIR's descriptions for the release; none without `--descriptions`.
    private func descriptions(of definition: ReleaseDefinition) throws -> Descriptions {
        try options.descriptions.map { try Descriptions(folder: $0, of: definition.release) } ?? Descriptions()
    }

    private func check(_ differences: [OutputFolder.Differences], _ summaries: [String]) -> Outcome {
        let lines = differences.flatMap { difference in
            difference.changed.map { "differs: \($0.path)" } + difference.missing.map { "missing: \($0.path)" }
                + difference.superfluous.map { "superfluous: \($0)" }
        }
        if lines.isEmpty { return Outcome(status: 0, output: summaries.map { $0 + ", up to date" }.joined(separator: "\n"), error: "") }
        let message = "Generator: \(lines.count) generated files are out of date, run `swift run Generator`"
        return Outcome(status: 1, output: lines.joined(separator: "\n"), error: message)
    }

    private func write(_ differences: [OutputFolder.Differences], _ summaries: [String]) throws -> Outcome {
        for difference in differences { try FileWriter.apply(difference) }
        let written = differences.map { $0.missing.count + $0.changed.count }.reduce(0, +)
        let removed = differences.map(\.superfluous.count).reduce(0, +)
        let lines = summaries + ["\(written) files written, \(removed) removed"]
        return Outcome(status: 0, output: lines.joined(separator: "\n"), error: "")
    }

    // MARK: - Definitions

    /// The requested releases, from a definitions package or from digests, narrowed by profiles.
    private func definitions() throws -> [ImportedRelease] {
        if options.definitions == nil, let model = settings.logicalModels.min(by: { $0.key < $1.key }) {
            throw GeneratorError("logical models need `definitions`, which have them and the types of FHIR", at: model.value.location)
        }
        let releases = try unconstrained()
        guard let first = settings.profiles.first else { return releases }
        guard let folder = settings.profileDefinitions?.text ?? options.definitions else {
            throw GeneratorError("profiles need `profileDefinitions`, the folder that has them", at: first.location)
        }
        guard !options.updatesDigest else {
            throw GeneratorError("--update-digest writes the types of a release, not as profiles narrow them", at: first.location)
        }
        return try releases.map { release in
            let (narrowed, notes) = try ProfileImporter.apply(settings.profiles, from: folder, to: release.definition)
            return ImportedRelease(definition: narrowed, notes: release.notes + notes)
        }
    }

    private func unconstrained() throws -> [ImportedRelease] {
        if let folder = options.definitions {
            return [try DefinitionsImporter.importRelease(from: folder, named: options.release, logicalModels: settings.logicalModels)]
        }
        if let path = options.digest {
            let definition = try DigestReader.read(try SourceFile(path: path))
            if let name = options.release, name != definition.release.name {
                throw GeneratorError(
                    "this is a digest of \(definition.release.name), not of \(name)", at: SourceLocation(file: path, line: 2, column: 1))
            }
            return [ImportedRelease(definition: definition)]
        }
        let known = try layout.releases()
        if let name = options.release, !known.contains(name) {
            let list = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw GeneratorError("unknown release \(name); there are digests of: \(list)")
        }
        let names = options.release.map { [$0] } ?? known
        guard !names.isEmpty else { throw GeneratorError("no digest in this folder", at: SourceLocation(file: layout.definitions)) }
        if options.output != nil || options.layouts != nil, names.count > 1 {
            throw GeneratorError(
                "\(options.output == nil ? "--layouts" : "--output") takes one release, choose it with --release: \(known.joined(separator: ", "))"
            )
        }
        return try names.map { name in
            let definition = try DigestReader.read(try SourceFile(path: layout.digest(of: name)))
            guard definition.release.name == name else {
                let place = SourceLocation(file: layout.digest(of: name), line: 2, column: 1)
                let known = definition.release.name
                throw GeneratorError("this is a digest of \(known): rename it to \(known).digest", at: place)
            }
            return ImportedRelease(definition: definition)
        }
    }

    private func layoutsDifferences(_ named: NamedRelease, _ path: String) throws -> OutputFolder.Differences {
        let file = PlannedFile(path: path, content: LayoutsWriter.text(of: named))
        guard FileManager.default.fileExists(atPath: path) else { return OutputFolder.Differences(missing: [file]) }
        let present = try SourceFile(path: path)
        guard present.bytes.isEmpty || present.bytes.starts(with: LayoutsWriter.firstLine.utf8) else {
            throw GeneratorError("this file has no layouts and is not overwritten", at: SourceLocation(file: path))
        }
        return OutputFolder.Differences(changed: present.unifiedLines.elementsEqual(file.content.utf8) ? [] : [file])
    }

    private func digestDifferences(_ definition: ReleaseDefinition) throws -> OutputFolder.Differences {
        let path = options.digest ?? layout.digest(of: definition.release.name)
        let file = PlannedFile(path: path, content: DigestWriter.text(of: definition))
        // Only a digest that can be read back is written.
        _ = try DigestReader.read(SourceFile(name: path, bytes: Array(file.content.utf8)))
        guard FileManager.default.fileExists(atPath: path) else { return OutputFolder.Differences(missing: [file]) }
        let present = try SourceFile(path: path)
        guard present.bytes.isEmpty || DigestReader.firstLines.contains(where: { present.bytes.starts(with: $0.utf8) }) else {
            throw GeneratorError("this file is not a digest and is not overwritten", at: SourceLocation(file: path))
        }
        return OutputFolder.Differences(changed: present.unifiedLines.elementsEqual(file.content.utf8) ? [] : [file])
    }
}
