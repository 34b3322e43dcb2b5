#if canImport(SwiftUI)
    import DiaryModel
    import SwiftUI

    /// A sheet with the dosage of a medication as text.
    struct DosageEditor: View {
        private let entry: DiaryEntry
        private let save: (String) -> Void
        @State private var text: String
        @Environment(\.dismiss) private var dismiss

        init(_ entry: DiaryEntry, save: @escaping (String) -> Void) {
            self.entry = entry
            self.save = save
            _text = State(initialValue: entry.dosage ?? "")
        }

        var body: some View {
            NavigationStack {
                Form { TextField("Dosage", text: $text) }
                    .navigationTitle(entry.name)
                    .toolbar {
                        Button("Save") {
                            save(text)
                            dismiss()
                        }
                    }
            }
        }
    }
#endif
