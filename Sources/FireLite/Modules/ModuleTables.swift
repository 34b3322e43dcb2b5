/// The tables that a module keeps in the store's file, in the transactions of the resources that they are about.
///
/// They appear with the first row that the module writes, and stay. The file names the module in `_meta`, so that a store opened without it
/// checks, recovers, copies and lists the tables too.
package struct ModuleTables: Sendable {
    /// The module's name, lower case letters.
    package let module: String
    /// The version of the tables, from 1. A later version may add tables.
    package let version: Int
    package let tables: [ModuleTable]
    /// The name with the version.
    let id: String
    /// The names of the tables.
    let tableNames: [String]

    /// - Parameters:
    ///   - module: the module's name, lower case letters.
    ///   - version: the version of the tables, from 1. A file with a later one is refused to the module, and to nobody else.
    ///   - tables: the tables, each called `_module` or `_module_…`.
    /// - Precondition: the tables have such names.
    package init(module: String, version: Int, tables: [ModuleTable]) {
        misuse(
            unless: tables.allSatisfy { ModuleRecord.isName($0.name, of: module) && !CatalogText.isOwn($0.name) },
            "the tables of the module \(module) are called _\(module) or _\(module)_…: rename them")
        self.module = module
        self.version = version
        self.tables = tables
        id = "\(module) \(version)"
        tableNames = tables.map(\.name)
    }
}
