/// What a kind of data is measured with.
extension DataKind {
    /// So many resources with claims are almost as much work as 100,000 without, and the default run is to end within five minutes.
    private static let mostWithClaims = 20_000

    /// What depends on the resources' shape: the only measurements that are made with claims.
    private static let shaped: Set<String> = [
        FetchWorkloads.byID, FetchWorkloads.byPK, FetchWorkloads.cold, FetchWorkloads.many, HitsWorkloads.all, UpsertWorkloads.new,
        UpsertWorkloads.unchanged, UpsertWorkloads.changed, ScanWorkloads.scan, TransferWorkloads.imported, TransferWorkloads.exported,
        FileSizeWorkload.file, FileSizeWorkload.text,
    ]

    /// Whether a measurement is made with this kind.
    func includes(_ name: String) -> Bool { self != .claims || Self.shaped.contains(name) }

    /// The sizes that it is measured at: one for claims, which is as large as is wanted and time allows.
    ///
    /// - Parameter wanted: the smallest first.
    func sizes(of wanted: [Int]) -> [Int] {
        guard self == .claims, wanted.count > 1, let largest = wanted.last else { return wanted }
        return [min(largest, Self.mostWithClaims)]
    }
}
