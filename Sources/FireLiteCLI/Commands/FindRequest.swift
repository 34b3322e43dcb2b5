import FireLite

/// A request to `firelite find`.
struct FindRequest {
    let layout: Layout
    /// `PATH=VALUE` and the like, and the words that combine them.
    var conditions: [String] = []
    /// Words for the full-text index.
    var words: String?
    /// Annotations that the record must have.
    var annotations: [String] = []
    var limit: Int?
    /// The number of results to leave out.
    var skip = 0
    /// The id of the resource after which the results begin.
    var after: String?
    /// Whether to print only the number of resources.
    var isCount = false
    /// Paths to sort by; a minus before one reverses its order.
    var sort: [String] = []
    /// Paths whose values to print instead of resources.
    var values: [String] = []
    /// Whether to print only the statement.
    var isSQL = false
    /// Whether to print only the statement and SQLite's plan for it.
    var isExplain = false
    /// The form of the output; nil for the one that suits it.
    var format: ListFormat?
    /// Whether cells that a spreadsheet would take for formulas are neutralised.
    var isForSpreadsheet = false
    /// Whether resources are printed with references instead of payloads that are kept apart.
    var printsReferences = false
}
