/// Keys for the runtime's functions behind a property.
enum AccessorContext {
    static func context(_ accessor: Accessor, isList: Bool) -> TemplateContext {
        let name = accessor.rawValue + (isList ? "s" : "")
        return ["getter": .text("_" + name), "setter": .text("_set" + SwiftName.capitalized(name))]
    }
}
