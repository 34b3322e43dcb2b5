import FireLiteR4
import FireLiteUI

// example FireLiteUI.md
@MainActor
func visits(_ store: FHIRStore) -> LiveSections<DateSection, Encounter> {
    LiveSections(store.query(Encounter.self).sort(\.period.start, .reverse), pageSize: 50, by: .month, of: \.period.start)
}
// end

// example FireLiteUI.md
func printVisits(_ store: FHIRStore) throws {
    let visits = store.query(Encounter.self).sort(\.period.start, .reverse)
    for month in try visits.sections(by: .month, of: \.period.start) {
        print(month.id.text ?? "without a date", month.count)
        // A section is a query: count it, page through it or follow it.
        let page = try visits.section(month.id, by: .month, of: \.period.start).page(of: 20)
        for visit in page.resources { print(visit.id ?? "") }
    }
}
// end

// example FireLiteUI.md
@MainActor
func visitTable(_ store: FHIRStore) -> LiveValue<SectionedSnapshot<DateSection, String>> {
    LiveValue(in: store) {
        try $0.query(Encounter.self).sort(\.period.start, .reverse).snapshot(by: .month, of: \.period.start)
    }
}
// end

// example FireLiteUI.md
@MainActor
func meanWeight(_ store: FHIRStore) -> LiveValue<Double?> {
    LiveValue(in: store) {
        try $0.query(Observation.self).where { $0.code.coding.code == "29463-7" }.average { $0.valueQuantity.value }
    }
}
// end
