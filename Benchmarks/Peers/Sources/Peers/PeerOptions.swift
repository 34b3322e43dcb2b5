/// What the command line asks for.
struct PeerOptions {
    var size = 10_000
    /// A folder of NDJSON files; nil for synthetic patients.
    var data: String?
    var report: String?
    var wantsHelp = false

    static let help = """
        Measures FireLite beside GRDB holding JSON, with the same data and durability.

        swift run -c release --package-path Benchmarks/Peers Peers [options]

        With FHIRMODELS=1 in the environment also the coders of Apple's FHIRModels.

          --size N      how many resources; 10000 unless given
          --data DIR    the resources of the .ndjson files in DIR; synthetic patients unless given
          --report DIR  writes Peers.md
          --help        this
        """

    /// - Throws: `BenchmarkFailure` for options that are not these.
    init(_ arguments: [String]) throws {
        var reader = ArgumentReader(arguments)
        while let option = reader.next() {
            switch option {
            case "--size": size = try reader.number()
            case "--data": data = try reader.value()
            case "--report": report = try reader.value()
            case "--help", "-h": wantsHelp = true
            default: throw reader.unknownOption
            }
        }
    }
}
