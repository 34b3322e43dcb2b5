/// What the command line asks for.
struct Options {
    /// Measures only workloads with one of these in their name; everything if empty.
    var filters: [String] = []
    var sizes = [1_000, 10_000, 100_000]
    /// Whether the sizes are wanted, however many resources there are.
    var areSizesGiven = false
    /// A folder of NDJSON files; nil for synthetic data.
    var data: String?
    /// The kinds of synthetic data.
    var kinds = DataKind.synthetic
    /// Packages of implementation guides, whose profiles validations use.
    var packages: [String] = []
    var repetitions: Int?
    var json: String?
    var report: String?
    var compare: String?
    /// Existing stores to read.
    var stores: [String] = []
    /// Whether these may be changed.
    var changesStores = false
    var wantsHelp = false

    static let help = """
        Measures what a FireLite store costs on this machine, each workload beside its floor: SQLite's C API alone with the same rows.

        swift run -c release Benchmarks [options]

          --filter TEXT       only measurements with TEXT in their name; given again, those with the other TEXT too
          --size N[,N…]       how many resources; 1000,10000,100000 unless given
          --large             1,000,000 resources too
          --data DIR          the resources of the .ndjson files in DIR, over and over with other ids where they are fewer than --size
                              or --large wants; two kinds of synthetic data unless given
          --kind KIND         only this kind of synthetic data: patients, or claims, which are measured at one size: 20,000, or the
                              largest that is smaller; numbers are patients with ids from 1, which all types share
          --repeat N          how often each workload and its floor are measured at least, in turns, the median counting: up to five times as
                              often where that takes no more than two seconds; unless given 3 to 9 times, and with more than 200,000
                              resources 1 to 9 times
          --package FILE      an implementation guide, whose profiles the validations use; given again, another one
          --json FILE         writes the measurements as JSON
          --report DIR        writes README.md with tables and charts, and results.json
          --store FILE        instead of all this, reads a store that exists, with indexes on Observation.code.coding.code,
                              Observation.subject.reference and Observation.effectiveDateTime: fetches, queries, searches and counts; given
                              again, a larger one, with what each line grew
          --changes           with --store: also changes the store: has it track changes, and observations get another language
          --compare OLD.json  shows what has changed since an earlier --json
          --help              this

        Exit status: 0 every result was right; 1 one was not; 2 the options or the system did not allow it; 3 all was right, and --compare
        found something slower by more than noise.
        """

    /// - Throws: `BenchmarkFailure` for options that are not these.
    init(_ arguments: [String]) throws {
        var isLarge = false
        var reader = ArgumentReader(arguments)
        while let option = reader.next() {
            switch option {
            case "--filter": filters.append(try reader.value())
            case "--size":
                sizes = try reader.numbers()
                areSizesGiven = true
            case "--large": isLarge = true
            case "--data": data = try reader.value()
            case "--kind":
                let name = try reader.value()
                guard let kind = DataKind.selectable.first(where: { $0.rawValue == name }) else {
                    throw BenchmarkFailure("--kind is patients, claims or numbers, not '\(name)'")
                }
                kinds = [kind]
            case "--repeat": repetitions = try reader.number()
            case "--package": packages.append(try reader.value())
            case "--json": json = try reader.value()
            case "--report": report = try reader.value()
            case "--store": stores.append(try reader.value())
            case "--changes": changesStores = true
            case "--compare": compare = try reader.value()
            case "--help", "-h": wantsHelp = true
            default: throw reader.unknownOption
            }
        }
        if isLarge {
            sizes.append(1_000_000)
            areSizesGiven = true
        }
        sizes = Array(Set(sizes)).sorted()
    }

    /// Whether something with this name is to be measured.
    func wants(_ name: String) -> Bool {
        filters.isEmpty || filters.contains { name.lowercased().contains($0.lowercased()) }
    }
}
