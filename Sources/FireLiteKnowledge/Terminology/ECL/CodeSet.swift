/// A set of the numbers of concepts, sorted.
struct CodeSet: Sendable {
    let numbers: [Int64]

    init(sorted numbers: [Int64]) { self.numbers = numbers }
    init(_ numbers: some Sequence<Int64>) { self.numbers = Array(Set(numbers)).sorted() }

    static let empty = CodeSet(sorted: [])

    var isEmpty: Bool { numbers.isEmpty }

    func contains(_ number: Int64) -> Bool {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number
    }

    func union(_ other: CodeSet) -> CodeSet { merged(other, keepsLeft: true, keepsBoth: true, keepsRight: true) }
    func intersection(_ other: CodeSet) -> CodeSet { merged(other, keepsLeft: false, keepsBoth: true, keepsRight: false) }
    func subtracting(_ other: CodeSet) -> CodeSet { merged(other, keepsLeft: true, keepsBoth: false, keepsRight: false) }

    private func merged(_ other: CodeSet, keepsLeft: Bool, keepsBoth: Bool, keepsRight: Bool) -> CodeSet {
        var result: [Int64] = []
        var (left, right) = (0, 0)
        while left < numbers.count || right < other.numbers.count {
            if right == other.numbers.count || left < numbers.count && numbers[left] < other.numbers[right] {
                if keepsLeft { result.append(numbers[left]) }
                left += 1
            } else if left == numbers.count || other.numbers[right] < numbers[left] {
                if keepsRight { result.append(other.numbers[right]) }
                right += 1
            } else {
                if keepsBoth { result.append(numbers[left]) }
                left += 1
                right += 1
            }
        }
        return CodeSet(sorted: result)
    }
}
