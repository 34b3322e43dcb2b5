import FireLiteCore

/// A view of an object through a profile of an implementation guide; the Generator makes one for each profile.
///
/// ```swift
/// let pressure = USCoreBloodPressure(observation)
/// let systolic = try? pressure.systolic.value?.value
/// guard pressure.isValid else { return pressure.issues }
/// ```
/// A view holds the object and nothing else. It reads and writes the object's own elements, so that the object, its JSON and its rows stay as they
/// are. An object need not follow the profile: reading never traps, `issues` lists what does not fit, and reading a required element that is
/// missing throws `ProfileError`. Elements that the profile leaves as they are can be read and set as on the object.
@dynamicMemberLookup
public protocol ProfileView<Object> {
    /// The class of the objects.
    associatedtype Object: FHIRObject

    /// The object that is viewed.
    var object: Object { get }

    /// A view of an object, whether or not that follows the profile.
    init(_ object: Object)

    /// What the profile says about the object.
    static var _rule: _ProfileRule { get }
}

/// A view of a resource.
public protocol ResourceProfileView<Object>: ProfileView where Object: FHIRResource {}

extension ProfileView {
    /// The canonical URL of the profile.
    public static var profileURL: String { _rule.url }

    /// An element that the profile leaves as it is.
    public subscript<Value>(dynamicMember member: ReferenceWritableKeyPath<Object, Value>) -> Value {
        get { object[keyPath: member] }
        nonmutating set { object[keyPath: member] = newValue }
    }

    /// A property of the object that cannot be set.
    public subscript<Value>(dynamicMember member: KeyPath<Object, Value>) -> Value { object[keyPath: member] }

    /// What does not fit the profile or FHIR's own definitions: cardinalities, fixed values, patterns, types of choice elements, slices, formats, and
    /// required bindings of FHIR.
    ///
    /// The profile's constraints and its bindings need the guide's definitions: see `FHIRValidator.issues(in:)` of `FireLiteKnowledge`.
    public var issues: [FHIRIssue] {
        var check = ProfileCheck(rule: Self._rule)
        check.run(object)
        let known = Set(check.issues.map { "\($0.path) \($0.code.rawValue)" })
        return check.issues + object.validate().filter { !known.contains("\($0.path) \($0.code.rawValue)") }
    }

    /// Whether `issues` has no error.
    public var isValid: Bool { !issues.contains { $0.severity == .error } }
}

extension ResourceProfileView {
    /// Whether `meta.profile` names the profile, with or without a version.
    public var isDeclared: Bool { RuleTest.declares(object, Self._rule.url) }

    /// Adds the profile to `meta.profile`, unless it is there.
    public func declareProfile() { RuleCompletion.declare(Self._rule.url, in: object) }
}
