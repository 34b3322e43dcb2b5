import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// The validation of one resource: where it is, what it found, how much it may still do.
///
/// Exclusive access is not checked for what changes with every element, as one thread has the run and no closure is called during an access.
final class ValidationRun {
    let knowledge: Knowledge
    let codes: any CodeValidator
    let options: ValidationOptions
    /// The digest of attachments; nil if hashes are not compared.
    var sha1: (@Sendable (Data) -> Data)?
    /// The resource that is validated: a Bundle, or one with contained resources.
    let root: FHIRResource
    private(set) var issues: [ValidationIssue] = []
    @exclusivity(unchecked) private var steps: [(name: String, index: Int?)] = []
    @exclusivity(unchecked) private var remaining: Int
    private var known: Set<ValidationIssue> = []
    private var suppressed = 0
    /// Whether an error is among the issues that are not listed, and what those leave undecided.
    private var suppressedError = false
    private var suppressedDoubt: ValidationIssue.Undecided?
    /// Validations against profiles that are going on, which would otherwise go round in circles.
    private var active: Set<ProfileUse> = []
    /// Validations against profiles whose issues are reported.
    private var reported: Set<ProfileUse> = []
    /// Results of validations against profiles, by object and profile.
    private var conformances: [ProfileUse: (conforms: Bool, doubts: Set<ValidationIssue.Undecided>)] = [:]
    lazy var references = ReferenceIndex(root)

    struct ProfileUse: Hashable {
        let object: ObjectIdentifier
        let profile: String
    }

    init(_ root: FHIRResource, knowledge: Knowledge, codes: any CodeValidator, options: ValidationOptions) {
        (self.root, self.knowledge, self.codes, self.options) = (root, knowledge, codes, options)
        remaining = options.maximumSteps
        facts = BaseFacts.of(knowledge.release)
        steps = [(root.layout.name, nil)]
    }

    var release: FHIRRelease { knowledge.release }

    /// What FHIR says about the elements of the release.
    let facts: BaseFacts

    /// Whether a code system has a code, and whether the display is one of it; the second is unknown without a display.
    func answer(to question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        // The usual validator of codes finds both at once.
        if let terminology = codes as? TerminologyCodes {
            let (existence, display) = terminology.answer(to: question)
            return (existence, question.display == nil ? .unknown : display)
        }
        let existence = codes.existence(of: question)
        guard existence != .notMember, question.display != nil else { return (existence, .unknown) }
        return (existence, codes.display(of: question))
    }

    // MARK: - Place

    /// The FHIRPath of the current element.
    var path: String { steps.map { step in step.index.map { "\(step.name)[\($0)]" } ?? step.name }.joined(separator: ".") }

    /// Runs `body` one element further down.
    func at<Value>(_ name: String, _ index: Int? = nil, _ body: () throws -> Value) rethrows -> Value {
        steps.append((name, index))
        defer { steps.removeLast() }
        return try body()
    }

    func at<Value>(_ value: ElementValue, _ body: () throws -> Value) rethrows -> Value { try at(value.name, value.index, body) }

    /// Calls `body` with each object of an element.
    func forEach(_ name: String, of object: FHIRObject, _ body: (FHIRObject, Int) throws -> Void) rethrows {
        let isList = object.layout.element(named: name)?.isList ?? true
        for (index, child) in object.children(name).enumerated() { try at(name, isList ? index : nil) { try body(child, index) } }
    }

    /// Runs `body` as if it stood at an entry of the root Bundle, or at a contained resource.
    func relocated<Value>(to place: [(name: String, index: Int?)], _ body: () throws -> Value) rethrows -> Value {
        let kept = steps
        steps = place
        defer { steps = kept }
        return try body()
    }

    var place: [(name: String, index: Int?)] { steps }

    // MARK: - Issues

    func add(
        _ messageID: ValidationIssue.MessageID, _ message: String, _ severity: ValidationIssue.Severity = .error, profile: Structure? = nil,
        element: String? = nil, key: String? = nil, undecided: ValidationIssue.Undecided? = nil
    ) {
        add(
            ValidationIssue(
                messageID: messageID, severity: severity, path: path, message: message, profile: profile?.url, element: element, key: key,
                undecided: undecided))
    }

    func add(_ issue: ValidationIssue) {
        guard issues.count < options.maximumIssues else {
            suppressed += 1
            if issue.severity == .error { suppressedError = true }
            suppressedDoubt = suppressedDoubt ?? issue.undecided
            return
        }
        if known.insert(issue).inserted { issues.append(issue) }
    }

    /// Whether issues are found only to decide whether something conforms.
    @exclusivity(unchecked) private var isSilent = false

    /// Whether elements of profiles count that say no more than FHIR's types. The record is checked by the types anyway, but what decides whether it
    /// conforms to a profile must look at everything.
    var looksAtPlainElements: Bool { isSilent || options.reportsMustSupport }

    /// What `body` would report, which is not.
    func silently(_ body: () throws -> Void) rethrows -> [ValidationIssue] {
        let kept = (issues, known, suppressed, isSilent, suppressedError, suppressedDoubt)
        (issues, known, suppressed, isSilent, suppressedError, suppressedDoubt) = ([], [], 0, true, false, nil)
        defer { (issues, known, suppressed, isSilent, suppressedError, suppressedDoubt) = kept }
        try body()
        return issues + rest
    }

    /// The issue about those that are not listed; it is as grave as the gravest of them.
    private var rest: [ValidationIssue] {
        guard suppressed > 0 else { return [] }
        return [
            ValidationIssue(
                messageID: .limit, severity: suppressedError ? .error : .warning, path: root.layout.name,
                message: "\(suppressed) more issues are not listed", profile: nil, element: nil, key: nil, undecided: suppressedDoubt)
        ]
    }

    // MARK: - Doubts

    /// What could not be decided since it was last asked for, in order to choose between several possibilities.
    private var doubts: Set<ValidationIssue.Undecided> = []

    /// Notes that an answer is doubtful. Whoever asked reports it if it matters.
    func doubt(_ kind: ValidationIssue.Undecided) { doubts.insert(kind) }

    func doubt(_ kinds: Set<ValidationIssue.Undecided>) { doubts.formUnion(kinds) }

    /// The value of `body`, and what it could not decide.
    func collectingDoubts<Value>(_ body: () -> Value) -> (value: Value, doubts: Set<ValidationIssue.Undecided>) {
        let kept = doubts
        doubts = []
        defer { doubts = kept }
        let value = body()
        return (value, doubts)
    }

    /// Whether `body` finds no error; what it leaves undecided is a doubt then.
    func holds(_ body: () -> Void) -> Bool {
        let found = silently(body)
        if found.contains(where: { $0.severity == .error }) { return false }
        doubt(Set(found.compactMap(\.undecided)))
        return true
    }

    // MARK: - Limits

    /// Whether there is an issue of a kind at the current element or below.
    func hasIssue(_ messageID: ValidationIssue.MessageID) -> Bool {
        let path = path
        return issues.contains { $0.messageID == messageID && $0.path.hasPrefix(path) }
    }

    /// Counts a step of work; false once there have been too many.
    func mayContinue() -> Bool {
        remaining -= 1
        return remaining > 0
    }

    /// All issues, with those about the limits.
    func finish() -> [ValidationIssue] {
        issues += rest
        if remaining <= 0 {
            issues.append(
                ValidationIssue(
                    messageID: .limit, severity: .error, path: root.layout.name,
                    message: "the validation takes more than \(options.maximumSteps) steps: raise maximumSteps, or check the definitions",
                    profile: nil, element: nil, key: nil))
        }
        return issues
    }

    // MARK: - Profiles

    /// Whether an object conforms to a profile; nil, and a doubt, if the profile is not known or cannot be used.
    func conforms(_ object: FHIRObject, to url: String) -> Bool? {
        guard let structure = try? knowledge.structure(Canonical(url)) else {
            doubt(.profile)
            return nil
        }
        if !structure.isConstraint { return object.layout.isKind(of: structure.type) }
        return conforms(object, to: structure)
    }

    func conforms(_ object: FHIRObject, to structure: Structure) -> Bool {
        let use = ProfileUse(object: ObjectIdentifier(object), profile: structure.url)
        if let known = conformances[use] {
            doubt(known.doubts)
            return known.conforms
        }
        if active.contains(use) { return true }
        let (result, found) = collectingDoubts { holds { validate(object, against: structure) } }
        conformances[use] = (result, found)
        doubt(found)
        return result
    }

    /// Whether what breaks a profile was reported already.
    func hasValidated(_ object: FHIRObject, against structure: Structure) -> Bool {
        !isSilent && reported.contains(ProfileUse(object: ObjectIdentifier(object), profile: structure.url))
    }

    /// Reports what breaks a profile.
    func validate(_ object: FHIRObject, against structure: Structure) {
        let use = ProfileUse(object: ObjectIdentifier(object), profile: structure.url)
        guard active.insert(use).inserted else { return }
        defer { active.remove(use) }
        if !isSilent { reported.insert(use) }
        guard object.layout.isKind(of: structure.type) || structure.kind == "logical" else {
            let found = object.layout.name
            return add(.profileType, "the profile \(structure.url) is about \(structure.type), and this is \(found)", profile: structure)
        }
        ProfileWalk(self, structure).validate(object)
    }

    /// Reports what breaks a profile that is named by its URL, or that the profile is not known.
    func validate(_ object: FHIRObject, against url: String) {
        do {
            if let structure = try knowledge.structure(Canonical(url)) {
                validate(object, against: structure)
            } else {
                addUnknown(profile: url)
            }
        } catch {
            report(error)
        }
    }

    func addUnknown(profile url: String) {
        add(.missingDefinition, "the profile \(url) is not known: add the package that defines it", .warning, undecided: .profile)
    }

    /// A definition that cannot be used: its absence is a warning, a mistake in it an error.
    func report(_ error: any Error) {
        guard let error = error as? KnowledgeError else { return add(.brokenDefinition, "\(error)", .error) }
        if error.code == .missing {
            add(.missingDefinition, error.message, .warning, undecided: .profile)
        } else {
            add(.brokenDefinition, error.message, .error)
        }
    }

    // MARK: - Expressions

    /// The expressions that took longer than allowed, which are not evaluated again.
    @exclusivity(unchecked) private var abandoned: Set<String> = []

    /// Whether an expression took longer than allowed before.
    func isAbandoned(_ expression: String) -> Bool { !abandoned.isEmpty && abandoned.contains(expression) }

    /// Gives up an expression that reached a limit, so that each costs its time once.
    func abandon(_ expression: String, after error: any Error) {
        if (error as? FHIRPathError)?.code == .limit { abandoned.insert(expression) }
    }

    @exclusivity(unchecked) private var lastContext: FHIRPathContext?

    /// The context for expressions about elements of a resource.
    func context(_ resource: FHIRResource?) -> FHIRPathContext {
        // Expressions about one resource follow one another.
        if let lastContext, lastContext.resource === resource { return lastContext }
        let context = newContext(resource)
        lastContext = context
        return context
    }

    private func newContext(_ resource: FHIRResource?) -> FHIRPathContext {
        var context = FHIRPathContext()
        context.resource = resource
        context.rootResource = resource.flatMap { $0.containerResource }
        context.release = release
        context.resolve = { [unowned self] reference in self.resolveOutside(reference) }
        context.conforms = { [unowned self] object, url in self.conforms(object, to: url) }
        context.terminology = PathTerminology(codes) { [unowned self] in self.doubt(.code) }
        return context
    }

    /// A resource among the definitions, by its key or canonical URL.
    private func resolveOutside(_ reference: String) -> FHIRResource? {
        let parts = ReferenceParts(reference)
        if let type = parts.type, let id = parts.id, let found = knowledge.resource(key: "\(type)/\(id)") {
            return outside(found)
        }
        return knowledge.definition(Canonical(reference)).flatMap { outside($0) }
    }

    private var decoded: [String: FHIRResource] = [:]

    /// The resource of a definition, kept as long as the run.
    func outside(_ definition: Definition) -> FHIRResource? {
        let key = "\(definition.type)/\(definition.id ?? "")|\(definition.url ?? "")|\(definition.version ?? "")"
        if let known = decoded[key] { return known }
        // A file that cannot be read is noted, and ends the validation.
        guard let resource = (try? definition.resource(release)) ?? nil else { return nil }
        decoded[key] = resource
        return resource
    }
}

/// Answers `memberOf` of expressions.
struct PathTerminology: FHIRPathTerminology {
    private let codes: any CodeValidator
    /// Called if an answer is unknown.
    private let doubt: () -> Void

    init(_ codes: any CodeValidator, doubt: @escaping () -> Void) { (self.codes, self.doubt) = (codes, doubt) }

    func isMember(_ coded: FHIRPathValue, of valueSet: String) throws -> Bool? {
        let questions = coded.object.map { CodeQuestion.all(in: $0) } ?? coded.string.map { [CodeQuestion(code: $0)] } ?? []
        guard !questions.isEmpty else { return false }
        var isUnknown = false
        for question in questions where question.system != nil || coded.object == nil {
            switch codes.membership(of: question, in: Canonical(valueSet)) {
            case .member: return true
            case .unknown: isUnknown = true
            case .notMember: continue
            }
        }
        if isUnknown { doubt() }
        return isUnknown ? nil : false
    }
}

extension CodeQuestion {
    /// The codes of a Coding, CodeableConcept, CodeableReference or Quantity.
    static func all(in object: FHIRObject) -> [CodeQuestion] {
        switch object.layout.name {
        case "CodeableConcept": object.objects(of: "coding").compactMap(one)
        case "CodeableReference": object.child("concept").map { all(in: $0) } ?? []
        default: [one(object)].compactMap { $0 }
        }
    }

    private static func one(_ object: FHIRObject) -> CodeQuestion? {
        object.text(of: "code").map { code in
            CodeQuestion(
                system: object.text(of: "system"), version: object.text(of: "version"), code: code, display: object.text(of: "display"))
        }
    }
}
