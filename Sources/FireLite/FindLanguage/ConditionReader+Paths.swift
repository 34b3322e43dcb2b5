import FireLiteCore

/// The element that a path leads to.
struct PathEnd {
    enum Kind {
        case object(Layout)
        case primitive(PrimitiveType)
        case choice
    }
    /// The references that the path follows to resources of a type, outermost first; `path` begins at the last one's target.
    var targets: [(path: QueryPath, layout: Layout)] = []
    var path = QueryPath()
    var kind: Kind
    /// Whether it goes through a list, and not to one position of it.
    var isList = false
    /// The codes of the list that the element is bound to; empty if it can have others.
    var codes: [Substring] = []

    func hasElement(_ name: String) -> Bool {
        guard case .object(let layout) = kind else { return false }
        return layout.element(named: name) != nil
    }

    /// The condition that a target meets a condition on the path's element in it.
    func following(_ condition: Predicate) -> Predicate {
        targets.reversed().reduce(condition) { .target($1.path, $1.layout, $0) }
    }
}

extension ConditionReader {
    /// The maximum number of steps of a path: no readable resource has as many.
    static let longestPath = 128

    /// The whole text as a path: `name.given`, `name[0].given`, `contained(Medication).code`.
    func wholePath(_ layout: Layout) throws -> PathEnd { try path(0..<scalars.count, layout) }

    /// A part of the text as a path.
    func path(_ range: Range<Int>, _ layout: Layout) throws -> PathEnd {
        var end = PathEnd(kind: .object(layout))
        var starts = [range.lowerBound]
        for index in range where scalars[index] == "." { starts.append(index + 1) }
        guard starts.count <= Self.longestPath else {
            throw invalid("a path of \(starts.count) elements: \(Self.longestPath) is the maximum", at: range.lowerBound)
        }
        for (number, start) in starts.enumerated() {
            let stop = number + 1 < starts.count ? starts[number + 1] - 1 : range.upperBound
            try step(start..<stop, &end, release: layout.release)
        }
        return end
    }

    private func step(_ range: Range<Int>, _ end: inout PathEnd, release: FHIRRelease) throws {
        let part = text(range)
        guard case .object(let owner) = end.kind else {
            throw invalid("before '.\(part)' is a primitive, which has no elements", at: range.lowerBound)
        }
        let nameEnd = scalars[range].firstIndex { $0 == "[" || $0 == "(" } ?? range.upperBound
        let named = withoutSpaces(range.lowerBound..<nameEnd)
        let name = text(named)
        guard let element = owner.element(named: name) else {
            guard let choice = owner.elements.first(where: { $0.choice?.name == "\(name)[x]" })?.choice else {
                throw invalid("\(owner.name) has no element '\(name)'\(hint(name, owner))", at: named.lowerBound)
            }
            try requireNoSpaces(named, range.lowerBound..<nameEnd)
            end.path = end.path.appending(PathStep(slot: choice.slots.lowerBound, position: PathStep.wholeChoice))
            end.kind = .choice
            return
        }
        try requireNoSpaces(named, range.lowerBound..<nameEnd)
        var step = PathStep(slot: element.slot)
        var rest = nameEnd..<range.upperBound
        if let place = try self.place(&rest, part, element) { step.position = place } else if element.isList { end.isList = true }
        let type = try self.type(rest, part, release: release)
        switch element.kind {
        case .primitive:
            end.kind = .primitive(element.primitive ?? .string)
            end.codes = element.binding.flatMap(release.codes(ofBinding:)) ?? []
        case .object: end.kind = .object(element.layout ?? owner)
        case .resource:
            guard let type else {
                throw invalid("\(part) contains resources of several types: write \(name)(Patient)", at: range.lowerBound)
            }
            step.kind = .resource(type.name)
            end.kind = .object(type)
        }
        end.path = end.path.appending(step)
        guard let type, element.kind != .resource else { return }
        guard case .object(let layout) = end.kind, layout.name == "Reference" else {
            throw invalid(
                "\(part): only a Reference or an element that contains resources can have a resource type in parentheses",
                at: rest.lowerBound)
        }
        end.targets.append((end.path, type))
        end.path = QueryPath()
        end.kind = .object(type)
    }

    private func withoutSpaces(_ range: Range<Int>) -> Range<Int> {
        let start = scalars[range].firstIndex { $0 != " " } ?? range.upperBound
        let end = scalars[start..<range.upperBound].lastIndex { $0 != " " }.map { $0 + 1 } ?? start
        return start..<end
    }

    /// A space could as well belong to the value, where it would change the meaning.
    private func requireNoSpaces(_ name: Range<Int>, _ range: Range<Int>) throws {
        guard name != range else { return }
        throw invalid("leave out the spaces beside '\(text(name))': write PATH=VALUE", at: range.lowerBound)
    }

    /// The element that the name may stand for.
    private func hint(_ name: String, _ owner: Layout) -> String {
        let choices = owner.elements.compactMap { $0.choice?.name.replacingBytes("[x]", with: "") }
        return NearWords.hint(for: name, among: owner.elements.map(\.name) + choices)
    }

    /// The number in brackets, if any.
    private func place(_ range: inout Range<Int>, _ part: String, _ element: LayoutElement) throws -> Int? {
        guard range.lowerBound < range.upperBound, scalars[range.lowerBound] == "[" else { return nil }
        let close = scalars[range].firstIndex(of: "]") ?? range.upperBound
        let digits = text(range.lowerBound + 1..<close)
        guard close < range.upperBound, element.isList, digits.utf8.allSatisfy({ $0 &- 48 < 10 }), let position = Int(digits) else {
            throw invalid("\(part) is not a position in a list: write name[0] for the first element", at: range.lowerBound)
        }
        range = close + 1..<range.upperBound
        return position
    }

    /// The resource type in parentheses, if any.
    private func type(_ range: Range<Int>, _ part: String, release: FHIRRelease) throws -> Layout? {
        guard !range.isEmpty else { return nil }
        guard range.count > 2, scalars[range.lowerBound] == "(", scalars[range.upperBound - 1] == ")" else {
            throw invalid("\(part) is not an element", at: range.lowerBound)
        }
        let name = text(range.lowerBound + 1..<range.upperBound - 1)
        guard let type = release.resourceLayout(named: name) else {
            let hint = NearWords.hint(for: name, among: release.resourceTypeNames)
            throw invalid("'\(name)' is not a resource type of FHIR \(release.name)\(hint)", at: range.lowerBound + 1)
        }
        return type
    }
}
