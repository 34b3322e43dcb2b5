import FireLiteCore

/// What is known of a collection before evaluation, for modules that build on expressions.
package struct ExpressionType {
    let type: StaticType

    /// Objects of a class.
    package static func object(_ layout: Layout) -> ExpressionType { ExpressionType(type: .layout(layout)) }

    /// A primitive of FHIR.
    package static func primitive(_ type: PrimitiveType) -> ExpressionType {
        ExpressionType(type: StaticType(elements: [.primitive(type)]))
    }

    /// Nothing is known.
    package static let unknown = ExpressionType(type: .unknown)

    /// An integer of FHIRPath's own.
    package static let integer = ExpressionType(type: .system("Integer"))

    /// The names of the types that items may have; nil if they are not known.
    package var names: [String]? { type.elements.map { $0.map(\.name) } }

    /// Whether there may be a truth value among the items.
    package var mayBeBoolean: Bool {
        !type.isSurely { element in
            guard let name = element.systemName else { return true }
            return name != "Boolean" && name != "Any"
        }
    }
}

extension FHIRPath {
    /// Checks the expression against a model, and returns what is known of its results.
    ///
    /// - Parameters:
    ///   - input: what it is evaluated on.
    ///   - release: the release whose types it names.
    ///   - variables: the variables that will be given.
    /// - Throws: `FHIRPathError` with code `semantic`.
    package func resultType(
        on input: ExpressionType, release: FHIRRelease, variables: [String: ExpressionType]
    ) throws -> ExpressionType {
        var checker = Checker(
            release: release, options: options, root: input.type, this: input.type, variables: variables.map { ($0, $1.type) })
        do {
            return ExpressionType(type: try checker.type(of: syntax, on: input.type, isFirst: true))
        } catch let error as FHIRPathError {
            throw error.located(in: text)
        }
    }
}
