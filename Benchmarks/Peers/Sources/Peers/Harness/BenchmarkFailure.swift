/// Something that keeps a benchmark from being run, or a wrong result.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
