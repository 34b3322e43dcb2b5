import FireLite
import FireLiteCore

extension ElementPath {
    /// `$0` of a query, to look at paths outside of one.
    static var root: ElementPath<Object> { ElementPath<Object>(QueryPath()) }
}
