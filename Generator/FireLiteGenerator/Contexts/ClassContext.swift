/// Keys of the template for the classes of a type.
enum ClassContext {
    static func context(_ type: NamedType, in release: NamedRelease, _ descriptions: Descriptions) -> TemplateContext {
        let own = SearchParameters.of(type, in: release)
        return [
            "name": .text(type.name),
            "type": .text(type.definition.name),
            "kind": .text(type.definition.kind.rawValue),
            "searchParameters": .list(own.map(FactContext.searchParameter)),
            "profile": .text(type.definition.profile),
            "group": .text(type.groupName),
            "paths": .text(type.classes.map(\.path).joined(separator: " ")),
            "classes": .list(type.classes.map { context($0, of: type, descriptions) }),
            "choices": .list(type.classes.flatMap(\.choices).map(ChoiceContext.context)),
        ]
    }

    private static func context(_ named: NamedClass, of type: NamedType, _ descriptions: Descriptions) -> TemplateContext {
        let constraints = named.kind == .backbone ? [] : type.definition.constraints
        return [
            "name": .text(named.name),
            "path": .text(named.path),
            "short": .text(descriptions[named.path]),
            "url": .text(named.url),
            "base": .text(named.superclassName),
            "instances": .text(named.instanceName),
            "replacement": .text(named.replacement),
            "constraints": .list(constraints.map { FactContext.constraint($0, named.path, descriptions) }),
            "kind": .text(named.isAbstract ? "abstract" : named.kind.rawValue),
            "isResource": .flag(named.kind == .resource),
            "isDatatype": .flag(named.kind == .datatype),
            "isBackbone": .flag(named.kind == .backbone),
            "isAbstract": .flag(named.isAbstract),
            "isFinal": .flag(named.isFinal),
            "isRoot": .flag(named.isRoot),
            "layout": .text(named.layoutName),
            "elements": .list(named.elements.map { ElementContext.context($0, descriptions) }),
        ]
    }
}
