import FireLite
import FireLiteKnowledge

/// The option `--knowledge`: files of packages and code systems.
struct CodesArgument {
    static let option = OptionDefinition.option(
        "knowledge", "FILE", kind: .database, isRepeatable: true,
        "use the codes in this file, which `firelite codes` or `firelite package` made")

    let paths: [String]

    init(_ arguments: ParsedArguments) { paths = arguments.all("knowledge") }

    /// Adds the code systems of the files, and the definitions of their packages.
    func add(to terminology: inout Terminology) throws {
        for path in paths {
            do {
                let knowledge = Knowledge(release: terminology.release)
                try knowledge.addKnowledge(at: path)
                terminology.add(knowledge)
            } catch let error as KnowledgeError {
                throw ToolError.failed(error)
            }
        }
    }

    /// Adds the codes of the files, the definitions of the packages in a database, and those among its resources.
    ///
    /// - Parameter store: the database, which must be open as long as the terminology is used.
    /// - Throws: `ToolError` with status 3 for packages or files that cannot be used; `FHIRStoreError`.
    func add(to terminology: inout Terminology, of store: FHIRStore) throws {
        try add(to: &terminology)
        do {
            let packaged = Knowledge(release: store.release)
            try packaged.addPackages(of: store)
            terminology.add(packaged)
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        }
        terminology.add(StoredDefinitions(store))
    }
}
