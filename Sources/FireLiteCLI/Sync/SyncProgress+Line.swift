import FireLiteSync
import FireLiteTerminal

extension SyncProgress {
    /// The progress as the tool shows it.
    var line: String {
        let what = phase == .pull ? "pulling \(typeName ?? "")" : "pushing"
        let total = total.map { " of \(Figures.count($0))" } ?? ""
        return "\(what): \(Figures.count(done))\(total)"
    }
}
