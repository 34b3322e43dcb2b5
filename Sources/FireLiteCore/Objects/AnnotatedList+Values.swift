extension AnnotatedList {
    /// The list with other values. Ids and extensions stay with the values they belong to:
    ///
    /// 1. Values that are equal from the beginning, and then from the end, are the same ones. This identifies an insertion, a removal and a
    ///    replacement exactly unless a value repeats next to it.
    /// 2. Of the others, equal values are the same ones, in their order: they were moved, swapped or sorted.
    /// 3. If there are as many values as before, a value that is new to the list replaces the one at its position, if that is no longer in
    ///    the list, and takes over its id and extensions, as a to-one primitive does when it is set.
    /// 4. Ids and extensions of a value that is still in the list, but less often, go to one without any.
    ///
    /// Other ids and extensions are removed with their values. A null, which is not a value, stays after the value before it.
    ///
    /// - Complexity: O(n).
    func withValues(_ values: [String]) -> SlotValue? {
        let places = texts.indices.filter { texts[$0] != nil }
        var matching = ValueMatching(old: places.compactMap { texts[$0] }, new: values)
        matching.match { elements[places[$0]] != nil }
        var kept = [Bool](repeating: false, count: places.count)
        for source in matching.sources { if let source { kept[source] = true } }

        // The nulls after each value that stays, by its index in the old list; -1 for the beginning.
        var nulls: [Int: [FHIRObject?]] = [:]
        var number = -1
        var last = -1
        for (place, text) in texts.enumerated() {
            if text == nil {
                nulls[last, default: []].append(elements[place])
            } else {
                number += 1
                if kept[number] { last = number }
            }
        }
        var newTexts: [String?] = []
        var newElements: [FHIRObject?] = []
        func addNulls(behind value: Int) {
            for element in nulls[value] ?? [] {
                newTexts.append(nil)
                newElements.append(element)
            }
        }
        addNulls(behind: -1)
        for (value, source) in zip(values, matching.sources) {
            newTexts.append(value)
            newElements.append(source.flatMap { elements[places[$0]] })
            if let source { addNulls(behind: source) }
        }
        return Self.value(texts: newTexts, elements: newElements)
    }

    /// The list with other values at the same positions.
    func replacingValues(with values: [String]) -> SlotValue? {
        var rest = values[...]
        return Self.value(texts: texts.map { $0 == nil ? nil : rest.popFirst() ?? $0 }, elements: elements)
    }

    /// The simplest value that can hold the list; nil for an empty one.
    package static func value(texts: [String?], elements: [FHIRObject?]) -> SlotValue? {
        if texts.isEmpty { return nil }
        let plain = texts.compactMap { $0 }
        if plain.count == texts.count, elements.allSatisfy({ $0 == nil }) { return .texts(plain) }
        return .annotatedTexts(AnnotatedList(texts: texts, elements: elements))
    }
}

/// Matches the values of a list with those of the list before it; `AnnotatedList.withValues` has the rules.
private struct ValueMatching {
    /// A text that is compared by its bytes, whereas `==` of strings treats different forms of an accent as equal.
    private struct Literal: Hashable {
        let text: String

        static func == (left: Literal, right: Literal) -> Bool { left.text.hasSameBytes(as: right.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private let old: [Literal]
    private let new: [Literal]
    /// The index of the old value that each new value is; nil for a new value.
    private(set) var sources: [Int?]

    init(old: [String], new: [String]) {
        self.old = old.map(Literal.init)
        self.new = new.map(Literal.init)
        sources = Array(repeating: nil, count: new.count)
    }

    /// - Parameter isAnnotated: Whether an old value has an id or extensions.
    mutating func match(_ isAnnotated: (Int) -> Bool) {
        let middle = matchEnds()
        guard !middle.old.isEmpty else { return }
        matchEqual(middle)
        let oldValues = Set(old[middle.old])
        let isSameCount = old.count == new.count
        if isSameCount {
            let all = Set(old)
            let left = Set(new)
            for place in middle.new where sources[place] == nil && !all.contains(new[place]) && !left.contains(old[place]) {
                sources[place] = place
            }
        }
        saveAnnotations(middle.old, oldValues, isAnnotated)
    }

    /// Matches equal values at both ends and returns the range between them.
    private mutating func matchEnds() -> (old: Range<Int>, new: Range<Int>) {
        let shorter = min(old.count, new.count)
        var first = 0
        while first < shorter, old[first] == new[first] {
            sources[first] = first
            first += 1
        }
        var last = 0
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] {
            last += 1
            sources[new.count - last] = old.count - last
        }
        return (first..<old.count - last, first..<new.count - last)
    }

    private mutating func matchEqual(_ middle: (old: Range<Int>, new: Range<Int>)) {
        // Backwards, so that the first one is last in the array.
        var waiting = Dictionary(grouping: middle.old.reversed()) { old[$0] }
        for place in middle.new { sources[place] = waiting[new[place]]?.popLast() }
    }

    /// Moves ids and extensions of a value that was removed from one of its positions to another of its positions without any.
    private mutating func saveAnnotations(_ middle: Range<Int>, _ oldValues: Set<Literal>, _ isAnnotated: (Int) -> Bool) {
        let matched = Set(sources.compactMap { $0 })
        let lost = middle.filter { !matched.contains($0) && isAnnotated($0) }
        guard !lost.isEmpty else { return }
        var free: [Literal: [Int]] = [:]
        for place in new.indices.reversed() where oldValues.contains(new[place]) {
            if let source = sources[place], !isAnnotated(source) { free[new[place], default: []].append(place) }
        }
        for source in lost { if let place = free[old[source]]?.popLast() { sources[place] = source } }
    }
}
