/// `%name`
final class VariableNode: Node, @unchecked Sendable {
    let name: String

    init(_ name: String, _ position: Int) {
        self.name = name
        super.init(position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] { try evaluator.variable(name, at: position) }
}
