/// Numbers that a connection has taken from the file for the next resources, so that not each of many small writes has to write the page that says which
/// number is next: that is one of some ten pages that a new resource costs.
///
/// They hold until another connection commits, so that numbers grow in the order of the commits, whichever connection made them, and until this one rolls
/// back. What is left then, or when the store is closed, is never used.
struct ReservedRoots {
    private static let count: Int64 = 64
    /// The number of resources in a write that is small.
    private static let few: Int64 = 8

    /// The next number, and the first that the file says is free.
    private var next: Int64 = 0
    private var end: Int64 = 0
    /// The `PRAGMA data_version` for which they hold.
    private var dataVersion: Int64?
    /// Whether the last write that added resources was this connection's, and small: one that writes but once leaves no gap.
    private var followsFew = false

    /// The number of the next resource in a write that has begun; nil if the file's value is invalid.
    mutating func begin(_ access: StoreConnection) throws -> Int64? {
        let version = try access.dataVersion()
        if version != dataVersion { self = ReservedRoots() }
        if next < end { return next }
        guard let free = try RootNumbers.next(access.connection) else { return nil }
        (next, end, dataVersion) = (free, free, version)
        return free
    }

    /// Has the file know of the numbers that a write has used.
    ///
    /// - Parameter used: the number after the last of these.
    /// - Returns: what holds once the write is committed.
    func using(upTo used: Int64, _ access: StoreConnection) throws -> ReservedRoots {
        guard used != next else { return self }
        var result = self
        result.followsFew = used - next <= Self.few
        result.next = used
        if used > end {
            let isOneOfMany = followsFew && result.followsFew
            result.end = isOneOfMany ? min(used + Self.count, RootNumbers.maximum + 1) : used
            try RootNumbers.store(result.end, access.connection)
        }
        return result
    }
}
