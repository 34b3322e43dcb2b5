import FireLiteCore

/// What the status of a definition says about its use.
struct DefinitionStatus: Sendable, Hashable {
    /// `draft`, `active`, `retired` or `unknown` (value set PublicationStatus).
    var status: String?
    var isExperimental = false
    /// The standards status, `deprecated` for one.
    var standardsStatus: String?

    init() {}

    init(_ json: JSONItem) {
        status = json["status"]?.text
        isExperimental = json["experimental"]?.isTrue ?? false
        standardsStatus = json.extension(KnownExtension.standardsStatus)?.valueText
    }

    /// The word that warns who uses the definition; nil if nothing is to be said.
    ///
    /// - Parameter source: the status of what uses it: a draft may use a draft, and an experiment an experiment.
    func warning(for source: DefinitionStatus) -> String? {
        if standardsStatus == "deprecated" || standardsStatus == "withdrawn" { return standardsStatus }
        if status == "retired" { return "retired" }
        if isExperimental, !source.isExperimental { return "experimental" }
        let isDraft = status == "draft" || standardsStatus == "draft"
        return isDraft && source.status != "draft" && source.standardsStatus != "draft" ? "draft" : nil
    }
}
