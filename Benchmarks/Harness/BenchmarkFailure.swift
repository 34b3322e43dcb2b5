import Foundation

/// Something that keeps a benchmark from being run, or a wrong result.
struct BenchmarkFailure: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
