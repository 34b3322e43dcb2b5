import FireLiteCore
import FireLiteFHIRPath

/// Checks a QuestionnaireResponse by its Questionnaire (FHIR, QuestionnaireResponse).
struct ResponseRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ response: FHIRResource) {
        let text = response.text("questionnaire") ?? response.child("questionnaire")?.text("reference")
        guard let text else {
            return run.add(.questionnaire, "without a questionnaire its answers cannot be checked", .warning)
        }
        guard let questionnaire = questionnaire(text, response) else { return }
        ResponseWalk(run, QuestionnaireForm(questionnaire), response).check()
    }

    private func questionnaire(_ text: String, _ response: FHIRResource) -> FHIRResource? {
        if text.hasPrefix("#") {
            let id = String(text.dropFirst())
            let container = response.containerResource ?? response
            // A missing one is reported where canonicals are checked.
            guard let found = container.containedResources.first(where: { $0.id == id }) else { return nil }
            return ofType(found)
        }
        if let entry = run.references.entries.first(where: { $0.fullURL == text || $0.resource.text("url") == Canonical(text).url }) {
            return ofType(entry.resource)
        }
        let canonical = Canonical(text)
        let key = ReferenceParts(text)
        let byKey = key.type.flatMap { type in key.id.flatMap { run.knowledge.resource(key: "\(type)/\($0)") } }
        if let definition = run.knowledge.definition(canonical, type: "Questionnaire") ?? run.knowledge.definition(canonical) ?? byKey {
            return run.outside(definition).flatMap { ofType($0) }
        }
        if text.contains("/ValueSet/") || text.contains("/CodeSystem/") || text.contains("/StructureDefinition/") {
            run.at("questionnaire") { run.add(.questionnaire, "refers to a definition of another kind, not to a Questionnaire") }
            return nil
        }
        run.at("questionnaire") {
            run.add(
                .missingDefinition, "the Questionnaire is not known, so the answers are not checked: add it", .warning, undecided: .outside)
        }
        return nil
    }

    private func ofType(_ resource: FHIRResource) -> FHIRResource? {
        if resource.resourceType == "Questionnaire" { return resource }
        run.at("questionnaire") { run.add(.questionnaire, "refers to a \(resource.resourceType), not to a Questionnaire") }
        return nil
    }
}

/// Walks through a response along its Questionnaire.
struct ResponseWalk {
    let run: ValidationRun
    let form: QuestionnaireForm
    let response: FHIRResource
    let conditions: EnableConditions
    /// Whether answers may still be missing.
    private let isOpen: Bool

    init(_ run: ValidationRun, _ form: QuestionnaireForm, _ response: FHIRResource) {
        (self.run, self.form, self.response) = (run, form, response)
        conditions = EnableConditions(run, form, response)
        isOpen = ["in-progress", "entered-in-error", "stopped"].contains(response.text("status") ?? "")
    }

    func check() { check(form.items, in: response, "item", parents: [response]) }

    // MARK: - Items

    private func check(_ wanted: [QuestionnaireForm.Item], in object: FHIRObject, _ name: String, parents: [FHIRObject]) {
        var groups: [String: [(FHIRObject, Int)]] = [:]
        var last = -1
        run.forEach(name, of: object) { item, index in
            guard run.mayContinue() else { return }
            let id = item.text("linkId") ?? ""
            guard let place = wanted.firstIndex(where: { $0.linkID == id }) else {
                let isElsewhere = form.item(id) != nil
                return run.add(
                    .responseItem,
                    isElsewhere
                        ? "the item belongs to another place of the Questionnaire" : "the Questionnaire has no item with this linkId")
            }
            if place < last { run.add(.responseItem, "the item comes before others in the Questionnaire") }
            last = max(last, place)
            groups[id, default: []].append((item, index))
        }
        for item in wanted { check(item, found: groups[item.linkID] ?? [], name: name, parents: parents) }
    }

    private func check(_ item: QuestionnaireForm.Item, found: [(FHIRObject, Int)], name: String, parents: [FHIRObject]) {
        let isEnabled = conditions.isEnabled(item, from: parents)
        if isEnabled == nil, !found.isEmpty || item.isRequired {
            // An answer is allowed and, where it is required, missed.
            run.add(
                .responseEnabled, "whether the item \(item.linkID) is enabled could not be decided", .information, undecided: .outside)
        }
        if found.isEmpty {
            if item.isRequired, isEnabled != false, item.type != "display" { missing(item) }
            return
        }
        if isEnabled == false, item.type != "display" {
            for (object, index) in found where hasAnswer(object) {
                run.at(name, index) { run.add(.responseEnabled, "the item is answered, although it is not enabled") }
            }
        }
        if found.count > 1, !(item.type == "group" && item.repeats) {
            run.add(.responseItem, "the item \(item.linkID) may occur once, and occurs \(found.count) times")
        }
        for (object, index) in found { run.at(name, index) { check(object, item, isEnabled: isEnabled, parents: parents) } }
    }

    private func check(_ object: FHIRObject, _ item: QuestionnaireForm.Item, isEnabled: Bool?, parents: [FHIRObject]) {
        if let definition = object.text("definition"), let own = item.object.text("definition"), definition != own {
            run.add(.responseItem, "the definition of the item is not that in the Questionnaire", .warning)
        }
        if let text = object.text("text"), let own = item.object.text("text"), text != own {
            run.add(.responseItem, "the text of the item is not that in the Questionnaire", .warning)
        }
        let answers = object.children("answer")
        switch item.type {
        case "group":
            if !answers.isEmpty { return run.add(.responseItem, "a group has no answers") }
            if item.isRequired, isEnabled != false, object.children("item").isEmpty { missing(item) }
            check(item.items, in: object, "item", parents: [object] + parents)
        case "display":
            if !answers.isEmpty || !object.children("item").isEmpty {
                run.add(.responseItem, "a text for display has neither answers nor items")
            }
        default:
            if item.type == "question", !answers.isEmpty {
                return run.add(.responseItem, "an item of the abstract type question has no answers")
            }
            if answers.isEmpty, item.isRequired, isEnabled != false { missing(item) }
            if !object.children("item").isEmpty, object.layout.element(named: "item") != nil {
                run.add(.responseItem, "the items of a question stand below its answers")
            }
            if answers.count > 1, !item.repeats { run.add(.responseAnswer, "the question has one answer, and this has \(answers.count)") }
            AnswerCheck(self, item).check(object, answers)
            run.forEach("answer", of: object) { answer, _ in
                check(item.items, in: answer, "item", parents: [answer, object] + parents)
            }
        }
    }

    private func missing(_ item: QuestionnaireForm.Item) {
        run.add(.responseRequired, "the required item \(item.linkID) has no answer", isOpen ? .warning : .error)
    }

    private func hasAnswer(_ object: FHIRObject) -> Bool {
        !object.children("answer").isEmpty || object.children("item").contains { hasAnswer($0) }
    }
}

/// Whether items are enabled (FHIR, Questionnaire, enableWhen).
struct EnableConditions {
    private let run: ValidationRun
    private let form: QuestionnaireForm
    private let response: FHIRResource

    init(_ run: ValidationRun, _ form: QuestionnaireForm, _ response: FHIRResource) {
        (self.run, self.form, self.response) = (run, form, response)
    }

    /// Whether an item is enabled; nil if that cannot be said.
    ///
    /// - Parameter parents: the items and answers around the place, the nearest first, then the response.
    func isEnabled(_ item: QuestionnaireForm.Item, from parents: [FHIRObject]) -> Bool? {
        isEnabled(item, from: parents, depth: 0)
    }

    private func isEnabled(_ item: QuestionnaireForm.Item, from parents: [FHIRObject], depth: Int) -> Bool? {
        guard depth < 64 else { return nil }
        let conditions = item.object.children("enableWhen")
        // An expression in a language of SDC's is not evaluated.
        if item.object.children("extension").contains(where: { $0.text("url")?.hasSuffix("enableWhenExpression") ?? false }) { return nil }
        guard !conditions.isEmpty else { return true }
        let results = conditions.map { isMet($0, parents) }
        if item.object.text("enableBehavior") == "any" || conditions.count > 1 && item.object.text("enableBehavior") == nil && !isAll {
            if results.contains(true) { return true }
            return results.contains { $0 == nil } ? nil : false
        }
        if results.contains(false) { return false }
        return results.contains { $0 == nil } ? nil : true
    }

    /// Before R4 one condition is enough.
    private var isAll: Bool {
        form.questionnaire.layout.release.layout(named: "Questionnaire.item")?.element(named: "enableBehavior") != nil
    }

    private func isMet(_ condition: FHIRObject, _ parents: [FHIRObject]) -> Bool? {
        guard let question = condition.text("question") else { return nil }
        let answers = answers(to: question, from: parents)
        let operation = condition.text("operator") ?? (condition.values(named: "hasAnswer").isEmpty ? "=" : "exists")
        let expected = condition.choice("answer") ?? condition.values(named: "hasAnswer").first
        if operation == "exists" { return answers.isEmpty != (expected?.text == "true") }
        guard let expected else { return nil }
        if answers.isEmpty { return false }
        var isUnknown = false
        for answer in answers {
            switch Self.compare(answer, expected, operation) {
            case true?: return true
            case nil: isUnknown = true
            case false?: continue
            }
        }
        return isUnknown ? nil : false
    }

    private static func compare(_ answer: ElementValue, _ expected: ElementValue, _ operation: String) -> Bool? {
        if operation == "=" || operation == "!=" {
            let isSame = isSame(answer, expected)
            return operation == "=" ? isSame : !isSame
        }
        guard let order = RangeCheck.order(answer.item, FHIRPathValue(expected.item)) else { return nil }
        switch operation {
        case ">": return order == .above
        case "<": return order == .below
        case ">=": return order != .below
        case "<=": return order != .above
        default: return nil
        }
    }

    static func isSame(_ first: ElementValue, _ second: ElementValue) -> Bool {
        if let left = first.object, let right = second.object, left.layout.name == "Coding", right.layout.name == "Coding" {
            return left.text("code") == right.text("code") && (left.text("system") == right.text("system") || right.text("system") == nil)
        }
        var context = FHIRPathContext()
        context.variables["other"] = [FHIRPathValue(second.item)]
        let results = try? FHIRPath("$this ~ %other", options: .definitions).evaluate(on: [FHIRPathValue(first.item)], context: context)
        return results?.first?.bool ?? false
    }

    /// The answers to a question that are nearest to a place.
    private func answers(to linkID: String, from parents: [FHIRObject]) -> [ElementValue] {
        for parent in parents {
            let found = Self.find(linkID, in: parent)
            if !found.isEmpty { return found.flatMap { $0.children("answer") }.compactMap { $0.choice("value") } }
        }
        return []
    }

    private static func find(_ linkID: String, in object: FHIRObject) -> [FHIRObject] {
        var found: [FHIRObject] = []
        if object.text("linkId") == linkID { found.append(object) }
        for item in object.children("item") { found += find(linkID, in: item) }
        for answer in object.children("answer") { found += find(linkID, in: answer) }
        return found
    }
}
