import FireLiteSQLiteBridge

/// A named set of keys, which a statement defines once and uses wherever a condition is on resources of the type. The condition itself would be
/// repeated, and nested, at each step of a chain: SQLite's parser has a stack of a hundred.
struct KeyDefinition: Sendable {
    let name: String
    /// Selects the keys.
    let select: SQLFragment
    /// Whether the set is made before it is used. One that is not is looked into, key by key, as if its condition stood where it is named.
    let isMade: Bool

    /// The hint for SQLite (<https://www.sqlite.org/lang_with.html#materialization_hints>). Before 3.35 it looks into every set.
    var hint: String { Connection.libraryNumber < 3_035_000 ? "" : isMade ? "MATERIALIZED " : "NOT MATERIALIZED " }

    /// The definition after those that it names itself.
    var withInner: [KeyDefinition] { select.namedSets.flatMap(\.withInner) + [self] }
}

/// What a condition of the form `alias._k IN (SELECT …)` selects.
struct KeySelection: Sendable {
    /// Which keys the `SELECT` has.
    enum Keys {
        /// Of rows of the alias's table.
        case rows
        /// Of rows of the alias's table that are resources and not contained, so that it needs no other condition for that.
        case resources
    }

    let alias: RowAlias
    let select: SQLFragment
    let keys: Keys
    /// The number of statements that `UNION ALL` joins in it.
    let terms: Int
}
