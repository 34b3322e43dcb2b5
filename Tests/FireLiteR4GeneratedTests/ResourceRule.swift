/// What holds for every resource class. The generated tests check each rule for one class.
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
