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
    /// `PATH=VALUE` and the like, and the words that combine them.
    var conditions: [String] = []
    /// Words for the full-text index.
    var words: String?
    var limit: Int?
    /// Whether only the number of resources is wanted.
    var isCount = false
    /// Paths to sort by; a minus before one reverses its order.
    var sort: [String] = []
    /// Paths whose values are wanted instead of resources.
    var values: [String] = []
    /// Whether only the statement is wanted.
    var isSQL = false
    /// Whether only the statement and SQLite's plan for it are wanted.
    var isExplain = false
    var form = Form.automatic
    /// Whether cells that a spreadsheet would take for formulas are neutralised.
    var isForSpreadsheet = false
}
