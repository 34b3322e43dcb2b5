/// The files with the views of all guides of a settings file.
enum GuideViews {
    /// - Returns: the files, with paths below the output folder, and what the run should report.
    /// - Throws: `GeneratorError` for a package, a profile or a name that cannot be used.
    static func files(
        for guides: [GuideSettings], of release: NamedRelease, models: String, source: any ProfileSource
    ) throws -> (files: [PlannedFile], notes: [String]) {
        let index = ClassIndex(release)
        var files: [PlannedFile] = []
        var notes: [String] = []
        var viewNames: Set<String> = []
        var accessors: Set<String> = []
        for guide in guides {
            let found = try source.profiles(of: guide, release: release.release.name, version: release.release.version)
            notes += found.notes
            let profiles = found.profiles.sorted { $0.url < $1.url }
            var planner = try ViewPlanner(guide, profiles, index: index, taken: viewNames)
            let plans = try planner.plans()
            guard !plans.isEmpty else {
                throw GeneratorError("\(guide.package) has no profile of a type that the module has", at: guide.location)
            }
            let rules = RuleWriter(index: index, profiles: planner.known, viewNames: planner.viewNames)
            let writer = ViewWriter(release: release, guide: found.title, models: models)
            // Of the whole guide, so that a choice of profiles in the settings renames nothing.
            let numbers = Dictionary(profiles.map { ($0.type, 1) }, uniquingKeysWith: +)
            for (profile, plan) in plans {
                viewNames.insert(plan.name)
                var accessor: String?
                if plan.isResource {
                    let name = numbers[plan.classPath] == 1 ? guide.accessor : Self.accessor(plan, guide)
                    guard accessors.insert("\(plan.className).\(name)").inserted,
                        !index.elements(of: plan.classPath).contains(where: { ($0.choice?.name ?? $0.members[0].name) == name })
                    else {
                        throw GeneratorError(
                            "`\(plan.className).\(name)` is already a property or the view of another profile: choose another `accessor`, or give \(profile.id) a name in `names`",
                            at: guide.location)
                    }
                    accessor = name
                }
                let uses = rules.uses(of: profile).map { ($0, planner.viewNames[$0] ?? "") }
                files.append(
                    PlannedFile(
                        path: "Profiles/\(plan.name).swift",
                        content: writer.file(
                            plan, rules: rules.text(of: profile), uses: Dictionary(uses, uniquingKeysWith: { first, _ in first }),
                            accessor: accessor)))
            }
            notes += planner.notes
        }
        return (files.sorted { $0.path < $1.path }, notes)
    }

    /// The accessor of one of several profiles of a type: `usCoreBloodPressure`.
    private static func accessor(_ plan: ViewPlan, _ guide: GuideSettings) -> String {
        for start in [guide.prefix, guide.accessor] where !start.isEmpty && plan.name.lowercased().hasPrefix(start.lowercased()) {
            return guide.accessor + SwiftName.capitalized(plan.name.dropFirst(start.count))
        }
        return guide.accessor + plan.name
    }
}
