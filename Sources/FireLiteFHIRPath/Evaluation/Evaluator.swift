import FireLiteCore
import Foundation

/// One evaluation at a time of a compiled expression: what `$this`, `%name` and the rest stand for, and caches that outlive it.
///
/// Not shared between threads: an expression keeps a few for reuse, each of which one thread has at a time.
final class Evaluator {
    let options: FHIRPathOptions
    /// The place of each member node's slots in the class that it met last.
    private let slotCache: UnsafeMutablePointer<CachedSlots>
    private let members: Int
    /// The class that the expression was checked for last.
    @exclusivity(unchecked) var checked: UnsafePointer<LayoutTable>?
    private var expressions: [ExactText: NSRegularExpression] = [:]

    // MARK: - State of one evaluation

    // Exclusive access is not checked for these: one thread has the evaluator, and no closure is called during an access.

    var context = FHIRPathContext()
    /// The collection that the expression is evaluated on.
    @exclusivity(unchecked) var input: [Item] = []
    @exclusivity(unchecked) var this: [Item] = []
    @exclusivity(unchecked) var index: Int64?
    @exclusivity(unchecked) var total: [Item]?
    /// What `defineVariable` defined, innermost last.
    @exclusivity(unchecked) var variables: [(name: String, items: [Item])] = []
    /// What the classes belong to; nil if there is nothing but values of FHIRPath's own types.
    @exclusivity(unchecked) var release: FHIRRelease?
    @exclusivity(unchecked) private var hasContext = false
    @exclusivity(unchecked) private var steps = 0
    /// The number of steps at which the evaluation asks whether it may go on.
    @exclusivity(unchecked) private var pause = 0
    @exclusivity(unchecked) private var started: Date?
    /// What the regular expressions of the evaluation have taken.
    @exclusivity(unchecked) var matchingTime = Duration.zero

    init(options: FHIRPathOptions, members: Int) {
        self.options = options
        self.members = members
        slotCache = .allocate(capacity: max(members, 1))
        slotCache.initialize(repeating: CachedSlots(), count: members)
    }

    deinit {
        slotCache.deinitialize(count: members)
        slotCache.deallocate()
    }

    /// Begins an evaluation.
    func begin(on input: [Item], _ context: FHIRPathContext?) {
        // Setting it costs more than a short evaluation, and even copying no context as much as a step.
        if context == nil { release = nil } else { take(context) }
        self.input = input
        this = input
        index = nil
        total = nil
        steps = 0
        pause = min(Self.stepsBetweenPauses, options.maximumSteps)
        started = nil
        matchingTime = .zero
        if release == nil, case .object(let object)? = input.first { release = object.layout.release }
    }

    @inline(never)
    private func take(_ context: FHIRPathContext?) {
        guard let context else { return }
        self.context = context
        hasContext = true
        release = context.release
    }

    /// Releases what an evaluation held.
    func end() {
        if hasContext {
            context = FHIRPathContext()
            hasContext = false
        }
        input = []
        this = []
        total = nil
        if !variables.isEmpty { variables = [] }
    }

    // MARK: - Limits

    /// Counts steps, so that an evaluation that would take forever, or all memory, ends with an error.
    func count(_ number: Int, at position: Int) throws {
        steps += number
        if steps >= pause { try askToGoOn(position) }
    }

    @inline(never)
    private func askToGoOn(_ position: Int) throws {
        if steps > options.maximumSteps {
            throw FHIRPathError(.limit, "the evaluation takes more than \(options.maximumSteps) steps", at: position)
        }
        try context.interrupt?()
        pause = min(steps + Self.stepsBetweenPauses, options.maximumSteps)
    }

    /// Some hundredths of a second, unless the steps are those of long texts.
    private static let stepsBetweenPauses = 65_536

    /// The steps of texts that an evaluation makes: they take time and memory by their length.
    static func steps(ofTexts items: [Item]) -> Int {
        guard case .string? = items.first else { return 0 }
        return items.reduce(0) { if case .string(let text) = $1 { $0 + text.utf8.count / 16 } else { $0 } }
    }

    /// The longest text that functions make, in bytes.
    static let maximumText = 16_777_216

    // MARK: - Names

    /// The slots of a member in a class.
    @inline(__always)
    func slots(_ node: MemberNode, of table: UnsafePointer<LayoutTable>) -> CachedSlots {
        let cached = slotCache[node.number]
        return cached.table == table ? cached : resolve(node, table)
    }

    @inline(never)
    private func resolve(_ node: MemberNode, _ table: UnsafePointer<LayoutTable>) -> CachedSlots {
        let layout = table.pointee.layout._withUnsafeGuaranteedRef { $0 }
        var found = CachedSlots(table: table)
        if node.isFirst, layout.isKind(of: node.name) {
            found.isType = true
        } else if let slots = layout.slots(ofMember: node.name, allowsChoiceNames: options.allowsChoiceNames) {
            (found.first, found.count) = (UInt16(slots.lowerBound), UInt16(slots.count))
        }
        slotCache[node.number] = found
        return found
    }

    /// The moment that `now()`, `today()` and `timeOfDay()` agree on.
    var now: Date {
        if let now = context.now ?? started { return now }
        let now = FHIRClock.system.now()
        started = now
        return now
    }

    /// A compiled regular expression; nil for text that is none.
    func regularExpression(_ pattern: String) -> NSRegularExpression? {
        if let known = expressions[pattern] { return known }
        guard let expression = try? NSRegularExpression(pattern: pattern, options: [.dotMatchesLineSeparators]) else { return nil }
        if expressions.count >= 50 { expressions.removeAll() }
        expressions[pattern] = expression
        return expression
    }

    /// What an expression names by a variable.
    func variable(_ name: String, at position: Int) throws -> [Item] {
        if let own = variables.last(where: { $0.name == name }) { return own.items }
        if let given = context.variables[name] { return given.map(\.item) }
        switch name {
        case "context": return input
        case "resource": return .optional(resource(ofRoot: false).map { .object($0) }).ifEmpty(input)
        case "rootResource": return .optional(resource(ofRoot: true).map { .object($0) }).ifEmpty(input)
        case "terminologies": return [.terminologies]
        default: break
        }
        if let text = Self.constant(name) { return [.string(text)] }
        let known = variables.map(\.name) + context.variables.keys.sorted()
        throw FHIRPathError(.semantic, "there is no variable %\(name)\(Self.hint(forVariable: name, known))", at: position)
    }

    private static let builtIn = ["context", "resource", "rootResource", "terminologies"]

    /// The variables that every evaluation has.
    static func isBuiltIn(_ name: String) -> Bool { builtIn.contains(name) || constant(name) != nil }

    /// `: did you mean '%resource'?` for a variable that does not exist; empty if none is near.
    static func hint(forVariable name: String, _ others: [String]) -> String {
        NearWords.nearest(to: name, among: builtIn + ["ucum", "sct", "loinc"] + others).map { ": did you mean '%\($0)'?" } ?? ""
    }

    private static func constant(_ name: String) -> String? {
        switch name {
        case "ucum": return "http://unitsofmeasure.org"
        case "sct": return "http://snomed.info/sct"
        case "loinc": return "http://loinc.org"
        default:
            if name.hasPrefix("vs-") { return "http://hl7.org/fhir/ValueSet/\(name.dropFirst(3))" }
            return name.hasPrefix("ext-") ? "http://hl7.org/fhir/StructureDefinition/\(name.dropFirst(4))" : nil
        }
    }

    /// The resource around the object that is evaluated on, or the one that contains that resource.
    func resource(ofRoot isRoot: Bool) -> FHIRResource? {
        if isRoot, let root = context.rootResource { return root }
        if let resource = context.resource { return isRoot ? resource.containerResource ?? resource : resource }
        guard let object = input.first?.children else { return nil }
        var current: FHIRObject? = object
        while let found = current {
            if let resource = found as? FHIRResource { return isRoot ? resource.containerResource ?? resource : resource }
            current = found.ownerObject
        }
        return nil
    }
}

extension [Item] {
    /// The items, or others if there are none.
    func ifEmpty(_ other: [Item]) -> [Item] { isEmpty ? other : self }
}
