import FireLite
import Foundation

/// A rule of a permission: the grantees, the period and the scope. It can have exceptions, which are rules themselves.
public struct AccessRule: Sendable, Hashable {
    /// Whether it permits or denies.
    public var kind: AccessPermission.Kind
    /// The identities that it is for; empty for everybody.
    public var grantees: [String]
    /// The first moment; nil for an open beginning.
    public var from: Date?
    /// The end; nil for an open one.
    public var until: Date?
    /// The resource types; empty for all.
    public var types: [String]
    /// The compartments, such as `Patient/1`; empty for all resources.
    public var compartments: [String]
    /// For a permit, the highest level of confidentiality that it covers; for a denial, the lowest. Nil for all.
    public var confidentiality: Confidentiality?
    /// Codes of sensitivities such as `ETH` and `HIV` (HL7's ActCode). A permit covers a resource only if all of its sensitivities are among them,
    /// unless the rule has no ``confidentiality`` and no sensitivities; a denial covers a resource with one of them.
    public var sensitivities: [String]
    /// Codes of purposes such as `TREAT` (HL7's ActReason); empty for all. A request that does not say its purpose may have any: what is denied for
    /// one purpose is denied to it, and what is permitted for some is not permitted to it.
    public var purposes: [String]
    /// The actions; empty for all.
    public var actions: [PermissionAction]
    /// Rules within this one, which decide if they apply.
    public var exceptions: [AccessRule]
    /// Whether this library does not understand a part of the rule in its Consent. It and its exceptions then permit nothing, and their
    /// denials cover at least what a full reading would deny.
    public internal(set) var isPartlyUnderstood = false
    /// Whether only the exceptions decide, within the limits of the rule, as in an R5 Consent with several provisions or a period of its
    /// own.
    public internal(set) var isContainer = false

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - kind: whether it permits or denies.
    ///   - grantees: the identities that it is for; empty for everybody.
    ///   - from: the beginning of the period.
    ///   - until: the end.
    ///   - types: the resource types; empty for all.
    ///   - compartments: the compartments, such as `Patient/1`; empty for all resources.
    ///   - confidentiality: the highest level for a permit, the lowest for a denial.
    ///   - sensitivities: codes of sensitivities.
    ///   - purposes: codes of purposes; empty for all.
    ///   - actions: the actions; empty for all.
    ///   - exceptions: rules within this one.
    public init(
        _ kind: AccessPermission.Kind, to grantees: [String], from: Date? = nil, until: Date? = nil, types: [String] = [],
        compartments: [String] = [], confidentiality: Confidentiality? = nil, sensitivities: [String] = [], purposes: [String] = [],
        actions: [PermissionAction] = [], exceptions: [AccessRule] = []
    ) {
        self.kind = kind
        self.grantees = grantees
        self.from = from
        self.until = until
        self.types = types
        self.compartments = compartments
        self.confidentiality = confidentiality
        self.sensitivities = sensitivities
        self.purposes = purposes
        self.actions = actions
        self.exceptions = exceptions
    }

    /// Whether a request is within the rule, apart from the resource.
    ///
    /// - Parameter use: whether the rule is used to permit or to deny. A request without a purpose may have any: it is within a rule with purposes
    ///   if that denies, and not if that permits.
    func covers(_ request: PermissionRequest, to use: AccessPermission.Kind) -> Bool {
        (grantees.isEmpty || grantees.contains(request.actor)) && (from.map { $0 <= request.moment } ?? true)
            && (until.map { request.moment < $0 } ?? true)
            && (purposes.isEmpty || request.purpose.map { purposes.contains($0) } ?? (use == .deny))
            && (actions.isEmpty || actions.contains(request.action))
    }

    /// Whether it or one of its exceptions denies anything.
    var hasDenial: Bool { kind == .deny || exceptions.contains(where: \.hasDenial) }

    /// The number of ways in which the rule is narrowed: the more, the more specific it is.
    var specificity: Int {
        [
            !grantees.isEmpty, from != nil || until != nil, !types.isEmpty, !compartments.isEmpty, confidentiality != nil,
            !sensitivities.isEmpty, !purposes.isEmpty, !actions.isEmpty,
        ].filter { $0 }.count
    }
}

/// The resource that a compartment belongs to, such as `Patient/1`.
struct Compartment: Hashable, Sendable {
    let type: String
    let id: String

    /// Reads a reference; nil for other texts.
    init?(_ text: String) {
        let parts = ReferenceParts(text)
        guard parts.form == .relative, parts.version == nil, let type = parts.type, let id = parts.id else { return nil }
        self.type = type
        self.id = id
    }

    var reference: String { "\(type)/\(id)" }
}

/// A level of confidentiality, with HL7's codes, the lowest first. A resource without a label is ``normal``.
public enum Confidentiality: String, Sendable, Hashable, CaseIterable, Comparable {
    /// `U`
    case unrestricted = "U"
    /// `L`
    case low = "L"
    /// `M`
    case moderate = "M"
    /// `N`
    case normal = "N"
    /// `R`
    case restricted = "R"
    /// `V`
    case veryRestricted = "V"

    private var level: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether the first is less confidential.
    public static func < (left: Confidentiality, right: Confidentiality) -> Bool { left.level < right.level }
}

/// An action on a record, with HL7's codes of consent actions.
public struct PermissionAction: RawRepresentable, Sendable, Hashable {
    /// The code.
    public let rawValue: String
    /// The action with this code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reading, as restricted views do.
    public static let access = PermissionAction(rawValue: "access")
    /// Gathering.
    public static let collect = PermissionAction(rawValue: "collect")
    /// Using for a purpose.
    public static let use = PermissionAction(rawValue: "use")
    /// Passing on.
    public static let disclose = PermissionAction(rawValue: "disclose")
    /// Changing.
    public static let correct = PermissionAction(rawValue: "correct")
}
