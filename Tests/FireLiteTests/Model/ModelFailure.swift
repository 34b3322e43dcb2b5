/// What a sequence found wrong, with what it takes to see it again.
struct ModelFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let steps: [String]
    let message: String

    var description: String { "seed \(seed): \(message)\n" + steps.map { "    \($0)" }.joined(separator: "\n") }
}
