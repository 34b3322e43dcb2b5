import TestSupport

@testable import FireLiteFHIRPath

/// Random expressions, for reading them back.
enum RandomSyntax {
    private static let names = ["name", "given", "and", "a b", "Patient", "div", "contains", "is", "days", "x1", "`", "true"]
    private static let texts = ["", "a", "it's", "tab\t", "\\", "é", "\"", "`", "line\nline"]

    static func expression(_ depth: Int, _ random: inout SeededGenerator) -> Syntax {
        if depth == 0 { return term(&random) }
        func inner() -> Syntax { expression(depth - 1, &random) }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let operation = PathOperator.allCases[Int.random(in: 0..<PathOperator.allCases.count, using: &random)]
            return Syntax(.binary(operation, inner(), inner()), 0)
        case 2: return Syntax(.sign(isNegative: Bool.random(using: &random), inner()), 0)
        case 3: return Syntax(.indexer(inner(), inner()), 0)
        case 4:
            let type = TypeName(namespace: Bool.random(using: &random) ? "FHIR" : nil, name: pick(names, &random))
            let operand = inner()
            return Syntax(Bool.random(using: &random) ? .isType(operand, type) : .asType(operand, type), 0)
        case 5, 6:
            let left = inner()
            let right =
                Bool.random(using: &random)
                ? Syntax(.member(pick(names, &random)), 0) : Syntax(.function(pick(names, &random), [inner(), inner()]), 0)
            return Syntax(.invocation(left, right), 0)
        case 7: return Syntax(.function(pick(names, &random), [inner()]), 0)
        default: return term(&random)
        }
    }

    private static func pick<Element>(_ list: [Element], _ random: inout SeededGenerator) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    private static func term(_ random: inout SeededGenerator) -> Syntax {
        let decimal = PathDecimal("\(Int.random(in: 0...999, using: &random)).\(Int.random(in: 0...99, using: &random))") ?? PathDecimal(0)
        let forms: [Syntax.Form] = [
            .empty, .boolean(true), .string(pick(texts, &random)), .integer(Int64.random(in: 0...1_000, using: &random)),
            .long(Int64.random(in: 0...Int64.max, using: &random)), .decimal(decimal), .variable(pick(names, &random)), .this, .index,
            .total,
            .member(pick(names, &random)), .quantity(PathQuantity(value: decimal, unit: .calendar(.week))),
            .quantity(PathQuantity(value: decimal, unit: .code(pick(texts, &random)))),
        ]
        return Syntax(pick(forms, &random), 0)
    }
}
