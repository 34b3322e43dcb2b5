import FireLiteCore

/// A FHIRPath expression, read and compiled once, for objects of any release.
///
/// ```swift
/// let path = try FHIRPath("name.where(use = 'official').given.first()")
/// let given = try path.strings(on: patient)
/// ```
/// The last 500 expressions are cached.
public struct FHIRPath: Sendable {
    /// The text of the expression.
    public let text: String
    /// How it is read and checked.
    public let options: FHIRPathOptions
    let program: Program

    /// Reads an expression.
    ///
    /// - Parameters:
    ///   - text: the expression.
    ///   - options: how it is read and checked.
    /// - Throws: `FHIRPathError` with code `syntax`; `semantic` for an unknown function; `limit` for a text that is too long or too deep.
    public init(_ text: String, options: FHIRPathOptions = FHIRPathOptions()) throws {
        self.text = text
        self.options = options
        program = try ProgramCache.program(text, options)
    }

    /// The syntax of the expression.
    package var syntax: Syntax { program.syntax }

    // MARK: - Evaluation

    /// Evaluates the expression on an object.
    ///
    /// - Parameters:
    ///   - object: a resource or element.
    ///   - context: variables, references, terminology; none by default.
    /// - Returns: the results in their order; empty if there are none.
    /// - Throws: `FHIRPathError` with code `semantic` if the expression does not fit the object's class, `execution` if a rule of FHIRPath
    ///   is broken, `limit` if it takes too many steps; and errors of the context's functions.
    public func evaluate(on object: FHIRObject, context: FHIRPathContext? = nil) throws -> [FHIRPathValue] {
        try program.run([.object(object)], context) { try $0.evaluate($1, $2).map { FHIRPathValue($0) } }
    }

    /// Evaluates the expression on values, or on nothing: `1 + 1`, or a further step on earlier results.
    ///
    /// - Parameters:
    ///   - values: the values; none by default.
    ///   - context: variables, references, terminology; none by default.
    /// - Returns: the results in their order.
    /// - Throws: `FHIRPathError` as on an object.
    public func evaluate(on values: [FHIRPathValue] = [], context: FHIRPathContext? = nil) throws -> [FHIRPathValue] {
        try program.run(values.map(\.item), context) { try $0.evaluate($1, $2).map { FHIRPathValue($0) } }
    }

    /// Whether there is any result.
    ///
    /// - Parameters:
    ///   - object: a resource or element.
    ///   - context: variables, references, terminology; none by default.
    /// - Throws: `FHIRPathError` as `evaluate(on:context:)` does.
    public func exists(on object: FHIRObject, context: FHIRPathContext? = nil) throws -> Bool {
        try program.run([.object(object)], context) { try !$0.evaluate($1, $2).isEmpty }
    }

    /// The result as a truth value: nil if there is none; one that is not Boolean counts as true.
    ///
    /// - Parameters:
    ///   - object: a resource or element.
    ///   - context: variables, references, terminology; none by default.
    /// - Throws: `FHIRPathError` as `evaluate(on:context:)` does, also for several results.
    public func bool(on object: FHIRObject, context: FHIRPathContext? = nil) throws -> Bool? {
        try program.run([.object(object)], context) { try $0.truth($1, $2) }
    }

    /// The results as texts; objects, which have none, are left out.
    ///
    /// - Parameters:
    ///   - object: a resource or element.
    ///   - context: variables, references, terminology; none by default.
    /// - Throws: `FHIRPathError` as `evaluate(on:context:)` does.
    public func strings(on object: FHIRObject, context: FHIRPathContext? = nil) throws -> [String] {
        try program.run([.object(object)], context) { root, input, evaluator in
            let items = try root.evaluate(input, evaluator)
            guard items.count == 1 else { return items.compactMap(\.textValue) }
            return items[0].textValue.map { [$0] } ?? []
        }
    }

    // MARK: - Check

    /// Checks the expression against a class, as evaluation does.
    ///
    /// - Parameters:
    ///   - type: the class of objects to evaluate on.
    ///   - variables: the names of variables that evaluations will set.
    /// - Throws: `FHIRPathError` with code `semantic`.
    public func check(for type: FHIRObject.Type, variables: Set<String> = []) throws {
        do {
            try Checker.check(
                program.syntax, on: .layout(type._layout), release: type._layout.release, options: options, variables: variables)
        } catch let error as FHIRPathError {
            throw error.located(in: text)
        }
    }
}

extension FHIRPath: Hashable, CustomStringConvertible {
    /// Whether both have the same text, byte by byte, and options.
    public static func == (left: FHIRPath, right: FHIRPath) -> Bool {
        left.text.hasSameBytes(as: right.text) && left.options == right.options
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The text of the expression.
    public var description: String { text }
}
