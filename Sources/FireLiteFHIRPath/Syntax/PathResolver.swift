/// Follows the paths of an expression, for what is made of expressions instead of evaluating them: the paths of search parameters, the SQL of views.
///
/// Each form is read here, once, with the table of functions. What a step leads to over the layouts is for those who conform to say.
package protocol PathResolver {
    /// Where a path has led.
    associatedtype Place
    /// What `$this` is.
    associatedtype Focus

    /// The elements of `$this`.
    func this(_ focus: Focus) throws -> Place
    /// The elements of a name; at the beginning it can be that of the type.
    func member(_ name: String, of place: Place, isFirst: Bool) throws -> Place
    /// The item at a position, from 0.
    func item(_ position: Syntax, of place: Place) throws -> Place
    /// The first item.
    func first(of place: Place) throws -> Place
    /// Only what is of a type.
    ///
    /// - Parameter isCast: whether there may be one item at most, as for `as`.
    func narrowed(_ place: Place, to type: TypeName, isCast: Bool) throws -> Place
    /// Whether what is there is of a type.
    func isType(_ type: TypeName, _ place: Place) throws -> Place
    /// Only items that meet a condition.
    func filtered(_ place: Place, by condition: Syntax) throws -> Place
    /// The extensions with a URL.
    func extensions(_ url: Syntax, of place: Place, _ focus: Focus) throws -> Place
    /// The items of both, those of the first before those of the second.
    func union(_ left: Place, _ right: Place) throws -> Place
    /// What an expression that is no path gives.
    func value(_ syntax: Syntax, on place: Place, _ focus: Focus) throws -> Place
}

extension PathResolver {
    /// Where an expression leads.
    ///
    /// - Parameters:
    ///   - place: where it begins.
    ///   - isFirst: whether nothing stands before it.
    package func resolve(_ syntax: Syntax, _ focus: Focus, on place: Place, isFirst: Bool = true) throws -> Place {
        func left(_ operand: Syntax) throws -> Place { try resolve(operand, focus, on: place, isFirst: isFirst) }
        switch syntax.form {
        case .this: return try this(focus)
        case .member(let name): return try member(name, of: place, isFirst: isFirst)
        case .invocation(let before, let after): return try resolve(after, focus, on: left(before), isFirst: false)
        case .indexer(let operand, let index): return try item(index, of: left(operand))
        case .asType(let operand, let type): return try narrowed(left(operand), to: type, isCast: true)
        case .isType(let operand, let type): return try isType(type, left(operand))
        case .binary(.union, let one, let two): return try union(left(one), left(two))
        case .function(let name, let arguments):
            guard let function = Function.named(name), function.counts.contains(arguments.count) else { break }
            switch (function.sql, arguments.first) {
            case (.filter?, let condition?): return try filtered(place, by: condition)
            case (.first?, _): return try first(of: place)
            case (.extensions?, let url?): return try extensions(url, of: place, focus)
            case (.ofType?, let argument?), (.cast?, let argument?), (.typeTest?, let argument?):
                guard let type = argument.typeName else { break }
                if function.sql == .typeTest { return try isType(type, place) }
                return try narrowed(place, to: type, isCast: function.sql == .cast)
            default: break
            }
        default: break
        }
        return try value(syntax, on: place, focus)
    }
}
