/// Finds the word that somebody probably meant by one that does not exist.
package enum NearWords {
    /// The nearest of some words, without regard to case; nil if none is near.
    ///
    /// A word is near if few letters are missing, added, replaced or exchanged with a neighbor: one in up to four letters, two in up to eight,
    /// three in longer words. Of several the first counts.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let given = Array(word.lowercased().unicodeScalars)
        // A word of that length is no slip of the finger, and comparing it would cost its square.
        guard !given.isEmpty, given.count <= longest else { return nil }
        var found: (word: String, distance: Int)?
        for candidate in words {
            let letters = Array(candidate.lowercased().unicodeScalars)
            let limit = Swift.min(allowed(Swift.max(given.count, letters.count)), (found?.distance ?? Int.max) - 1)
            guard abs(letters.count - given.count) <= limit else { continue }
            let distance = distance(given, letters)
            // Two words without a common letter at the same place are no slip.
            if distance <= limit, distance < Swift.max(given.count, letters.count) { found = (candidate, distance) }
        }
        return found?.word
    }

    /// `: did you mean 'birthDate'?`, to follow a message; empty if no word is near.
    package static func hint(for word: String, among words: some Sequence<String>) -> String {
        nearest(to: word, among: words).map { ": did you mean '\($0)'?" } ?? ""
    }

    private static let longest = 64

    private static func allowed(_ length: Int) -> Int { length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3 }

    /// The number of letters to insert, delete, replace or exchange with a neighbor (optimal string alignment).
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        if first.isEmpty || second.isEmpty { return Swift.max(first.count, second.count) }
        var beforeLast = [Int](repeating: 0, count: second.count + 1)
        var last = Array(0...second.count)
        for row in 1...first.count {
            var current = [row] + [Int](repeating: 0, count: second.count)
            for column in 1...second.count {
                let isSame = first[row - 1] == second[column - 1]
                current[column] = Swift.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
                    current[column] = Swift.min(current[column], beforeLast[column - 2] + 1)
                }
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}

extension Layout {
    /// `: did you mean 'birthDate'?`, for a member of JSON that is no element; empty if no element is near.
    func hint(forMember name: String) -> String {
        guard name.hasPrefix("_") else { return NearWords.hint(for: name, among: elements.map(\.name)) }
        return NearWords.hint(for: name, among: elements.filter { $0.kind == .primitive }.map { "_" + $0.name })
    }
}
