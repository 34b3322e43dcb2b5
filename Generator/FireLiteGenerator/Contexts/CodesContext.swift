/// Keys of the template for a struct of codes.
enum CodesContext {
    static func context(_ codes: NamedCodes) -> TemplateContext {
        // Codes have single spaces inside at most; where one has any, a line feed separates them.
        let separator = codes.valueSet.codes.contains { $0.contains(" ") } ? "\n" : " "
        return [
            "name": .text(codes.name),
            "valueSet": .text(codes.valueSet.url),
            "separator": .text(separator == " " ? "spaces" : "line feeds"),
            "codes": .text(SwiftLiteral.string(codes.valueSet.codes.joined(separator: separator))),
            "members": .list(
                codes.members.map { member in
                    [
                        "name": .text(SwiftName.escaped(member.name)), "code": .text(member.code),
                        "literal": .text(SwiftLiteral.string(member.code)),
                    ]
                }),
        ]
    }
}
