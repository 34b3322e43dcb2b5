/// What type a function's results have.
indirect enum ResultRule: Sendable {
    case boolean, integer, decimal, string, date, dateTime, time, quantity
    /// The function is one of texts, with results of another rule.
    case ofString(ResultRule)
    /// The types of the input.
    case input
    /// The types of an argument.
    case argument(Int)
    /// The types of the input and of the first argument.
    case inputAndArgument
    /// The type that the argument names.
    case typed
    /// The types of the second and third argument.
    case alternatives
    /// A type of FHIR.
    case fhir(String)
    /// Anything, in no particular order.
    case unordered
    case unknown
}
