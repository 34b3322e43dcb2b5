import FireLiteCore
import TestSupport

@testable import FireLite

/// Makes random predicates and sort keys over the paths of a class, most of them about values that some instance has.
struct RandomPredicate {
    let layout: Layout
    let instances: [FHIRObject]
    var generator: SeededGenerator

    mutating func predicate(depth: Int = 0) -> Predicate {
        let object = generator.pick(instances)
        switch generator.int(0...99) {
        case 0..<12 where depth < 2: return .and((0..<generator.int(2...3)).map { _ in predicate(depth: depth + 1) })
        case 12..<24 where depth < 2: return .or((0..<generator.int(2...3)).map { _ in predicate(depth: depth + 1) })
        case 24..<34 where depth < 3: return .not(predicate(depth: depth + 1))
        case 34..<52: return binding(object)
        case 52..<60: return count(object)
        case 60..<68: return existence(object)
        default: return value(object)
        }
    }

    mutating func sort() -> [SortKey] {
        (0..<generator.int(0...2)).compactMap { _ in
            guard let (path, literal, _) = primitive(from: generator.pick(instances)), literal != nil else { return nil }
            return SortKey(path: path, isDescending: generator.percent(50), nulls: generator.percent(50) ? .first : .last)
        }
    }

    // MARK: - Paths

    /// A path through elements that an object has, with its end.
    private mutating func walk(_ start: FHIRObject, positions: Bool = true) -> (QueryPath, MemoryEvaluator.Item)? {
        var path = QueryPath()
        var object = start
        for _ in 0..<8 {
            var slots: [ElementSlot] = []
            object.forEachSlot { slots.append($0) }
            guard !slots.isEmpty else { return nil }
            let slot = generator.pick(slots)
            let element = object.layout.elements[Int(slot.index)]
            var step = PathStep(slot: Int(slot.index))
            let primitive = element.primitive ?? .string
            var items: [MemoryEvaluator.Item] = []
            switch slot.value {
            case .object(let child): items = [.object(child)]
            case .objects(let children): items = children.map { .object($0) }
            case .texts(let texts): items = texts.map { .value($0, primitive, nil) }
            case .annotatedTexts(let list): items = zip(list.texts, list.elements).map { .value($0, primitive, $1) }
            case .annotated(let annotated): items = [.value(annotated.value?.literal(primitive), primitive, annotated.element)]
            case let plain: items = [.value(plain.literal(primitive), primitive, nil)]
            }
            guard !items.isEmpty else { return nil }
            let position = generator.int(0...items.count - 1)
            if positions, element.isList, element.kind != .resource, generator.percent(12) { step.position = position }
            let item = items[position]
            if element.kind == .resource, case .object(let child) = item { step.kind = .resource(child.layout.name) }
            path = path.appending(step)
            switch item {
            case .object(let child):
                if generator.percent(8) { return (path, item) }
                object = child
            case .value(_, _, let annotation):
                guard let annotation, generator.percent(40) else { return (path, item) }
                path = path.appending(PathStep(slot: 0, kind: .annotation))
                object = annotation
            }
        }
        return (path, .object(object))
    }

    private mutating func primitive(from object: FHIRObject) -> (QueryPath, String?, PrimitiveType)? {
        for _ in 0..<20 {
            if case (let path, .value(let literal, let type, _))? = walk(object) { return (path, literal, type) }
        }
        return nil
    }

    // MARK: - Kinds

    private mutating func value(_ object: FHIRObject) -> Predicate {
        guard let (path, literal, type) = primitive(from: object) else { return .constant(generator.percent(50)) }
        return .value(path, test(literal ?? "a", type))
    }

    private mutating func existence(_ object: FHIRObject) -> Predicate {
        guard let (path, _) = walk(object) else { return .constant(true) }
        var last = path.steps[path.steps.count - 1]
        if generator.percent(20), last.kind == .element, let owner = owner(of: path, object) {
            // An element that this object may not have.
            let element = generator.pick(owner.elements.filter { $0.kind != .resource })
            last = PathStep(slot: element.slot)
            if let choice = element.choice, generator.percent(50) {
                last = PathStep(slot: choice.slots.lowerBound, position: PathStep.wholeChoice)
            }
            return .exists(QueryPath(path.steps.dropLast() + [last]))
        }
        return .exists(path)
    }

    private func owner(of path: QueryPath, _ object: FHIRObject) -> Layout? {
        let items = MemoryEvaluator(release: layout.release).items(QueryPath(path.steps.dropLast()), .object(object))
        guard case .object(let owner)? = items.first else { return nil }
        return owner.layout
    }

    private mutating func count(_ object: FHIRObject) -> Predicate {
        guard let (path, _) = walk(object) else { return .constant(false) }
        return .count(path, generator.pick(Comparison.allCases), generator.int(0...3))
    }

    /// Several conditions on one element.
    private mutating func binding(_ object: FHIRObject) -> Predicate {
        guard let (path, end) = walk(object, positions: false), path.steps.count > 1 || path.steps.first != nil else {
            return .constant(true)
        }
        if case .value(let literal, let type, _) = end {
            return .any(path, .and([.value(QueryPath(), test(literal ?? "b", type)), .not(.value(QueryPath(), test("1", type)))]))
        }
        guard case .object(let element) = end, element.hasContent else { return .exists(path) }
        var parts: [Predicate] = []
        for _ in 0..<generator.int(1...3) {
            guard let (inner, literal, type) = primitive(from: element) else { continue }
            let part = Predicate.value(inner, test(literal ?? "c", type))
            parts.append(generator.percent(15) ? .not(part) : part)
        }
        let inner: Predicate = generator.percent(80) ? .and(parts) : .or(parts)
        return generator.percent(25) ? .not(.any(path, .not(inner))) : .any(path, inner)
    }

    // MARK: - Tests

    private mutating func test(_ literal: String, _ type: PrimitiveType) -> ValueTest {
        let comparison = generator.percent(45) ? .equal : generator.pick(Comparison.allCases)
        switch type.storage {
        case .boolean: return .compare(.equal, .integer(literal == "true" ? 1 : 0))
        case .integer:
            let number = (Int64(literal) ?? 0).addingReportingOverflow(generator.pick([0, 0, 0, 1, -1])).partialValue
            return generator.percent(15) ? .oneOf((0..<7).map { .integer(number &+ $0) }) : .compare(comparison, .integer(number))
        case .decimal:
            let number = Double(literal) ?? 0
            if generator.percent(15) { return .between(.real(number - 0.5), .real(number + 0.5)) }
            return .compare(comparison, .real(number + generator.pick([0, 0, 0, 0.01, -1])))
        case .temporal: return date(literal, type, comparison)
        case .text: return text(literal, comparison)
        }
    }

    private mutating func date(_ literal: String, _ type: PrimitiveType, _ comparison: Comparison) -> ValueTest {
        var text = literal
        if type != .time, generator.percent(40) { text = String(text.prefix(generator.pick([4, 7, 10]))) }
        let bounds = DateBounds(text) ?? DateBounds("2000")!
        if generator.percent(10), let other = DateBounds("1999") {
            return .dateOneOf((0..<generator.int(1...6)).map { _ in other } + [bounds])
        }
        return .date(comparison, bounds, overlapping: generator.percent(45))
    }

    private mutating func text(_ literal: String, _ comparison: Comparison) -> ValueTest {
        let characters = Array(literal)
        let start = generator.int(0...max(characters.count - 1, 0))
        let piece = String(characters[start..<min(start + generator.int(1...5), characters.count)])
        let folding = generator.pick([[], [], [], .ignoringCase, .all] as [TextFolding])
        switch generator.int(0...9) {
        case 0: return .text(.contains, MemoryEvaluator.fold(piece, folding), folding)
        case 1: return .text(.hasPrefix, MemoryEvaluator.fold(String(literal.prefix(generator.int(0...4))), folding), folding)
        case 2: return .text(.hasSuffix, MemoryEvaluator.fold(String(literal.suffix(generator.int(0...4))), folding), folding)
        case 3: return .text(.like, MemoryEvaluator.fold("%\(piece)_%", folding), folding)
        case 4: return .text(.equal, MemoryEvaluator.fold(generator.percent(50) ? literal.uppercased() : literal, folding), folding)
        case 5: return .oneOf((0..<generator.pick([1, 3, 9])).map { .text("\(literal)\($0 == 0 ? "" : "\($0)")") })
        default: return .compare(comparison, .text(literal))
        }
    }
}
