/// How the rows of a view are made.
package enum ViewBackEnd: Sendable {
    /// By one SQL statement if it can be one, else from objects.
    case automatic
    /// By one SQL statement; an error if it cannot be one.
    case sql
    /// From objects, by FHIRPath.
    case objects
}
