import FireLiteCore

/// What a validator found: a stable message id, the severity, the place, and what to do.
///
/// Messages name elements, types, profiles and value sets, but contain no value from the record, which is health data.
public struct ValidationIssue: Sendable, Hashable, CustomStringConvertible {
    /// The severity of an issue, as in an OperationOutcome.
    public enum Severity: String, Sendable, Hashable {
        /// The object is not valid.
        case error
        /// The object may be valid, but something is doubtful or could not be checked.
        case warning
        /// A remark.
        case information
    }

    /// What an issue leaves undecided: something that may be wrong with the resource, and could not be checked.
    public enum Undecided: String, Sendable, Hashable, CaseIterable {
        /// A profile that the resource must conform to, or that decides about a part of it, is not known or cannot be used.
        case profile
        /// A rule whose breach is an error could not be applied: a constraint, a limit, a slicing, the place of an extension.
        case rule
        /// It is unknown whether a code is in the value set of a required binding.
        case code
        /// Something outside of the resource is not at hand: a Questionnaire, a Measure, the target of a reference.
        case outside

        /// The first of several kinds in the order above.
        static func gravest(of kinds: Set<Undecided>) -> Undecided? { allCases.first { kinds.contains($0) } }
    }

    /// The stable id of a kind of message: programs compare it, texts may change.
    public struct MessageID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The text of the id.
        public let rawValue: String
        /// The id with this text.
        public init(rawValue: String) { self.rawValue = rawValue }
        init(_ rawValue: String) { self.rawValue = rawValue }
        /// The text of the id.
        public var description: String { rawValue }
    }

    /// The kind of message.
    public let messageID: MessageID
    /// The severity.
    public let severity: Severity
    /// The FHIRPath of the element: `Patient.name[0].given[1]`.
    public let path: String
    /// What was expected, what was found, and what to do.
    public let message: String
    /// The canonical URL of the profile whose rule is broken; nil for a rule of FHIR itself.
    public let profile: String?
    /// The id of the element in the profile, with the names of slices: `Observation.category:VSCat`.
    public let element: String?
    /// The key of the constraint that is not met: `pat-1`; nil for other issues.
    public let key: String?
    /// What could not be checked; nil for an issue that was decided. ``StoreValidation`` goes by it, whatever the severity.
    public internal(set) var undecided: Undecided?

    /// The code of the value set issue-type (FHIR, OperationOutcome).
    public var issueType: String { messageID.issueType }

    /// The path and the message.
    public var description: String { "\(path): \(message)" }
}

extension ValidationIssue.MessageID {
    /// The record cannot be read as FHIR.
    public static let unreadable = Self("unreadable")
    /// An element has too few values.
    public static let minimum = Self("element-minimum")
    /// An element has too many values.
    public static let maximum = Self("element-maximum")
    /// An element has neither a value nor children.
    public static let empty = Self("element-empty")
    /// A choice element has values of two types.
    public static let secondChoice = Self("element-second-choice")
    /// A primitive is not in the format of its type.
    public static let format = Self("primitive-format")
    /// A value has a type that the profile does not allow.
    public static let type = Self("element-type")
    /// A value differs from the fixed value of the profile.
    public static let fixedValue = Self("element-fixed")
    /// A value lacks what the pattern of the profile asks for.
    public static let pattern = Self("element-pattern")
    /// A value is below the minimum or above the maximum of the profile.
    public static let range = Self("element-range")
    /// A text is longer than the profile allows.
    public static let length = Self("element-length")
    /// A constraint is not met.
    public static let constraint = Self("constraint")
    /// A constraint, a limit or another rule could not be applied.
    public static let undecidedConstraint = Self("constraint-undecided")
    /// A code is not in the value set of its binding.
    public static let code = Self("binding-code")
    /// A display is not one that the code system has for the code.
    public static let display = Self("code-display")
    /// It is unknown whether a code is in the value set of its binding.
    public static let unknownValueSet = Self("binding-unknown")
    /// A value fits no slice of a closed slicing.
    public static let closedSlicing = Self("slicing-closed")
    /// The values of slices are not in the order that the profile asks for.
    public static let sliceOrder = Self("slicing-order")
    /// A slicing has a discriminator that cannot be used, or that decides nothing about a value.
    public static let discriminator = Self("slicing-discriminator")
    /// A profile, or another definition, is not known.
    public static let missingDefinition = Self("definition-missing")
    /// A definition is broken: a cycle, an invalid path, a limit.
    public static let brokenDefinition = Self("definition-broken")
    /// The profile is about another type.
    public static let profileType = Self("profile-type")
    /// A value conforms to none of the profiles of its element.
    public static let noProfile = Self("profile-none")
    /// An element that the profile marks as mustSupport is absent.
    public static let mustSupport = Self("profile-must-support")
    /// An extension has no known definition.
    public static let unknownExtension = Self("extension-unknown")
    /// An extension is at a place for which it is not defined.
    public static let extensionContext = Self("extension-context")
    /// A modifier extension is used as an ordinary one, or the reverse.
    public static let modifierExtension = Self("extension-modifier")
    /// The URL of an extension is not valid.
    public static let extensionURL = Self("extension-url")
    /// A reference is not valid, or leads to nothing.
    public static let reference = Self("reference")
    /// A reference is to a resource of a type that the element does not allow.
    public static let referenceType = Self("reference-type")
    /// A reference in a Bundle leads to nothing, or to several entries.
    public static let bundleReference = Self("bundle-reference")
    /// The full URL of an entry is missing, relative, or not that of the resource.
    public static let fullURL = Self("bundle-full-url")
    /// A link of a Bundle is repeated, or does not fit the type of the Bundle.
    public static let bundleLink = Self("bundle-link")
    /// An entry does not fit the type of its Bundle.
    public static let bundleEntry = Self("bundle-entry")
    /// A contained resource has no id, has the id of another one, or is not used.
    public static let contained = Self("contained")
    /// The id of an element occurs twice.
    public static let duplicateID = Self("id-duplicate")
    /// An attachment has another size than it states, or content that cannot be decoded.
    public static let attachment = Self("attachment")
    /// A URL is not absolute, or not valid.
    public static let url = Self("url")
    /// The text of a narrative breaks the rules of XHTML in FHIR.
    public static let narrative = Self("narrative")
    /// A text looks like markup.
    public static let markup = Self("text-markup")
    /// A unit is not in UCUM.
    public static let unit = Self("unit")
    /// A Questionnaire breaks a rule.
    public static let questionnaire = Self("questionnaire")
    /// An item of a response is not in the Questionnaire, or at another place.
    public static let responseItem = Self("response-item")
    /// A required answer is missing.
    public static let responseRequired = Self("response-required")
    /// An answer is of a type, or has a value, that the Questionnaire does not allow.
    public static let responseAnswer = Self("response-answer")
    /// An item that is not enabled has an answer.
    public static let responseEnabled = Self("response-not-enabled")
    /// A CodeSystem breaks a rule.
    public static let codeSystem = Self("code-system")
    /// A ValueSet breaks a rule.
    public static let valueSet = Self("value-set")
    /// A ConceptMap breaks a rule.
    public static let conceptMap = Self("concept-map")
    /// A StructureDefinition breaks a rule.
    public static let structureDefinition = Self("structure-definition")
    /// A SearchParameter breaks a rule.
    public static let searchParameter = Self("search-parameter")
    /// A Measure or MeasureReport breaks a rule.
    public static let measure = Self("measure")
    /// The validation took more steps than allowed.
    public static let limit = Self("limit")

    /// The code of the value set issue-type.
    var issueType: String {
        switch self {
        case .minimum, .empty, .responseRequired: "required"
        case .maximum, .secondChoice, .type, .closedSlicing, .sliceOrder, .unreadable, .profileType, .noProfile: "structure"
        case .format, .fixedValue, .pattern, .range, .length, .unit: "value"
        case .constraint: "invariant"
        case .questionnaire, .responseAnswer, .responseItem, .responseEnabled: "business-rule"
        case .code: "code-invalid"
        case .missingDefinition, .unknownValueSet, .bundleReference: "not-found"
        case .extensionContext, .modifierExtension, .unknownExtension, .extensionURL: "extension"
        case .duplicateID: "duplicate"
        case .limit: "too-costly"
        case .undecidedConstraint, .brokenDefinition, .discriminator: "not-supported"
        case .mustSupport: "informational"
        default: "invalid"
        }
    }
}

extension FHIRIssue {
    /// The issue for what checks with `FHIRIssue`, such as a form: its code is the id of the message, and remarks are warnings.
    public init(_ issue: ValidationIssue) {
        self.init(
            path: issue.path, severity: issue.severity == .error ? .error : .warning, code: Code(rawValue: issue.messageID.rawValue),
            message: issue.message, key: issue.key)
    }
}
