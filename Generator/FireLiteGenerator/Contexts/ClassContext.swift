/// Keys of the template for the classes of a type.
enum ClassContext {
    static func context(_ type: NamedType, in release: NamedRelease) -> TemplateContext {
        [
            "group": .text(type.groupName),
            "paths": .text(type.classes.map(\.path).joined(separator: " ")),
            "classes": .list(type.classes.map { context($0, in: release) }),
            "choices": .list(type.classes.flatMap(\.choices).map(ChoiceContext.context)),
        ]
    }

    private static func context(_ named: NamedClass, in release: NamedRelease) -> TemplateContext {
        [
            "name": .text(named.name),
            "path": .text(named.path),
            "url": .text(named.url),
            "base": .text(named.baseName),
            "kind": .text(named.isAbstract ? "abstract" : named.kind.rawValue),
            "isResource": .flag(named.kind == .resource),
            "isDatatype": .flag(named.kind == .datatype),
            "isBackbone": .flag(named.kind == .backbone),
            "isAbstract": .flag(named.isAbstract),
            "isFinal": .flag(named.isFinal),
            "isRoot": .flag(named.isRoot),
            "layout": .text(named.layoutName),
            "elements": .list(named.elements.map { ElementContext.context($0) }),
        ]
    }
}
