import FireLiteCore

/// A terminology that an app provides for `memberOf`, `subsumes` and `%terminologies`.
public protocol FHIRPathTerminology {
    /// Whether a code, Coding or CodeableConcept is in a value set; nil if that is not known.
    ///
    /// - Parameters:
    ///   - coded: the code.
    ///   - valueSet: the canonical URL of the value set.
    /// - Throws: what the terminology throws; the evaluation ends with it.
    func isMember(_ coded: FHIRPathValue, of valueSet: String) throws -> Bool?

    /// Whether the first code is the second one or more general; nil if that is not known.
    ///
    /// - Parameters:
    ///   - general: the more general code or Coding.
    ///   - special: the more special one.
    /// - Throws: what the terminology throws.
    func subsumes(_ general: FHIRPathValue, _ special: FHIRPathValue) throws -> Bool?

    /// The result of an operation of `%terminologies`: a ValueSet of `expand`, else Parameters; nil if there is none.
    ///
    /// - Parameters:
    ///   - operation: `expand`, `lookup`, `validateVS`, `validateCS`, `subsumes` or `translate`.
    ///   - arguments: the arguments, as FHIR lists them for the operation.
    /// - Throws: what the terminology throws.
    func perform(_ operation: String, _ arguments: [[FHIRPathValue]]) throws -> FHIRResource?
}

extension FHIRPathTerminology {
    /// Unknown, unless the terminology says more.
    ///
    /// - Parameters:
    ///   - general: the more general code or Coding.
    ///   - special: the more special one.
    public func subsumes(_ general: FHIRPathValue, _ special: FHIRPathValue) throws -> Bool? { nil }

    /// Nothing, unless the terminology has operations.
    public func perform(_ operation: String, _ arguments: [[FHIRPathValue]]) throws -> FHIRResource? { nil }
}
