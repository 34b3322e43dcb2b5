/// Keys of the template for the test of a resource class.
enum UnitTestContext {
    static func context(_ named: NamedClass) -> TemplateContext {
        ["name": .text(named.name), "path": .text(named.path)]
    }
}
