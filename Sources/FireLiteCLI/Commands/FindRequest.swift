import FireLite

/// What `firelite find` is asked for.
struct FindRequest {
    /// How the answer is written.
    enum Form {
        /// JSON lines, or a table on a terminal.
        case automatic
        case csv
    }

    let type: FHIRResource.Type
    /// `PATH=VALUE` and the like, all of which must hold.
    let conditions: [String]
    let limit: Int?
    /// Whether only the number of resources is wanted.
    let isCount: Bool
    /// Paths to sort by; a minus before one reverses its order.
    let sort: [String]
    /// Paths whose values are wanted in the place of resources.
    let values: [String]
    /// Whether only the statement is wanted.
    let isSQL: Bool
    /// Whether only the statement and SQLite's plan for it are wanted.
    let isExplain: Bool
    let form: Form
}
