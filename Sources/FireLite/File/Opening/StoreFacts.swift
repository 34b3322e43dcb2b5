import FireLiteSQLiteBridge

/// What a file says of itself in `_meta`, read with one statement.
struct StoreFacts {
    /// The FHIR release of its resources; empty if it names none.
    private(set) var release = ""
    private(set) var identity = StoreIdentity(high: 0, digestKey: 0)
    /// Whether no two of its resources may have one type and id.
    private(set) var keepsIDsUnique = false

    init(_ connection: Connection) throws {
        var (high, digestKey): (Int64, Int64) = (0, 0)
        let statement = try connection.prepare("SELECT key, value FROM _meta")
        while try statement.step() {
            switch statement.text(0) {
            case "release": release = statement.text(1) ?? ""
            case "identity": high = statement.int(1)
            case "digestKey": digestKey = statement.int(1)
            case "uniqueIDs": keepsIDsUnique = statement.int(1) != 0
            default: break
            }
        }
        identity = StoreIdentity(high: UInt64(bitPattern: high), digestKey: UInt64(bitPattern: digestKey))
    }
}
