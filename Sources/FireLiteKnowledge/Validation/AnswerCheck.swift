import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Checks the answers to one question: their type, options, number and range.
struct AnswerCheck {
    private let walk: ResponseWalk
    private let item: QuestionnaireForm.Item
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"

    init(_ walk: ResponseWalk, _ item: QuestionnaireForm.Item) { (self.walk, self.item) = (walk, item) }

    private var run: ValidationRun { walk.run }

    func check(_ object: FHIRObject, _ answers: [FHIRObject]) {
        checkNumber(answers.count)
        run.forEach("answer", of: object) { answer, _ in
            guard let value = answer.choice("value") else { return }
            run.at(value) { check(value) }
        }
        checkExclusive(object, answers)
    }

    private func limit(_ names: String...) -> ElementValue? {
        for name in names {
            for base in [Knowledge.base, Self.sdc] {
                if let value = item.object.extensionValue(base + name) { return value }
            }
        }
        return nil
    }

    private func add(_ message: String, _ severity: ValidationIssue.Severity = .error) { run.add(.responseAnswer, message, severity) }

    // MARK: - Number

    private func checkNumber(_ count: Int) {
        if let min = limit("questionnaire-minOccurs")?.text.flatMap(Int.init), count < min {
            add("the question needs \(min) answers, has \(count)")
        }
        if let max = limit("questionnaire-maxOccurs")?.text.flatMap(Int.init), count > max {
            add("the question may have \(max) answers, has \(count)")
        }
    }

    // MARK: - Type

    private func check(_ value: ElementValue) {
        var types = AnswerTypes.allowed(for: item.type)
        let options = item.object.children("answerOption").compactMap { $0.choice("value") }
        if item.type == "choice" || item.type == "open-choice" {
            // Options may be of other types, and the answer is one of them.
            types.formUnion(options.map(\.type))
            if options.isEmpty, item.object.text("answerValueSet") == nil, item.object.child("options") == nil {
                types.formUnion(AnswerTypes.options)
            }
        }
        guard types.isEmpty || types.contains(value.type) else {
            return add("the answer is of the type \(value.type), and the question asks for \(types.sorted().joined(separator: " or "))")
        }
        checkOptions(value, options)
        checkRange(value)
        switch value.type {
        case "string", "uri": checkText(value)
        case "decimal": checkPlaces(value)
        case "Attachment": checkAttachment(value)
        case "Reference": checkReference(value)
        case "Quantity": checkUnit(value)
        default: break
        }
    }

    // MARK: - Options

    private func checkOptions(_ value: ElementValue, _ options: [ElementValue]) {
        let isOpenText = item.type == "open-choice" && value.type == "string"
        if !options.isEmpty {
            if isOpenText { return }
            if !options.contains(where: { isOption($0, value) }) { add("the answer is not one of the options") }
            return
        }
        guard let url = item.object.text("answerValueSet") ?? item.object.child("options")?.text("reference"), !isOpenText else { return }
        let membership: CodeMembership
        if url.hasPrefix("#") {
            let id = String(url.dropFirst())
            guard let set = contained(id) else { return }
            membership = local(value, JSONItem.of(set))
        } else if value.type == "string" || value.type == "Coding" {
            membership = BindingCheck.membership(of: value, in: Canonical(url), run)
        } else {
            return
        }
        switch membership {
        case .member: return
        case .notMember: add("the answer is not in the value set of the question")
        case .unknown:
            run.add(
                .unknownValueSet, "whether the answer is in \(url) is not known: add the package with the value set", .warning,
                undecided: .code)
        }
    }

    private func contained(_ id: String) -> FHIRResource? {
        let container = walk.form.questionnaire.containerResource ?? walk.form.questionnaire
        return (walk.form.questionnaire.containedResources + container.containedResources).first { $0.id == id }
    }

    private func local(_ value: ElementValue, _ json: JSONItem?) -> CodeMembership {
        guard let json else { return .unknown }
        let members = run.knowledge.codes.members(of: json)
        let questions = value.object.map { CodeQuestion.all(in: $0) } ?? value.text.map { [CodeQuestion(code: $0)] } ?? []
        for question in questions {
            let isThere = members.codes.contains { $0.code == question.code && (question.system == nil || question.system == $0.system) }
            if isThere { return .member }
        }
        if members.isOpen || !members.openSystems.isEmpty { return .unknown }
        return .notMember
    }

    private func isOption(_ option: ElementValue, _ value: ElementValue) -> Bool {
        if let first = option.object, let second = value.object, first.layout.name == "Reference", second.layout.name == "Reference" {
            return first.text("reference") == second.text("reference")
        }
        if let first = option.object, let second = value.object, first.layout.name == "Coding", second.layout.name == "Coding" {
            return first.text("code") == second.text("code") && first.text("system") == second.text("system")
        }
        return option.type == value.type && EnableConditions.isSame(option, value)
    }

    private func checkExclusive(_ object: FHIRObject, _ answers: [FHIRObject]) {
        guard answers.count > 1 else { return }
        let options = item.object.children("answerOption").filter {
            $0.extensionValue(Knowledge.base + "questionnaire-optionExclusive")?.text == "true"
        }.compactMap { $0.choice("value") }
        guard !options.isEmpty else { return }
        run.forEach("answer", of: object) { answer, _ in
            guard let value = answer.choice("value"), options.contains(where: { isOption($0, value) }) else { return }
            add("the option excludes all other answers")
        }
    }

    // MARK: - Values

    private func checkRange(_ value: ElementValue) {
        let isQuantity = value.type == "Quantity"
        let low = isQuantity ? limit("sdc-questionnaire-minQuantity", "minValue") : limit("minValue")
        let high = isQuantity ? limit("sdc-questionnaire-maxQuantity", "maxValue") : limit("maxValue")
        for (bound, isLow) in [(low, true), (high, false)] {
            guard let bound else { continue }
            if isQuantity, value.object?.text("code") == nil || bound.object?.text("code") == nil {
                add("without a code for the unit the answer cannot be compared with the limit")
                continue
            }
            let order = RangeCheck.order(value.item, FHIRPathValue(bound.item))
            if order == (isLow ? .below : .above) {
                add(isLow ? "the answer is less than the minimum" : "the answer is more than the maximum")
            } else if order == nil, isQuantity || ["date", "dateTime", "time"].contains(value.type) {
                compareRoughly(value, bound, isLow)
            } else if order == nil, value.text != nil {
                addUncompared()
            }
        }
    }

    /// Dates of different precision are compared by their beginnings; quantities without formal units cannot be compared.
    private func compareRoughly(_ value: ElementValue, _ bound: ElementValue, _ isLow: Bool) {
        if value.object != nil { return add("the unit of the answer cannot be converted to that of the limit") }
        guard let left = value.text, let right = bound.text else { return }
        let count = min(left.utf8.count, right.utf8.count)
        let (first, second) = (String(left.prefix(count)), String(right.prefix(count)))
        if isLow ? first < second : first > second {
            return add(isLow ? "the answer is less than the minimum" : "the answer is more than the maximum")
        }
        guard first == second else { return }
        if left.utf8.count < right.utf8.count { return addUncompared() }
        if !isLow, left.utf8.count > right.utf8.count { add("the answer is more than the maximum") }
    }

    private func addUncompared() {
        run.add(
            .undecidedConstraint, "the answer cannot be compared with a limit of the question: its precision or type differs", .warning,
            undecided: .rule)
    }

    private func checkText(_ value: ElementValue) {
        guard let text = value.text else { return }
        if let length = item.object.integer("maxLength"), text.unicodeScalars.count > length {
            add("the answer may have \(length) characters")
        }
        if let length = limit("minLength")?.text.flatMap(Int.init), text.unicodeScalars.count < length {
            add("the answer needs at least \(length) characters")
        }
        guard let pattern = limit("regex")?.text else { return }
        var context = FHIRPathContext()
        context.variables["pattern"] = [FHIRPathValue("^(?:\(pattern))$")]
        do {
            let results = try FHIRPath("$this.matches(%pattern)", options: .definitions).evaluate(
                on: [FHIRPathValue(value.item)], context: context)
            if results.first?.bool == false { add("the answer does not match the regular expression of the question") }
        } catch {
            run.add(
                .responseAnswer, "the regular expression of the question cannot be applied: \(error)", .warning, undecided: .rule)
        }
    }

    private func checkPlaces(_ value: ElementValue) {
        guard let limit = limit("maxDecimalPlaces")?.text.flatMap(Int.init), let text = value.text, let point = text.firstIndex(of: ".")
        else {
            return
        }
        let places = text[text.index(after: point)...].prefix { $0.isNumber }.count
        if places > limit { add("the answer may have \(limit) decimal places") }
    }

    private func checkAttachment(_ value: ElementValue) {
        guard let object = value.object else { return }
        let size = object.text("data").flatMap { AttachmentRules.size(ofBase64: $0) } ?? object.integer("size")
        if let limit = limit("maxSize")?.text.flatMap({ FHIRDecimal($0)?.doubleValue }), let size, Double(size) > limit {
            add("the attachment is larger than allowed")
        }
        let types = item.object.extensions(Knowledge.base + "mimeType").compactMap { $0.choice("value")?.text }
        guard !types.isEmpty else { return }
        guard let type = object.text("contentType") else { return add("the attachment does not state its media type") }
        let isAllowed = types.contains { allowed in
            allowed == type || allowed == "*/*" || allowed.hasSuffix("/*") && type.hasPrefix(allowed.dropLast())
        }
        if !isAllowed { add("the media type of the attachment is not one of those allowed") }
    }

    private func checkReference(_ value: ElementValue) {
        let text = value.object?.text("reference")
        let type = text.flatMap { ReferenceParts($0).type } ?? value.object?.text("type")
        if let text, let type, URLRules.isAbsolute(text) || ReferenceParts(text).form == .relative,
            !run.release.hasResourceType(named: type)
        {
            return add("the reference is to a type that FHIR does not have")
        }
        let allowed = item.object.extensions(Knowledge.base + "questionnaire-referenceResource").compactMap { $0.choice("value")?.text }
        if let type, !allowed.isEmpty, !allowed.contains(type) { add("the reference must be to \(allowed.joined(separator: ", "))") }
    }

    private func checkUnit(_ value: ElementValue) {
        let units = item.object.extensions(Knowledge.base + "questionnaire-unitOption").compactMap { $0.choice("value")?.object }
        guard let object = value.object, !units.isEmpty else { return }
        let isAllowed = units.contains { unit in
            if let code = object.text("code") { return unit.text("code") == code && (object.text("system") == unit.text("system")) }
            return object.text("unit") != nil && object.text("unit") == unit.text("display")
        }
        if !isAllowed { add("the unit of the answer is not one of those allowed") }
    }
}

extension JSONItem {
    /// The JSON tree of an object.
    static func of(_ object: FHIRObject) -> JSONItem? { try? JSONItemReader.read(FHIRJSON.data(object)) }
}
