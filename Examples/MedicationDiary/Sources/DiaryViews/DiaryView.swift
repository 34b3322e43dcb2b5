#if canImport(SwiftUI) && canImport(Charts)
    import Charts
    import DiaryModel
    import SwiftUI

    /// The diary's screen: doses per day, and medications to take, edit and stop.
    public struct DiaryView: View {
        @State private var model: DiaryViewModel
        @State private var edited: DiaryEntry?

        public init(_ diary: Diary) { _model = State(initialValue: DiaryViewModel(diary)) }

        public var body: some View {
            NavigationStack {
                List {
                    if let message = model.errorMessage { Label(message, systemImage: "exclamationmark.triangle") }
                    Section("Doses per day") {
                        Chart(model.doses) { BarMark(x: .value("Day", $0.day, unit: .day), y: .value("Doses", $0.count)) }
                    }
                    Section("Medications") {
                        ForEach(model.entries) { row($0) }
                    }
                }
                .navigationTitle("Medications")
                .searchable(text: $model.searchText)
                .sheet(item: $edited) { entry in
                    DosageEditor(entry) { dosage in Task { await model.edit(entry, dosage: dosage, status: nil) } }
                }
            }
        }

        private func row(_ entry: DiaryEntry) -> some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(entry.name)
                    Text(entry.dosage ?? "").font(.caption)
                    if let time = entry.lastTaken { Text(time.date, style: .relative).font(.caption) }
                }
                Spacer()
                Button("Take") { Task { await model.take(entry) } }
            }
            .swipeActions {
                Button("Edit") { edited = entry }
                Button("Stop", role: .destructive) { Task { await model.stop(entry) } }
            }
        }
    }
#endif
