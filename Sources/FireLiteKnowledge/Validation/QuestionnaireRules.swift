import FireLiteCore
import FireLiteFHIRPath

/// Rules for Questionnaires beside the constraints que-1 to que-13 (FHIR, Questionnaire).
struct QuestionnaireRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ questionnaire: FHIRResource) {
        let form = QuestionnaireForm(questionnaire)
        var seen: Set<String> = []
        checkItems(of: questionnaire, form, &seen)
    }

    private func checkItems(of object: FHIRObject, _ form: QuestionnaireForm, _ seen: inout Set<String>) {
        var known = seen
        run.forEach("item", of: object) { item, _ in
            if let id = item.text("linkId"), !known.insert(id).inserted {
                run.at("linkId") { run.add(.questionnaire, "another item has the same linkId") }
            }
            checkConditions(of: item, form)
            checkAnswers(of: item)
            checkRange(of: item)
            checkItems(of: item, form, &known)
        }
        seen = known
    }

    private func checkConditions(of item: FHIRObject, _ form: QuestionnaireForm) {
        // The constraint que-12 counts from three on, its words from two on.
        if item.children("enableWhen").count > 1, item.layout.element(named: "enableBehavior") != nil, item.text("enableBehavior") == nil {
            run.add(.questionnaire, "with several conditions, enableBehavior must say whether one of them is enough")
        }
        run.forEach("enableWhen", of: item) { condition, _ in
            guard let question = condition.text("question") else { return }
            guard let target = form.item(question) else {
                return run.at("question") { run.add(.questionnaire, "there is no item with this linkId") }
            }
            if question == item.text("linkId") {
                return run.at("question") { run.add(.questionnaire, "an item cannot depend on its own answer") }
            }
            if target.type == "group" || target.type == "display" {
                return run.at("question") { run.add(.questionnaire, "refers to an item that has no answers", .warning) }
            }
            guard condition.text("operator") != "exists", let answer = condition.choice("answer") else { return }
            let types = AnswerTypes.allowed(for: target.type)
            if !types.isEmpty, !types.contains(answer.type) {
                run.at(answer) { run.add(.questionnaire, "the question has answers of another type", .warning) }
            }
        }
    }

    private func checkAnswers(of item: FHIRObject) {
        guard let type = item.text("type") else { return }
        let types = AnswerTypes.allowed(for: type)
        run.forEach("initial", of: item) { initial, _ in
            guard let value = initial.choice("value"), !types.isEmpty, !types.contains(value.type) else { return }
            run.at(value) { run.add(.questionnaire, "an initial value of an item of the type \(type) cannot be of the type \(value.type)") }
        }
        let optionTypes = types.union(type == "choice" || type == "open-choice" ? AnswerTypes.options : [])
        run.forEach("answerOption", of: item) { option, _ in
            guard let value = option.choice("value"), !optionTypes.isEmpty, !optionTypes.contains(value.type) else { return }
            run.at(value) { run.add(.questionnaire, "an option of an item of the type \(type) cannot be of the type \(value.type)") }
        }
    }

    private func checkRange(of item: FHIRObject) {
        let base = Knowledge.base
        guard let low = item.extensionValue(base + "minValue"), let high = item.extensionValue(base + "maxValue"),
            RangeCheck.order(low.item, FHIRPathValue(high.item)) == .above
        else { return }
        run.add(.questionnaire, "the minimum of the item is more than its maximum")
    }
}

/// The items of a Questionnaire by their linkIds.
final class QuestionnaireForm {
    /// An item with what the rules for answers ask for.
    final class Item {
        let object: FHIRObject
        let linkID: String
        let type: String
        let items: [Item]
        let isRequired: Bool
        let repeats: Bool
        weak var parent: Item?

        init(_ object: FHIRObject) {
            self.object = object
            linkID = object.text("linkId") ?? ""
            type = object.text("type") ?? ""
            items = object.children("item").map { Item($0) }
            isRequired = object.text("required") == "true" || object.flag("required")
            repeats = object.flag("repeats")
            for item in items { item.parent = self }
        }
    }

    let questionnaire: FHIRResource
    let items: [Item]
    private var byID: [String: Item] = [:]

    init(_ questionnaire: FHIRResource) {
        self.questionnaire = questionnaire
        items = questionnaire.children("item").map { Item($0) }
        add(items)
    }

    private func add(_ items: [Item]) {
        for item in items {
            if byID[item.linkID] == nil { byID[item.linkID] = item }
            add(item.items)
        }
    }

    func item(_ linkID: String) -> Item? { byID[linkID] }
}

extension FHIRObject {
    /// The value of a to-one boolean; false without one.
    func flag(_ name: String) -> Bool { values(named: name).first?.text == "true" }
}

/// The types of values that answer the types of items (FHIR, Questionnaire, item types).
enum AnswerTypes {
    static let options: Set<String> = ["integer", "date", "time", "string", "Coding", "Reference"]

    /// The types of answers; empty for items that have none, or of an unknown type.
    static func allowed(for type: String) -> Set<String> {
        switch type {
        case "boolean", "decimal", "integer", "date", "dateTime", "time", "string": [type]
        case "text": ["string"]
        case "url": ["uri"]
        case "choice", "coding", "question": ["Coding"]
        case "open-choice": ["Coding", "string"]
        case "attachment": ["Attachment"]
        case "reference": ["Reference"]
        case "quantity": ["Quantity"]
        default: []
        }
    }
}
