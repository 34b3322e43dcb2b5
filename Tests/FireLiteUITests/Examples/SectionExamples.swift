import FireLiteR4
import FireLiteUI

// example FireLiteUI.md
@MainActor
func visits(_ store: FHIRStore) -> LiveSections<DateSection, Encounter> {
    LiveSections(store.query(Encounter.self).sort(\.period.start, .reverse)) { DateSection(.month, of: $0.period?.start) }
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
