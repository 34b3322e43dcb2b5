/// Keys of the template for the test of a resource class.
enum UnitTestContext {
    static func context(_ named: NamedClass, testName: String) -> TemplateContext {
        ["test": .text(testName), "name": .text(named.name), "path": .text(named.path)]
    }
}
