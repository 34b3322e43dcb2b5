/// What holds for every resource class. `ResourceRuleTests` checks each rule for each class of each release.
enum ResourceRule: String, CaseIterable, Sendable {
    case decode
    case storeRoundTrip
    case copy
    case populate
    case populateFromEmpty
    case updatePersists
    case upsertKeepsCountAndPK
    case deleteLeavesNothing
}
