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
    // Copied when it is changed: each evaluation gets the context, and most contexts are used by many.
    private var storage = FHIRPathContext.none

    /// Variables by their names without `%`. They take precedence over `%resource` and the others that every evaluation has.
    public var variables: [String: [FHIRPathValue]] {
        get { storage.variables }
        _modify {
            own()
            yield &storage.variables
        }
    }
    /// The resource that `%resource` names, if it is not the one around the object.
    public var resource: FHIRResource? {
        get { storage.resource }
        set { own().resource = newValue }
    }
    /// The resource that `%rootResource` names, if it is not the one that contains `%resource`.
    public var rootResource: FHIRResource? {
        get { storage.rootResource }
        set { own().rootResource = newValue }
    }
    /// The release whose types an expression without an object names.
    public var release: FHIRRelease? {
        get { storage.release }
        set { own().release = newValue }
    }
    /// The moment of `now()`. Default: that of the evaluation.
    public var now: Date? {
        get { storage.now }
        set { own().now = newValue }
    }
    /// The zone of `now()` and `today()`. Default: the machine's.
    public var timeZone: TimeZone {
        get { storage.zone ?? .current }
        set { own().zone = newValue }
    }
    /// Finds the resource of a reference for `resolve()`, by the text of `Reference.reference` or a canonical URL.
    ///
    /// Contained resources and those of the same Bundle are found without it.
    public var resolve: ((String) throws -> FHIRResource?)? {
        get { storage.resolve }
        set { own().resolve = newValue }
    }
    /// The base addresses under which references are to resources that `getResourceKey()` gives the key of: `getReferenceKey()` is empty for
    /// references under others. For a store they are those of `FHIRStore.bases()`. Default: none, so only relative references have a key.
    public var bases: [String] {
        get { storage.bases }
        set { own().bases = newValue }
    }
    /// The terminology of `memberOf`, `subsumes` and `%terminologies`.
    public var terminology: (any FHIRPathTerminology)? {
        get { storage.terminology }
        set { own().terminology = newValue }
    }
    /// Whether an object conforms to a profile, for `conformsTo`; nil for one that is unknown. FHIR's own types are known without it.
    public var conforms: ((FHIRObject, String) throws -> Bool?)? {
        get { storage.conforms }
        set { own().conforms = newValue }
    }
    /// The `ElementDefinition` of a value, for `elementDefinition()`.
    public var elementDefinition: ((FHIRPathValue) throws -> FHIRObject?)? {
        get { storage.elementDefinition }
        set { own().elementDefinition = newValue }
    }
    /// Whether a value is in the slice of a profile, for `slice(profile, name)`.
    public var isInSlice: ((FHIRPathValue, _ profile: String, _ name: String) throws -> Bool)? {
        get { storage.isInSlice }
        set { own().isInSlice = newValue }
    }
    /// Receives what `trace(name)` shows. The values are health data.
    public var trace: ((_ name: String, _ values: [FHIRPathValue]) -> Void)? {
        get { storage.trace }
        set { own().trace = newValue }
    }

    /// Called now and then while an evaluation takes long; what it throws ends the evaluation.
    package var interrupt: (() throws -> Void)? {
        get { storage.interrupt }
        set { own().interrupt = newValue }
    }

    /// Nothing.
    public init() {}

    // MARK: - Storage

    private final class Storage {
        var variables: [String: [FHIRPathValue]] = [:]
        var resource: FHIRResource?
        var rootResource: FHIRResource?
        var release: FHIRRelease?
        var now: Date?
        var zone: TimeZone?
        var resolve: ((String) throws -> FHIRResource?)?
        var bases: [String] = []
        var terminology: (any FHIRPathTerminology)?
        var conforms: ((FHIRObject, String) throws -> Bool?)?
        var elementDefinition: ((FHIRPathValue) throws -> FHIRObject?)?
        var isInSlice: ((FHIRPathValue, _ profile: String, _ name: String) throws -> Bool)?
        var trace: ((_ name: String, _ values: [FHIRPathValue]) -> Void)?
        var interrupt: (() throws -> Void)?

        init() {}

        init(_ other: Storage) {
            (variables, resource, rootResource, release) = (other.variables, other.resource, other.rootResource, other.release)
            (now, zone, resolve, bases) = (other.now, other.zone, other.resolve, other.bases)
            (terminology, conforms, elementDefinition) = (other.terminology, other.conforms, other.elementDefinition)
            (isInSlice, trace, interrupt) = (other.isInSlice, other.trace, other.interrupt)
        }
    }

    /// The storage of a context that has nothing. It is never changed, as it always has another owner too.
    private nonisolated(unsafe) static let none = Storage()

    /// The storage of this context alone.
    @discardableResult
    private mutating func own() -> Storage {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage) }
        return storage
    }
}
