import FireLiteCore
import FireLiteSQLiteBridge

/// The functions of SQL that statements of queries use beside `firelite_match`; they exist in the store's own connections.
enum QueryFunctions {
    /// `firelite_reference(text, type)`: the id of the stored resource of that type that a reference leads to.
    static let reference = "firelite_reference"
    /// `firelite_pk(root)`: the pk of a resource that was given none.
    static let pk = "firelite_pk"
    /// `firelite_root(pk)`: the number of the resource that has this pk for want of one of its own, or NULL.
    static let root = "firelite_root"
    /// `firelite_runs(key)`: how many resources the rows with these keys are of, or NULL if they do not come in order.
    static let runs = "firelite_runs"

    static func register(_ connection: Connection, _ identity: StoreIdentity) throws {
        try connection.addPartFunction(reference) { LiteralReference.id(in: $0, type: $1) }
        try connection.addNumberFunction(pk) { identity.pk(ofRoot: $0) }
        try connection.addReadingFunction(root) { identity.root(ofPK: String(decoding: $0, as: UTF8.self)) }
        try connection.addRunCounter(runs)
    }
}
