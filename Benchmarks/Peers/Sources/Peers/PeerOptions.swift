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

          --size N      how many resources; 10000 unless given
          --data DIR    the resources of the .ndjson files in DIR; synthetic patients unless given
          --report DIR  writes Peers.md
          --help        this
        """

    /// - Throws: `BenchmarkFailure` for options that are not these.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value: see --help") }
                return value
            }
            switch option {
            case "--size":
                guard let number = Int(try value()), number > 0 else { throw BenchmarkFailure("--size needs a number above 0") }
                size = number
            case "--data": data = try value()
            case "--report": report = try value()
            case "--help", "-h": wantsHelp = true
            default: throw BenchmarkFailure("there is no option \(option): see --help")
            }
        }
    }
}
