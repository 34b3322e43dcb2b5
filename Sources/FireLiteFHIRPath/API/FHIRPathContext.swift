import FireLiteCore
import Foundation

/// What an evaluation uses besides the object: variables, references, terminology. Everything is optional.
///
/// ```swift
/// var context = FHIRPathContext()
/// context.variables["limit"] = [FHIRPathValue(140)]
/// context.resolve = { reference in known[reference] }
/// ```
public struct FHIRPathContext {
    /// Variables by their names without `%`. They take precedence over `%resource` and the others that every evaluation has.
    public var variables: [String: [FHIRPathValue]] = [:]
    /// The resource that `%resource` names, if it is not the one around the object.
    public var resource: FHIRResource?
    /// The resource that `%rootResource` names, if it is not the one that contains `%resource`.
    public var rootResource: FHIRResource?
    /// The release whose types an expression without an object names.
    public var release: FHIRRelease?
    /// The moment of `now()`. Default: that of the evaluation.
    public var now: Date?
    /// The zone of `now()` and `today()`. Default: the machine's.
    public var timeZone: TimeZone {
        get { zone ?? .current }
        set { zone = newValue }
    }
    private var zone: TimeZone?
    /// Finds the resource of a reference for `resolve()`, by the text of `Reference.reference` or a canonical URL.
    ///
    /// Contained resources and those of the same Bundle are found without it.
    public var resolve: ((String) throws -> FHIRResource?)?
    /// The base addresses under which references are to resources that `getResourceKey()` gives the key of: `getReferenceKey()` is empty for
    /// references under others. For a store they are those of `FHIRStore.bases()`. Default: none, so only relative references have a key.
    public var bases: [String] = []
    /// The terminology of `memberOf`, `subsumes` and `%terminologies`.
    public var terminology: (any FHIRPathTerminology)?
    /// Whether an object conforms to a profile, for `conformsTo`; nil for one that is unknown. FHIR's own types are known without it.
    public var conforms: ((FHIRObject, String) throws -> Bool?)?
    /// The `ElementDefinition` of a value, for `elementDefinition()`.
    public var elementDefinition: ((FHIRPathValue) throws -> FHIRObject?)?
    /// Whether a value is in the slice of a profile, for `slice(profile, name)`.
    public var isInSlice: ((FHIRPathValue, _ profile: String, _ name: String) throws -> Bool)?
    /// Receives what `trace(name)` shows. The values are health data.
    public var trace: ((_ name: String, _ values: [FHIRPathValue]) -> Void)?

    /// Nothing.
    public init() {}
}
