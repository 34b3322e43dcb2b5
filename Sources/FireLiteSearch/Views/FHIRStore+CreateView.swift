import FireLite
import FireLiteCore

extension FHIRStore {
    /// Creates a view in the file as an SQL view, which every SQLite client can read without knowing the tables.
    ///
    /// A view of the same name is replaced. The tables and columns that it names are created, so that it sees what is stored later.
    /// Numbers are SQL's, truth values 0 and 1, dates FHIR's texts, collections JSON. A column that is no collection and
    /// gets several values ends a statement that reads it with the error "integer overflow".
    ///
    /// - Parameters:
    ///   - view: the definition of the view.
    ///   - name: the name; by default that of the definition. It must not be one that a table has or can get, whatever its case.
    /// - Throws: `ViewError`: `definition` without a name or with one of a table; `notCompiled` if the view cannot be one statement;
    ///   `columns` if two of them differ in case alone; others as for `rows(_:)`. `FHIRStoreError`.
    public func createView(_ view: ViewDefinition, named name: String? = nil) throws {
        var view = view
        view.name = name ?? view.name
        let (plan, checked) = try (ViewPlan(view, release: release), checkedName(of: view))
        try view.checkNamesForTables()
        try write { transaction in
            try transaction.createView(named: checked) { walk in
                guard let statement = try ViewCompiler.statement(plan, walk, .view) else {
                    throw ViewError(.notCompiled, "there is no table of \(plan.layout.name)", at: "resource")
                }
                return try statement.literalText
            }
        }
    }

    /// Creates the ready-made views in the file: see `ViewDefinition.standard(for:)`.
    ///
    /// - Returns: the names of the views.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func createStandardViews() throws -> [String] {
        try ViewDefinition.standard(for: release).map { view in
            try createView(view)
            return view.name ?? ""
        }
    }

    private func checkedName(of view: ViewDefinition) throws -> String {
        guard let name = view.name else { throw ViewError(.definition, "a view in the file needs a name", at: "name") }
        guard !name.lowercased().hasPrefix("sqlite_"), !name.lowercased().hasSuffix("__id"), !TableName.isTaken(name, release) else {
            throw ViewError(
                .definition, "'\(name)' is the name of a table, or can become one: choose another, such as \(name)_view", at: "name")
        }
        return name
    }
}

/// The names of the tables that a release can have.
private enum TableName {
    /// Whether a name is a path of the release; SQLite ignores the case of names.
    static func isTaken(_ name: String, _ release: FHIRRelease) -> Bool {
        let steps = name.lowercased().split(separator: "_", omittingEmptySubsequences: false)
        guard let type = release.resourceTypeNames.first(where: { $0.lowercased() == steps[0] }),
            var layout = release.resourceLayout(named: type)
        else { return false }
        for step in steps.dropFirst() {
            guard let element = layout.elements.first(where: { $0.name.lowercased() == step }) else { return false }
            guard let next = element.layout ?? release.layout(named: "Element") else { return true }
            layout = next
        }
        return true
    }
}
