/// What an import did.
public struct ImportResult: Sendable, Equatable {
    /// How many resources were added, updated and so on; they add up to the number of resources read.
    public let counts: ImportCounts
    /// The first rejected texts, as many as ``ImportOptions/listedRejects`` says; `counts.rejected` is the number of all.
    public let rejects: [ImportFault]
}
