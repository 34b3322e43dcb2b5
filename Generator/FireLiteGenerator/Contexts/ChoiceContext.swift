/// Keys of the template for the enum of a choice element.
enum ChoiceContext {
    static func context(_ choice: NamedChoice) -> TemplateContext {
        let cases = choice.cases.enumerated().map { index, value in
            [
                "name": .text(SwiftName.escaped(value.name)), "typeName": .text(value.typeName),
                "type": .text(value.swiftType), "index": .number(index), "slot": .text(index == 0 ? "first" : "first + \(index)"),
            ].merging(AccessorContext.context(value.accessor, isList: false)) { own, _ in own } as TemplateContext
        }
        return [
            "name": .text(choice.name),
            "paths": .list(choice.paths.map { ["path": .text($0)] }),
            "count": .number(choice.cases.count),
            "isSendable": .flag(choice.isSendable),
            "cases": .list(cases),
        ]
    }
}
