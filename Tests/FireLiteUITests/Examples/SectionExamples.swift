import FireLiteR4
import FireLiteUI

// example FireLiteUI.md
@MainActor
func visits(_ store: FHIRStore) -> LiveSections<DateSection, Encounter> {
    LiveSections(store.query(Encounter.self).sort(\.period.start, .reverse)) { DateSection(.month, of: $0.period?.start) }
}
// end
