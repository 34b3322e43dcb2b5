extension Evaluator {
    private func test(_ type: TypeName, at position: Int) throws -> ItemType {
        guard ItemType.isKnown(type, in: release) else {
            throw FHIRPathError(.execution, "there is no type \(type.name)\(ItemType.hint(for: type, in: release))", at: position)
        }
        return ItemType(name: type, isLenient: options.isLenient)
    }

    func isType(_ items: [Item], _ type: TypeName, at position: Int) throws -> Bool? {
        let test = try test(type, at: position)
        guard items.count <= 1 else { throw FHIRPathError(.execution, "'is' needs one value, found \(items.count)", at: position) }
        return items.first.map { test.matches($0, isExact: false) }
    }

    func cast(_ items: [Item], to type: TypeName, at position: Int) throws -> [Item] {
        let test = try test(type, at: position)
        guard items.count <= 1 || options.isLenient else {
            throw FHIRPathError(.execution, "'as' needs one value, found \(items.count): use ofType(\(type.name))", at: position)
        }
        return items.filter { test.matches($0, isExact: true) }
    }

    func filter(_ items: [Item], ofType type: TypeName, at position: Int) throws -> [Item] {
        let test = try test(type, at: position)
        return items.filter { test.matches($0, isExact: true) }
    }
}
