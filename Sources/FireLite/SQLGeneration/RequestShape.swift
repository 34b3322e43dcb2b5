import FireLiteCore

/// What a request asks for, apart from the values that it compares with. Requests of one shape are compiled to the same statements as long as the
/// file gives the planner the same answers.
///
/// A value is left out of the shape only if no other of its kind would be compiled in another way: texts of printable ASCII, of one length where
/// the length decides. All others are parts of the shape.
struct RequestShape {
    /// What a shape says.
    struct Key: Hashable {
        fileprivate var numbers: [Int] = []
        /// Their bytes: texts that Swift takes for equal may differ in them, and SQLite compares bytes.
        fileprivate var texts: [UInt8] = []
    }

    /// Which statement of a request is wanted.
    enum Part {
        /// The first one.
        case first
        /// The one after a walk: for so many results after a key.
        case rest(limit: Int, after: Int64)
    }

    private(set) var key = Key()
    /// The values that are left out.
    private(set) var values = ShapeValues()
    private(set) var isShared = true

    /// Longer lists and texts are rarely asked for twice.
    private static let mostInList = 64
    private static let longestText = 200
    /// Lists up to this length are bound value by value.
    private static let fewInList = ValueTestCompiler.boundValues

    /// Nil for a request whose statements are compiled each time.
    ///
    /// - Parameters:
    ///   - request: the request, with the conditions of its restrictions.
    ///   - columns: what is selected besides the keys.
    init?(_ request: QueryRequest, _ columns: ResultColumns, _ part: Part) {
        guard request.container == nil, request.cursor == nil, request.sections.isEmpty else { return nil }
        note(request.layout)
        note(columns.rawValue)
        note(request.offset)
        switch part {
        case .first: note(request.limit ?? -1)
        case .rest(let limit, let after):
            note(-2)
            values.numbers[0] = Int64(limit)
            values.numbers[1] = after
        }
        note(request.sort.count)
        for key in request.sort { note(key) }
        note(request.predicate)
        if !isShared { return nil }
    }

    // MARK: - Parts

    private mutating func note(_ number: Int) { key.numbers.append(number) }

    private mutating func note(literal text: String) {
        guard text.utf8.count <= Self.longestText, ShapeMarks.isUnmarked(text) else {
            isShared = false
            return
        }
        key.numbers.append(text.utf8.count)
        key.texts.append(contentsOf: text.utf8)
    }

    /// Layouts live as long as the process.
    private mutating func note(_ layout: Layout) { note(Int(bitPattern: ObjectIdentifier(layout))) }

    private mutating func note(_ path: QueryPath) {
        note(path.steps.count)
        for step in path.steps {
            note(step.slot)
            note(step.position ?? Int.min)
            switch step.kind {
            case .element: note(0)
            case .annotation: note(1)
            case .resource(let type):
                note(2)
                note(literal: type)
            }
        }
    }

    private mutating func note(_ key: SortKey) {
        note(key.isDescending ? 1 : 0)
        note(key.nulls == .first ? 1 : 0)
        note(key.paths.count)
        for path in key.paths {
            note(path.filters.count)
            for filter in path.filters {
                note(filter.path)
                note(filter.condition)
            }
            note(path.path)
        }
    }

    // MARK: - Conditions

    private mutating func note(_ predicate: Predicate) {
        guard isShared else { return }
        switch predicate {
        case .constant(let value): note(value ? 1 : 0)
        case .value(let path, let test):
            note(2)
            note(path)
            note(test)
        case .sampled(let path, let bound, let comparison, let number):
            note(3)
            note(path)
            note(bound.rawValue)
            note(comparison)
            note(.real(number), isBound: false)
        case .exists(let path):
            note(4)
            note(path)
        case .any(let path, let inner):
            note(5)
            note(path)
            note(inner)
        case .count(let path, let comparison, let number):
            note(6)
            note(path)
            note(comparison)
            note(number)
        case .refers(let path, let texts):
            note(7)
            note(path)
            note(texts.count)
            if texts.count > Self.mostInList { isShared = false }
            for text in texts { note(reference: text, isBound: texts.count <= Self.fewInList) }
        case .target(let path, let layout, let inner):
            note(8)
            note(path)
            note(layout)
            note(inner)
        case .referredBy(let layout, let path, let inner):
            note(9)
            note(layout)
            note(path)
            note(inner)
        case .contains(let layout, let inner):
            note(10)
            note(layout)
            note(inner)
        case .named(let name, let layout, let inner, let isMade):
            note(isMade ? 11 : 12)
            note(literal: name)
            note(layout)
            note(inner)
        case .and(let parts):
            note(13)
            note(parts)
        case .or(let parts):
            note(14)
            note(parts)
        case .not(let inner):
            note(15)
            note(inner)
        case .keys, .selected, .matching: isShared = false
        }
    }

    private mutating func note(_ parts: [Predicate]) {
        note(parts.count)
        if parts.count > Self.mostInList { isShared = false }
        for part in parts { note(part) }
    }

    private mutating func note(_ comparison: Comparison) { note(comparison.rawValue.utf8.reduce(0) { $0 << 8 | Int($1) }) }

    // MARK: - Values

    private mutating func note(_ test: ValueTest) {
        switch test {
        case .compare(let comparison, let value):
            note(20)
            note(comparison)
            note(value, isBound: true)
        case .oneOf(let values):
            note(21)
            note(values.count)
            if values.count > Self.mostInList { isShared = false }
            for value in values { note(value, isBound: values.count <= Self.fewInList) }
        case .between(let lower, let upper):
            note(22)
            note(lower, isBound: true)
            note(upper, isBound: true)
        case .date(let comparison, let bounds, let overlapping):
            note(overlapping ? 23 : 24)
            note(comparison)
            let isDate = ShapeValues.isDate(bounds)
            for text in [bounds.text, bounds.lower, bounds.upper] {
                if isDate { note(letters: text, count: text.utf8.count) } else { note(literal: text) }
            }
        case .dateOneOf(let dates):
            note(25)
            note(dates.count)
            if dates.count > Self.mostInList { isShared = false }
            for text in dates.flatMap({ [$0.text, $0.lower, $0.upper] }) { note(literal: text) }
        case .text(let way, let text, let folding):
            note(26)
            note(Int(way.rawValue | folding.rawValue))
            if let count = ShapeValues.count(way, text, folding) { note(letters: text, count: count) } else { note(literal: text) }
        case .referenceType(let type):
            note(27)
            note(literal: type)
        case .referenceTo(let type, let id):
            note(28)
            note(literal: type)
            note(literal: id)
        case .hasTime(let hasTime): note(hasTime ? 29 : 30)
        }
    }

    /// - Parameter isBound: whether the value is one that is left out, if it can be.
    private mutating func note(_ value: SQLValue, isBound: Bool) {
        switch value {
        case .null: note(40)
        case .integer(let number):
            note(41)
            note(Int(number))
            if ShapeMarks.isMark(number) { isShared = false }
        case .real(let number):
            note(42)
            note(Int(bitPattern: UInt(number.bitPattern)))
        case .text(let text) where isBound && ShapeValues.isWord(text):
            note(43)
            note(values.number(ofWord: text))
        case .text(let text):
            note(44)
            note(literal: text)
        case .blob: isShared = false
        }
    }

    private mutating func note(reference text: String, isBound: Bool) {
        switch ReferenceParts(text).form {
        case .uuid where isBound:
            note(47)
            return note(values.number(ofWord: text))
        // These lead nowhere.
        case .contained, .oid, .other: return note(48)
        case .uuid, .relative, .absolute: break
        }
        guard isBound, let (type, id) = ShapeValues.reference(text) else {
            note(44)
            return note(literal: text)
        }
        note(45)
        note(literal: type)
        note(values.number(ofWord: id))
    }

    private mutating func note(letters text: String, count: Int) {
        guard let number = values.number(ofLetters: text, count: count) else {
            note(44)
            return note(literal: text)
        }
        note(46)
        note(number)
        note(count)
    }
}

/// What is selected of results besides their keys.
enum ResultColumns: Int {
    case none = 0
    /// Their ids.
    case ids
    /// The values that they are sorted by, for a cursor.
    case places
}
